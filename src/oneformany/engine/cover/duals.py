"""Linear relaxations of covers over a long table, by first-order steps, and the bounds that follow.

A primal-dual method (Chambolle and Pock, 2011, with a step length per row and column) needs two passes over
the table per step. Its duals are never trusted: they are shrunk until no column weighs more than the
capacity, rounded down to integers, and the capacity is measured again by one exact pass.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence, entries_of, parts_of
from oneformany.engine.cover.kernels import make_feasible, primal_dual_steps
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.stop import Stop

ENTRIES_BETWEEN_LOOKS = 50_000_000  # at the clock: a tenth of a second of steps
MOST_DUALS = 2.0**30  # together: weights up to 2**60, as result files hold them


@dataclass(frozen=True, eq=False)
class RowWeights:
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
    def duals(self) -> FloatArray:
        """The weights in parts of the capacity: no column weighs more than one."""
        return self.weights / max(1, self.capacity)

    def ratio(self, spare: int) -> float:
        """Heaviest columns that make up the weight of all but so many people: the bound before rounding."""
        return (self.total - spare * ONE_IN_TABLES) / self.capacity if self.capacity else 0.0

    def fewest(self, spare: int) -> int:
        """Columns needed at least to leave out so many people, where no weight exceeds a row's people."""
        lacking = max(0, self.total - spare * ONE_IN_TABLES)
        return -(-lacking // self.capacity) if self.capacity else 0

    def reach(self, people: IntArray, k: int) -> int:
        """People that ``k`` columns cover at most, times the scale; no weight exceeds a row's people."""
        return k * self.capacity + int(people.sum()) * ONE_IN_TABLES - self.total

    def heavy(self, k: int, spare: int) -> IntArray:
        """All columns that ``k`` columns can be among which leave out so many people."""
        return np.flatnonzero(self.loads >= self.total - spare * ONE_IN_TABLES - (k - 1) * self.capacity)


def weighed(incidence: Incidence, duals: FloatArray) -> RowWeights:
    """Round duals down to integer weights, and weigh every column with them.

    Any weights prove something: duals that are not numbers count 0, and none is so large that the weights
    of a column could not be added.
    """
    numbers = np.clip(np.where(np.isfinite(duals), duals, 0.0), 0.0, MOST_DUALS)
    if numbers.sum() > MOST_DUALS:
        numbers = np.minimum(numbers, MOST_DUALS / len(numbers))
    weights = np.floor(numbers * ONE_IN_TABLES).astype(np.int64)
    loads = incidence.loads(weights)
    return RowWeights(weights, int(loads.max(initial=0)), loads)


class Uncovered(Enum):
    """What uncovered rows cost in a relaxation."""

    WORTH = "their worth, where columns have a budget"
    FOUND = "as much of their worth as keeps the uncovered within what may be spared"
    FORBIDDEN = "more than anything, as nothing may be spared"

    @property
    def factor(self) -> float:
        """How dear their worth is at first; only the one that is found changes."""
        return {Uncovered.WORTH: 1.0, Uncovered.FOUND: 0.0, Uncovered.FORBIDDEN: np.inf}[self]


class FirstOrder:
    """A relaxation under way: columns have values, rows have duals.

    Columns cost their ``price``, and rows that are not covered what ``uncovered`` says. With a ``budget`` of
    columns the price is found that keeps it; otherwise it is one, and at most ``spare`` of the worth of rows
    stays uncovered. It begins with ``duals`` that are known.
    """

    def __init__(
        self,
        incidence: Incidence,
        worth: FloatArray | IntArray | BoolArray,
        budget: int | None = None,
        spare: int = 0,
        duals: FloatArray | None = None,
    ) -> None:
        self.incidence, self.budget, self.spare = incidence, budget, spare
        self.worth = worth.astype(np.float64)
        self.price, self.balance = 1.0, 2.0
        self.values = self.mean_values = np.zeros(incidence.n_columns)
        if duals is None:  # every row as heavy as its largest column allows, when a column may weigh one
            duals, sizes = np.where(incidence.reachable, 1.0, 0.0), np.maximum(1, incidence.sizes)
            for part in parts_of(incidence.starts, np.arange(incidence.n_columns)):
                entries, begins = entries_of(incidence.starts, part)
                np.minimum.at(duals, incidence.rows[entries], np.repeat(1.0 / sizes[part], np.diff(begins)))
        self.duals = self.mean_duals = duals.copy()
        loose = spare - float(worth[~incidence.reachable].sum())
        self.uncovered = Uncovered.FOUND if loose > 0 else Uncovered.FORBIDDEN
        if budget is not None:
            self.uncovered = Uncovered.WORTH
        self._factor = self.uncovered.factor
        spared = loose if self.uncovered is Uncovered.FOUND else -1.0
        self._limits = np.array([-1.0 if budget is None else budget, spared])
        self._work = tuple(np.zeros(len(side)) for side in (self.values, self.values, self.duals, self.duals))

    def begin(self, columns: IntArray, duals: FloatArray | IntArray) -> None:
        """Start from columns of the budget, and duals, half of them where these columns cover."""
        covered, budget = self.incidence.covered_by(columns), max(1, self.budget or 0)
        self.values[columns] = 1.0
        self.duals = np.where(covered, 0.5, 1.0) * np.where(self.incidence.reachable, duals, 0.0)
        self.price = float(self.duals.sum()) / (2 * budget)
        self.balance = float(np.sqrt(budget / max(1.0, float((self.worth**2).sum()))))

    def advance(self, steps: int, stop: Stop) -> None:
        """Take so many steps, or as many as time allows."""
        sums = np.zeros(len(self.values)), np.zeros(len(self.duals))
        values, duals = self.values.copy(), self.duals.copy()
        multipliers = np.array([self.price, self._factor])
        taken = 0
        while taken < steps and not (taken and stop.expired()):
            some = min(steps - taken, max(1, ENTRIES_BETWEEN_LOOKS // max(1, len(self.incidence.rows))))
            primal_dual_steps(
                *(self.incidence.arrays, self.worth, self._limits, multipliers, self.balance),
                *(self.values, self.duals, sums, self._work, some),
            )
            taken += some
        self.price, self._factor = multipliers.tolist()
        self.mean_values, self.mean_duals = (side / taken for side in sums)
        if self.budget is not None:  # weigh the two sides by how far each has moved
            primal = float(np.sqrt((self.incidence.sizes * (self.values - values) ** 2).sum()))
            dual = float(np.sqrt((np.diff(self.incidence.row_starts) * (self.duals - duals) ** 2).sum()))
            if primal > 1e-9 and dual > 1e-9:
                self.balance = float(np.sqrt(self.balance * primal / dual))

    def weights(self) -> RowWeights:
        """The best valid weights that the duals now, or on average, lead to."""
        scale = self._factor if self.uncovered is Uncovered.FOUND and 0.0 < self._factor < np.inf else 1.0
        candidates = [
            self._weights(duals, capacity)
            for duals in (self.duals / scale, self.mean_duals / scale)
            for capacity in self._capacities(duals, self.price / scale)
        ]
        if self.budget is None:
            return max(candidates, key=lambda found: found.ratio(self.spare))
        budget = self.budget
        return min(candidates, key=lambda found: budget * found.capacity - found.total)

    def _weights(self, duals: FloatArray, capacity: float) -> RowWeights:
        """Shrink duals until no column weighs more than the capacity, then raise them where there is room."""
        feasible, worst = np.minimum(duals, self.worth), np.ones(len(duals))
        make_feasible(self.incidence.arrays, self.worth, capacity, feasible, worst, self._work[0])
        return weighed(self.incidence, feasible)

    def _capacities(self, duals: FloatArray, price: float) -> list[float]:
        """What columns may weigh: one where that is their price, else from the price up to the heaviest."""
        if self.uncovered is Uncovered.FORBIDDEN:
            return [1.0]
        heaviest = float(self.incidence.loads(duals).max(initial=0.0))
        price = min(max(price, 1e-6), heaviest)
        return [max(1e-6, price + part * (heaviest - price)) for part in (1.0, 0.0, 0.1, 0.3)]
