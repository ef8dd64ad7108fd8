"""The covering linear program, in HiGHS: every row met at least as often as it asks, at least cost.

It is the restricted master of column generation, the relaxation inside the set cover, and the master of the
paper's own method; rows and columns come in at any time, and each solution starts from the last basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import joined
from oneformany.exceptions import SolverError
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class RelaxedCover:
    """Optimum of a covering program: its value, the values of the columns, the duals of the rows."""

    value: float
    values: FloatArray
    duals: FloatArray


def as_matrix(groups: Sequence[IntArray], n_rows: int) -> sparse.csc_matrix:
    """One column of ones per group of rows."""
    starts, rows = joined(groups)
    return sparse.csc_matrix((np.ones(len(rows), dtype=np.int64), rows, starts), shape=(n_rows, len(groups)))


def _quiet_solver() -> highspy.Highs:
    """HiGHS on one thread, without a word."""
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("threads", 1)
    return highs


def solved(highs: highspy.Highs, stop: Stop) -> highspy.HighsSolution | Literal["infeasible", "stopped"]:
    """Solve a linear program from its last basis; "stopped" when time was too short for that.

    Raises
    ------
    SolverError
        HiGHS failed.
    """
    if stop.expired():
        return "stopped"
    # The clock of HiGHS counts all runs of one program.
    highs.setOptionValue("time_limit", highs.getRunTime() + stop.remaining())
    highs.run()
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return "infeasible"
    if status == highspy.HighsModelStatus.kTimeLimit:
        return "stopped"
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"the covering program ended as {highs.modelStatusToString(status)}")
    solution: highspy.HighsSolution = highs.getSolution()
    return solution


def covering(starts: IntArray, rows: NDArray[np.int32], n_rows: int, price: float = 0.0) -> highspy.Highs:
    """A program in which columns of one price, each used at most once, cover every row."""
    highs = _quiet_solver()
    n, m, entries = n_rows, len(starts) - 1, len(rows)
    none, infinity = np.zeros(0, dtype=np.int32), np.full(n, highspy.kHighsInf)
    highs.addRows(n, np.ones(n), infinity, 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))
    begins = starts[:-1].astype(np.int32)
    highs.addCols(m, np.full(m, price), np.zeros(m), np.ones(m), entries, begins, rows, np.ones(entries))
    return highs


def budgeted(starts: IntArray, rows: NDArray[np.int32], people: IntArray, budget: int) -> highspy.Highs:
    """A program in which at most so many columns leave as few people uncovered as possible."""
    n, m = len(people), len(starts) - 1
    highs = covering(starts, rows, n)
    each, ones = np.arange(n, dtype=np.int32), np.ones(n)
    highs.addCols(n, people.astype(np.float64), np.zeros(n), ones, n, each, each, ones)
    highs.addRow(-highspy.kHighsInf, float(budget), m, np.arange(m, dtype=np.int32), np.ones(m))
    return highs


class CoveringProgram:
    """Choose columns at least cost such that every row is covered as often as it asks.

    Parameters
    ----------
    demands : array
        How often each row is to be covered.
    presolve : bool
        Let HiGHS simplify before it solves; it then cannot start from the last basis.
    """

    def __init__(self, demands: FloatArray, *, presolve: bool = False) -> None:
        self._highs = _quiet_solver()
        if not presolve:
            self._highs.setOptionValue("presolve", "off")
        self.n_columns = 0
        self._demands = np.zeros(0)
        self._usable = np.ones(0, dtype=np.bool_)
        self.add_rows(demands)

    @property
    def n_rows(self) -> int:
        """Rows so far."""
        return len(self._demands)

    def add_rows(self, demands: FloatArray, block: sparse.csr_matrix | None = None) -> None:
        """Add rows, with their entries in the columns so far."""
        count = len(demands)
        if block is None:
            block = sparse.csr_matrix((count, self.n_columns), dtype=np.int64)
        self._highs.addRows(
            count,
            np.asarray(demands, dtype=np.float64),
            np.full(count, highspy.kHighsInf),
            block.nnz,
            block.indptr[:-1].astype(np.int32),
            block.indices.astype(np.int32),
            block.data.astype(np.float64),
        )
        self._demands = np.concatenate((self._demands, demands))

    def add_columns(self, block: sparse.csc_matrix, costs: FloatArray | None = None) -> None:
        """Add columns, with their entries in the rows so far; each costs 1 unless said otherwise."""
        count = block.shape[1]
        if count == 0:
            return
        self._highs.addCols(
            count,
            np.ones(count) if costs is None else np.asarray(costs, dtype=np.float64),
            np.zeros(count),
            np.full(count, highspy.kHighsInf),
            block.nnz,
            block.indptr[:-1].astype(np.int32),
            block.indices.astype(np.int32),
            block.data.astype(np.float64),
        )
        self.n_columns += count
        self._usable = np.concatenate((self._usable, np.ones(count, dtype=np.bool_)))

    def demand(self, demands: FloatArray) -> None:
        """Ask each row so often from now on."""
        changed = np.flatnonzero(demands != self._demands).astype(np.int32)
        if len(changed):
            upper = np.full(len(changed), highspy.kHighsInf)
            lower = np.asarray(demands, dtype=np.float64)[changed]
            self._highs.changeRowsBounds(len(changed), changed, lower, upper)
            self._demands = np.array(demands, dtype=np.float64)

    def price(self, costs: FloatArray) -> None:
        """Let the first columns cost so much from now on."""
        columns = np.arange(len(costs), dtype=np.int32)
        self._highs.changeColsCost(len(costs), columns, np.asarray(costs, dtype=np.float64))

    def use(self, columns: BoolArray) -> None:
        """Use these columns only from now on."""
        changed = np.flatnonzero(columns != self._usable).astype(np.int32)
        if len(changed):
            upper = np.where(columns[changed], highspy.kHighsInf, 0.0)
            self._highs.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper)
            self._usable = columns.copy()

    def solve(self, stop: Stop) -> RelaxedCover | Literal["infeasible", "stopped"]:
        """Solve as in :func:`solved`."""
        solution = solved(self._highs, stop)
        if isinstance(solution, str):
            return solution
        return RelaxedCover(
            self._highs.getInfo().objective_function_value,
            np.array(solution.col_value),
            np.maximum(np.array(solution.row_dual), 0.0),
        )
