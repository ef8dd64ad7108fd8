"""The covering program, in HiGHS: every row met at least as often as it asks, at least cost.

It is the restricted master of column generation, the relaxation inside the set cover, the master of the
paper's own method, and, with a row that limits how many columns are used, the program of a budget. Rows and
columns come in at any time, and each solution starts from the last basis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import highspy
import numpy as np
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence, joined, merged
from oneformany.exceptions import SolverError
from oneformany.stop import Stop

INFINITE = highspy.kHighsInf  # as HiGHS writes it


@dataclass(frozen=True, eq=False)
class RelaxedCover:
    """Optimum of a covering program: its value, the values of the columns, the duals of the rows."""

    value: float
    values: FloatArray
    duals: FloatArray


class Programmed(NamedTuple):
    """Columns of the best solution found, if one was; ``proved``: HiGHS says that nothing is better.

    That is good for guiding a search, not a certificate.
    """

    chosen: IntArray | None
    proved: bool


def as_matrix(groups: Sequence[IntArray], n_rows: int) -> sparse.csc_matrix:
    """One column of ones per group of rows."""
    starts, rows = joined(groups)
    return sparse.csc_matrix((np.ones(len(rows), dtype=np.int64), rows, starts), shape=(n_rows, len(groups)))


class CoveringProgram:
    """Choose columns at least cost such that every row is covered as often as it demands.

    ``presolve``: let HiGHS simplify before it solves; it then cannot start from the last basis.
    """

    def __init__(self, demands: FloatArray, *, presolve: bool = False) -> None:
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        if not presolve:
            self._highs.setOptionValue("presolve", "off")
        self.n_columns = 0
        self.add_rows(demands)

    def add_rows(self, demands: FloatArray, block: sparse.csr_matrix | None = None) -> None:
        """Add rows, with their entries in the columns so far."""
        block = sparse.csr_matrix((len(demands), self.n_columns)) if block is None else block
        self._highs.addRows(len(demands), *_at_least(demands), *_entries(block))

    def add_columns(
        self, block: sparse.csc_matrix, costs: FloatArray | IntArray | None = None, upper: float = INFINITE
    ) -> None:
        """Add columns, with their entries in the rows so far; each costs 1 unless said otherwise."""
        count = block.shape[1]
        if count:
            each = np.ones(count) if costs is None else np.asarray(costs, dtype=np.float64)
            self._highs.addCols(count, each, np.zeros(count), np.full(count, upper), *_entries(block))
            self.n_columns += count

    def demand(self, demands: FloatArray | IntArray) -> None:
        """Ask each row so often from now on."""
        rows = np.arange(len(demands), dtype=np.int32)
        self._highs.changeRowsBounds(len(demands), rows, *_at_least(demands))

    def price(self, costs: FloatArray) -> None:
        """Let the first columns cost so much from now on."""
        columns = np.arange(len(costs), dtype=np.int32)
        self._highs.changeColsCost(len(costs), columns, np.asarray(costs, dtype=np.float64))

    def use(self, columns: BoolArray) -> None:
        """Of the last columns, use these only from now on, each as often as one likes."""
        last = np.arange(self.n_columns - len(columns), self.n_columns, dtype=np.int32)
        upper = np.where(columns, INFINITE, 0.0)
        self._highs.changeColsBounds(len(columns), last, np.zeros(len(columns)), upper)

    def solve(self, stop: Stop) -> RelaxedCover | None:
        """Solve from the last basis; ``None`` when there is no solution, or time was too short for one."""
        if stop.expired():
            return None
        # The clock of HiGHS counts all runs of one program.
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + stop.remaining())
        self._highs.run()
        status = self._highs.getModelStatus()
        if status in {highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kTimeLimit}:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"the covering program ended as {self._highs.modelStatusToString(status)}")
        solution = self._highs.getSolution()
        value = self._highs.getInfo().objective_function_value
        return RelaxedCover(value, np.array(solution.col_value), np.maximum(solution.row_dual, 0.0))

    def solve_integers(self, first: int, start: FloatArray, seconds: float) -> Programmed:
        """Use columns from the ``first`` on wholly or not at all; ``start`` is a solution that is known."""
        columns = np.arange(first, self.n_columns, dtype=np.int32)
        count, zeros = len(columns), np.zeros(len(columns))
        self._highs.changeColsBounds(count, columns, zeros, zeros + 1.0)
        self._highs.changeColsIntegrality(count, columns, np.full(count, highspy.HighsVarType.kInteger))
        for option, value in (("time_limit", max(0.1, seconds)), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.99)):
            self._highs.setOptionValue(option, value)
        known = highspy.HighsSolution()
        known.col_value = start.tolist()
        self._highs.setSolution(known)
        self._highs.run()
        found = np.array(self._highs.getSolution().col_value)
        if len(found) < self.n_columns or not np.isfinite(found).all():
            return Programmed(None, proved=False)
        proved = self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return Programmed(np.flatnonzero(found[first:] > 0.5), proved)


def _at_least(numbers: FloatArray | IntArray | BoolArray) -> tuple[FloatArray, FloatArray]:
    """Lower and upper sides, as HiGHS takes them."""
    return np.asarray(numbers, dtype=np.float64), np.full(len(numbers), INFINITE)


def _entries(block: sparse.csr_matrix | sparse.csc_matrix) -> tuple[int, IntArray, IntArray, FloatArray]:
    """A sparse matrix as HiGHS takes it."""
    begins, indices = block.indptr[:-1].astype(np.int32), block.indices.astype(np.int32)
    return block.nnz, begins, indices, block.data.astype(np.float64)


def budgeted(incidence: Incidence, people: IntArray, budget: int) -> CoveringProgram:
    """A program in which at most so many columns leave as few people uncovered as possible.

    First come, for each row, its people who are left uncovered, then the columns; the last row is the budget.
    """
    n, m = incidence.n_rows, incidence.n_columns
    program = CoveringProgram(np.append(np.ones(n), -budget), presolve=True)
    block = sparse.bmat([[sparse.identity(n), incidence.matrix], [None, -np.ones((1, m))]], format="csc")
    program.add_columns(block, np.append(people, np.zeros(m, dtype=np.int64)))
    return program


def best_columns(
    incidence: Incidence, seconds: float, start: IntArray, people: IntArray | None = None, budget: int = 0
) -> Programmed:
    """Cover all rows by as few columns, or, where rows count ``people``, as many by a ``budget`` of columns.

    ``start`` holds the columns of a solution that is known.
    """
    values = np.zeros(incidence.n_columns)
    values[start] = 1.0
    each = np.ones(incidence.n_rows, dtype=np.int64) if people is None else people
    starts, rows, _, each, _ = merged(incidence.starts, incidence.rows, np.zeros_like(incidence.rows), each)
    small = Incidence.of(starts, rows, len(each))
    if people is None:
        program = CoveringProgram(np.ones(len(each)), presolve=True)
        program.add_columns(small.matrix)
        return program.solve_integers(0, values, seconds)
    known = np.append(np.where(small.covered_by(start), 0.0, 1.0), values)
    return budgeted(small, each, budget).solve_integers(len(each), known, seconds)
