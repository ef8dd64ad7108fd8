"""The restricted master: a covering linear program in HiGHS, grown column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import SolverError

__all__ = ["Master", "Relaxed"]


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Optimum of the restricted master: its value, the columns' shares and the items' duals."""

    value: float
    shares: FloatArray
    duals: FloatArray


class Master:
    """Minimise the number of columns such that every item is covered at least once."""

    def __init__(self, n_items: int) -> None:
        self.n_items = n_items
        self.n_columns = 0
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        nothing = np.zeros(0, dtype=np.int32)
        self._highs.addRows(
            n_items,
            np.ones(n_items),
            np.full(n_items, highspy.kHighsInf),
            0,
            np.zeros(n_items, dtype=np.int32),
            nothing,
            nothing.astype(np.float64),
        )
        self._needed = np.ones(n_items, dtype=np.bool_)
        self._usable = np.ones(0, dtype=np.bool_)

    def add(self, groups: Sequence[IntArray]) -> None:
        """Add one column per group of items."""
        if not groups:
            return
        count = len(groups)
        entries = np.concatenate(groups).astype(np.int32)
        ends = np.cumsum([len(group) for group in groups])
        self._highs.addCols(
            count,
            np.ones(count),
            np.zeros(count),
            np.full(count, highspy.kHighsInf),
            len(entries),
            np.concatenate(([0], ends[:-1])).astype(np.int32),
            entries,
            np.ones(len(entries)),
        )
        self.n_columns += count
        self._usable = np.concatenate((self._usable, np.ones(count, dtype=np.bool_)))

    def need(self, items: BoolArray) -> None:
        """Ask for these items only."""
        changed = np.flatnonzero(items != self._needed).astype(np.int32)
        if len(changed):
            upper = np.full(len(changed), highspy.kHighsInf)
            self._highs.changeRowsBounds(len(changed), changed, items[changed].astype(np.float64), upper)
            self._needed = items.copy()

    def use(self, columns: BoolArray) -> None:
        """Use these columns only."""
        changed = np.flatnonzero(columns != self._usable).astype(np.int32)
        if len(changed):
            upper = np.where(columns[changed], highspy.kHighsInf, 0.0)
            self._highs.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper)
            self._usable = columns.copy()

    def solve(self) -> Relaxed | None:
        """Solve from the last basis; ``None`` when the usable columns cannot cover the needed items."""
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"the master problem ended as {self._highs.modelStatusToString(status)}")
        solution = self._highs.getSolution()
        return Relaxed(
            self._highs.getInfo().objective_function_value,
            np.array(solution.col_value),
            np.maximum(np.array(solution.row_dual), 0.0),
        )
