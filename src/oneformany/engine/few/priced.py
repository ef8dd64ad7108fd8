"""All actions of all rows with their costs: what they save against prices, and what some of them cost."""

from collections.abc import Iterable

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.few import cost_kernels as kernels
from oneformany.engine.few.listed_rows import ListedRows
from oneformany.engine.few.offered_sets import OfferedSets
from oneformany.oracles.actions import FORBIDDEN, STAYS
from oneformany.oracles.protocol import NEGATIVE
from oneformany.problem.problem import LARGEST_SUM
from oneformany.stop import Stop


class PricedActions:
    """Which actions rows possibly accept, row by row as bits, and what each row pays at each slot.

    Rows that were not looked at accept nothing here: without a price they save nothing, so bounds hold.
    """

    def __init__(self, listed: ListedRows) -> None:
        self.listed, self._actions = listed, listed.offered.actions
        n = len(listed.ground.rows)
        self.bits = np.zeros((n, -(-len(self._actions) // 8)), dtype=np.uint8)
        listed.stop.memory.keep(self, self.bits.nbytes)
        self._slot_costs = _slot_costs(listed)
        self.known = np.zeros(n, dtype=np.bool_)
        self.alone = np.zeros(n, dtype=np.int64)  # what the cheapest action costs that a row accepts
        self.cheapest = np.full(n, -1)  # and that action

    def __len__(self) -> int:
        return len(self._actions)

    @property
    def _order(self) -> tuple[IntArray, IntArray, IntArray]:
        return self._actions.after, self._actions.ways, self._actions.begins

    def look_at(self, rows: Iterable[int], stop: Stop) -> None:
        """Find out what each of some rows accepts, as long as there is time."""
        for row in rows:
            if stop.expired():
                return
            accepts = (self.listed.judged(row) != NEGATIVE).astype(np.uint8)
            self.bits[row] = np.packbits(accepts, bitorder="little")
            alone, self.cheapest[row] = kernels.cheapest_accepted(accepts, self._slot_costs[row], self._order)
            self.known[row] = self.cheapest[row] >= 0
            self.alone[row] = alone if self.known[row] else 0
        self.alone[row] = alone if self.known[row] else 0

    def _accepts(self, row: int) -> kernels.Planes:
        return np.unpackbits(self.bits[row], count=len(self), bitorder="little")

    def learn(self, rows: IntArray, action: int, costs: IntArray) -> None:
        """Take an action from some rows that refuse it when the classifier is asked."""
        refused = rows[costs >= kernels.REFUSED]
        self.bits[refused, action >> 3] &= np.uint8(255 ^ (1 << (action & 7)))

    def savings(self, prices: IntArray, people: IntArray, scale: int) -> IntArray | None:
        """What each action saves against prices, which are costs times the scale; ``None``: out of time."""
        savings = np.zeros(len(self), dtype=np.int64)
        for row in np.flatnonzero(self.known & (prices > self.alone * scale)).tolist():
            if self.listed.stop.expired():
                return None
            costs = np.minimum(self._slot_costs[row], LARGEST_SUM // scale) * scale
            about = int(prices[row]), int(people[row])
            kernels.add_savings(self._accepts(row), costs, self._order, *about, savings)
        return savings

    def costs(self, actions: IntArray) -> kernels.Matrix:
        """What each of some actions costs each row, ``(actions, rows)``; ``REFUSED`` where it is refused."""
        found = np.empty((len(actions), len(self.bits)), dtype=np.int32)
        kernels.fill_costs(self.bits, self._slot_costs, actions, self._actions.slots(actions), found)
        return found


class PricedSets:
    """What each row pays at least on each set of features, where rows share these only."""

    def __init__(self, listed: ListedRows) -> None:
        if not isinstance(listed.offered, OfferedSets):
            raise TypeError("rows do not share features")
        self.listed, self._offered = listed, listed.offered
        n = len(listed.ground.rows)
        self._matrix = np.full((len(self), n), kernels.REFUSED, dtype=np.int32)
        listed.stop.memory.keep(self, self._matrix.nbytes)
        self._slot_costs = _slot_costs(listed)
        self.known = np.zeros(n, dtype=np.bool_)
        self.alone = np.zeros(n, dtype=np.int64)
        self.cheapest = np.full(n, -1)

    def __len__(self) -> int:
        return self._offered.n_columns

    def look_at(self, rows: Iterable[int], stop: Stop) -> None:
        """Find out what each of some rows pays, as long as there is time."""
        for row in rows:
            if stop.expired():
                return
            least = self._offered.cheapest(self.listed.judged_actions(row), self._slot_costs[row])
            self._matrix[:, row] = np.minimum(least, kernels.REFUSED)
            best = int(least.argmin())
            self.known[row] = least[best] < kernels.REFUSED
            if self.known[row]:
                self.alone[row], self.cheapest[row] = least[best], best

    def learn(self, rows: IntArray, column: int, costs: IntArray) -> None:
        """Note what some rows pay on a set of features when the classifier is asked."""
        self._matrix[column, rows] = np.minimum(costs, kernels.REFUSED)

    def savings(self, prices: IntArray, people: IntArray, scale: int) -> IntArray | None:
        """What each set saves against prices, which are costs times the scale; ``None``: out of time."""
        savings = np.zeros(len(self), dtype=np.int64)
        for number, costs in enumerate(self._matrix):
            if self.listed.stop.expired():
                return None
            paid = np.minimum(costs.astype(np.int64), LARGEST_SUM // scale) * scale
            gains = np.where(costs < kernels.REFUSED, np.maximum(0, prices - paid), 0)
            savings[number] = int(people @ gains)
        return savings

    def costs(self, columns: IntArray) -> kernels.Matrix:
        """What each of some sets costs each row, ``(sets, rows)``; ``REFUSED`` where it does not help."""
        return self._matrix[columns]


Priced = PricedActions | PricedSets


def priced_columns(listed: ListedRows) -> Priced:
    """The actions, or the sets of features, with what they cost."""
    return PricedSets(listed) if isinstance(listed.offered, OfferedSets) else PricedActions(listed)


def _slot_costs(listed: ListedRows) -> IntArray:
    """What each row pays at each slot: nothing where it stays, very much where it may not go."""
    ground, offered = listed.ground, listed.offered
    rows = np.arange(len(ground.rows))
    begins, does = ground.begin[:, offered.actions.owner], offered.does(rows)
    costs = ground.price[begins + offered.cells]
    return np.where(does == STAYS, 0, np.where(does == FORBIDDEN, kernels.FAR, costs)).astype(np.int64)


def fits(listed: ListedRows) -> bool:
    """Whether there is room for all bits, and costs are small enough for a table of them."""
    n, slots = len(listed.ground.rows), len(listed.offered.cells)
    dearest = int(listed.ground.price.max(initial=0)) * listed.ground.size
    each = 4 * listed.offered.n_columns
    if not isinstance(listed.offered, OfferedSets):
        each = listed.offered.n_columns // 8
    room = n * (each + 20 * slots)
    return dearest < int(kernels.REFUSED) and listed.stop.memory.fits(room)
