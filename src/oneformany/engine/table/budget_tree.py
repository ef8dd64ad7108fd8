"""Can so many columns cover so many people? The question to a complete search, and its relaxation.

Integer weights on the rows that are still uncovered, each at most the row's people times ``ONE_IN_COVERS``,
bound what the columns left to choose can add: if none of the usable columns weighs more than C, then r more
columns add at most ``r C + sum(m - u)``.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.duals_kernels import integer_loads
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.program import budgeted
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.tree import Relaxed, run_node
from oneformany.stop import Stop


class BudgetQuestion:
    """Whether ``budget`` columns cover ``target`` people."""

    def __init__(self, incidence: Incidence, people: IntArray, budget: int, target: int, stop: Stop) -> None:
        self.incidence, self.people = incidence, people
        self.budget, self.target, self.stop = budget, target, stop
        self.n_columns = incidence.n_columns
        self._highs = budgeted(incidence.starts, incidence.rows, people, budget)

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they cover so many."""
        return int(self.people[self.incidence.covered_by(columns)].sum()) >= self.target

    def ended(self, chosen: IntArray, usable: BoolArray) -> dict[str, Any] | None:
        """Where nothing is left to choose, there is nothing to say."""
        return {} if len(chosen) == self.budget or not usable.any() else None

    def relax(self, chosen: IntArray, usable: BoolArray) -> Relaxed:
        """Cover as many of the people left by parts of columns."""
        left = np.where(self.incidence.covered_by(chosen), 0, self.people)
        lacking = (self.target - int(self.people.sum() - left.sum())) * ONE_IN_COVERS
        more = self.budget - len(chosen)
        values, duals = self._solve(left, usable, more)
        weights = np.clip(np.rint(duals * ONE_IN_COVERS).astype(np.int64), 0, left * ONE_IN_COVERS)
        loads = integer_loads(self.incidence, weights)
        capacity = int(loads[usable].max(initial=0))
        bound = more * capacity + int(left.sum()) * ONE_IN_COVERS - int(weights.sum())
        return Relaxed(values, weights, bound < lacking, usable & (bound - capacity + loads < lacking))

    def _solve(self, left: IntArray, usable: BoolArray, budget: int) -> tuple[FloatArray, FloatArray]:
        n, m = self.incidence.n_rows, self.n_columns
        columns = np.arange(m + n, dtype=np.int32)
        upper = np.where(np.append(usable, np.ones(n, dtype=np.bool_)), highspy.kHighsInf, 0.0)
        self._highs.changeColsBounds(m + n, columns, np.zeros(m + n), upper)
        self._highs.changeColsCost(n, columns[m:], left.astype(np.float64))
        self._highs.changeRowBounds(n, -highspy.kHighsInf, float(budget))
        return run_node(self._highs, self.stop, m, n)
