"""Linear relaxations of covers over a long table, by first-order steps, and the bounds that follow.

A primal-dual method (Chambolle and Pock, 2011, with a step length per row and column) needs two passes over
the table per step. Its duals are never trusted: they are shrunk until no column weighs more than the
capacity, rounded down to integers, and the capacity is measured again by one exact pass.
"""

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.kernels import make_feasible, primal_dual_steps
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.stop import Stop

ENTRIES_AT_ONCE = 50_000_000
MOST_DUALS = 2.0**32  # together


@dataclass(frozen=True, eq=False)
class Weights:
    """Integer weights of the rows, what no column weighs more than, and what each column weighs.

    A row of weight ``ONE_IN_TABLES`` counts as one. They are a bound that one pass can check.
    """

    weights: IntArray
    capacity: int
    loads: IntArray

    @property
    def total(self) -> int:
        """Weight of all rows together."""
        return int(self.weights.sum())

    @property
    def ratio(self) -> float:
        """Weight of all rows in heaviest columns: the cover bound before rounding up."""
        return self.total / self.capacity if self.capacity else 0.0

    @property
    def cover_bound(self) -> int:
        """Columns that a cover needs at least."""
        return -(-self.total // self.capacity) if self.capacity else 0

    def reach(self, people: IntArray, k: int) -> int:
        """People that ``k`` columns cover at most, times the scale; no weight exceeds a row's people."""
        return k * self.capacity + int(people.sum()) * ONE_IN_TABLES - self.total

    def fewest_for(self, people: IntArray, needed: int) -> int:
        """Columns needed at least for so many people, where no weight exceeds a row's people."""
        lacking = needed * ONE_IN_TABLES - self.reach(people, 0)
        return -(-lacking // self.capacity) if lacking > 0 and self.capacity else 0


def weighed(incidence: Incidence, duals: FloatArray) -> Weights:
    """Round duals down to integer weights, and weigh every column with them.

    Any weights prove something: duals that are not numbers count 0, and none is so large that the weights
    of a column could not be added.
    """
    numbers = np.clip(np.where(np.isfinite(duals), duals, 0.0), 0.0, MOST_DUALS)
    if numbers.sum() > MOST_DUALS:
        numbers = np.minimum(numbers, MOST_DUALS / len(numbers))
    weights = np.floor(numbers * ONE_IN_TABLES).astype(np.int64)
    loads = incidence.loads(weights)
    return Weights(weights, int(loads.max(initial=0)), loads)


class FirstOrder:
    """A relaxation under way: columns have values, rows have duals.

    Minimise the number of columns (or, with a budget of them, the weight of uncovered rows) such that every
    row is covered. ``upper`` is the loss for leaving a row uncovered (``None``: all must be covered).
    """

    def __init__(
        self, incidence: Incidence, upper: FloatArray | None = None, budget: int | None = None
    ) -> None:
        self.incidence = incidence
        self.upper = np.full(incidence.n_rows, np.inf) if upper is None else upper
        self.budget = -1.0 if budget is None else float(budget)
        self.price, self.balance = 1.0, 2.0
        self.values = self.mean_values = np.zeros(incidence.n_columns)
        # Every row as heavy as its largest column allows, when a column may weigh one.
        sizes = incidence.sizes
        self.duals = np.where(incidence.reachable, 1.0, 0.0)
        np.minimum.at(self.duals, incidence.rows, np.repeat(1.0 / np.maximum(1, sizes), sizes))
        self.mean_duals = self.duals
        self._work = np.zeros(incidence.n_columns)

    def advance(self, steps: int, stop: Stop) -> None:
        """Take so many steps, or as many as time allows."""
        value_sum, dual_sum = np.zeros(len(self.values)), np.zeros(len(self.duals))
        values, duals = self.values.copy(), self.duals.copy()
        taken = 0
        while taken < steps and not (taken and stop.expired()):
            some = min(steps - taken, max(1, ENTRIES_AT_ONCE // max(1, len(self.incidence.rows))))
            self.price = primal_dual_steps(
                *(self.incidence.arrays, self.budget, self.price, self.upper, self.balance),
                *(self.values, self.duals, value_sum, dual_sum, self._work, some),
            )
            taken += some
        self.mean_values, self.mean_duals = value_sum / taken, dual_sum / taken
        if self.budget >= 0:  # weigh the two sides by how far each has moved
            primal = float(np.sqrt((self.incidence.sizes * (self.values - values) ** 2).sum()))
            dual = float(np.sqrt((np.diff(self.incidence.row_starts) * (self.duals - duals) ** 2).sum()))
            if primal > 1e-9 and dual > 1e-9:
                self.balance = float(np.sqrt(self.balance * primal / dual))

    def weights(self) -> Weights:
        """The best valid weights that the duals now, or on average, lead to."""
        candidates = [
            self._weights(duals, capacity)
            for duals in (self.duals, self.mean_duals)
            for capacity in self._capacities(duals)
        ]
        if self.budget < 0:
            return max(candidates, key=lambda found: found.ratio)
        return min(candidates, key=lambda found: self.budget * found.capacity - found.total)

    def _weights(self, duals: FloatArray, capacity: float) -> Weights:
        """Shrink duals until no column weighs more than the capacity, then raise them where there is room."""
        feasible, worst = duals.copy(), np.ones(len(duals))
        make_feasible(self.incidence.arrays, self.upper, capacity, feasible, worst, self._work)
        return weighed(self.incidence, feasible)

    def _capacities(self, duals: FloatArray) -> list[float]:
        """What columns may weigh: one where that is their price, else from the price up to the heaviest."""
        if self.budget < 0:
            return [1.0]
        heaviest = float(np.add.reduceat(duals[self.incidence.rows], self.incidence.starts[:-1]).max())
        price = min(max(self.price, 1e-6), heaviest)
        return [max(1e-6, price + part * (heaviest - price)) for part in (1.0, 0.0, 0.1, 0.3)]
