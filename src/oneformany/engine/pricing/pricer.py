"""Pricing: columns worth adding, and a proved bound on the weight of every column."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing import kernels as k
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import Items, members
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.stop import Stop

# Nodes, times items, between two looks at the clock: a node looks at every item.
WORK_AT_ONCE = 20_000_000
NODES_AT_ONCE = 20_000
NO_LIMIT = 2**62


@dataclass(frozen=True, eq=False)
class Priced:
    """What pricing found and proved."""

    columns: list[Column]  # heavier than ONE_IN_PRICING under the weights, heaviest first
    weights: IntArray  # the duals as integers, one per item
    capacity: int | None  # no column weighs more; None when nothing was proved
    complete: bool  # whether every search ran to its end

    @property
    def bound(self) -> int:
        """Lower bound on the number of explanations that the weights prove.

        Weights divided by the capacity are feasible duals of the full covering program, so their sum bounds
        it from below at any moment (Farley, Operations Research 38, 1990).
        """
        return 0 if self.capacity is None else -(-int(self.weights.sum()) // self.capacity)

    @property
    def proves_optimal(self) -> bool:
        """Whether no column improves the relaxation: proved, not merely none found."""
        return self.complete and not self.columns and self.capacity is not None


class Pricer(Protocol):
    """Finds heavy columns of one branching node; ``nodes`` counts what it searched."""

    nodes: int

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Look for heavy columns and bound the heaviest; when time is up, return what is known by then.

        Weights are integers, one per item, of which ``ONE_IN_PRICING`` stands for a dual of 1.
        """
        ...


PricerFactory = Callable[[Items, CachedOracle], Pricer]


class Heaviest(NamedTuple):
    """The heaviest column around an item above the floor, if any, and a proved bound on all of them."""

    choice: IntArray | None
    weight: int
    bound: int
    complete: bool


class SearchPricer:
    """Searches around the items of a branching node, in the same memory; few nodes make a weak bound."""

    def __init__(self, items: Items, oracle: CachedOracle, node_limit: int = NO_LIMIT) -> None:
        self.items, self.oracle, self.arrays = items, oracle, items.arrays
        self.nodes = 0
        n, p = len(items), self.arrays.rows.shape[1]
        self.weigh(np.zeros(n, dtype=np.int64))
        self._limit = node_limit
        self._chunk = min(NODES_AT_ONCE, 1 + WORK_AT_ONCE // max(n, 1))
        self._unknown = 0  # the largest weight of a candidate of which nobody knows whether it exists
        self.state = k.new_state(n, p)

    def weigh(self, weights: IntArray) -> None:
        """Search by these integer weights of the items from now on; keep their even parts ready.

        An item that misses so many features spreads its weight evenly over them.
        """
        counts = np.maximum(np.arange(self.arrays.max_changes + 1), 1)
        self.weights, self.parts = weights, np.ascontiguousarray(weights[:, None] // counts)

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Look for the heaviest column around each item that has not been the anchor of another search."""
        step = STEP + 64 * len(weights)
        self.weigh(weights)
        left, order = weights > 0, self.items.by_crowding
        found: list[tuple[int, Heaviest]] = []
        for item in order[left[order]].tolist():
            if stop.expired():
                return Priced([], weights, None, complete=False)
            self.state.eligible[:] = left
            self.state.eligible[self.items.conflicts(item)] = False
            found.append((item, self.heaviest(item, ONE_IN_PRICING, step, self._limit, stop)))
            left[item] = False
        capacity = max([ONE_IN_PRICING + step, *(heaviest.bound for _, heaviest in found)])
        columns = []
        for item, heaviest in sorted(found, key=lambda pair: (-pair[1].weight, pair[0])):
            if heaviest.choice is not None and not stop.expired():
                columns.append(self.oracle.column(int(self.items.first[item]), heaviest.choice))
        real = [column for column in columns if column is not None]
        complete = not stop.expired() and all(heaviest.complete for _, heaviest in found)
        return Priced(real, weights, capacity if capacity < NO_LIMIT else None, complete)

    def heaviest(self, item: int, floor: int, step: int, node_limit: int, stop: Stop) -> Heaviest:
        """Look for a column heavier than ``floor``, in steps of at least ``step``."""
        scalars, choice, code = self._begin(floor), None, k.LIMIT
        while code != k.DONE and not (
            scalars[k.NODES] and (scalars[k.NODES] >= node_limit or stop.expired())
        ):
            code = self._advance(item, step, min(self._chunk, node_limit - int(scalars[k.NODES])))
            if code == k.CANDIDATE and self._exists(item):
                scalars[k.BEST] = scalars[k.WEIGHT]
                choice = self.state.found.copy()
        self.nodes += int(scalars[k.NODES])
        best, done = int(scalars[k.BEST]), code == k.DONE
        bound = max(best + step - 1, self._unknown, 0 if done else k.open_bound(self.state))
        return Heaviest(choice, best, bound, done)

    def every(self, item: int, floor: int, stop: Stop) -> Iterator[IntArray | None]:
        """Yield all columns of at least this weight that may be maximal as choices; ``None`` if stopped."""
        scalars = self._begin(floor)
        while (code := self._advance(item, 0, self._chunk)) != k.DONE:
            if stop.expired():
                yield None
                break
            if code == k.CANDIDATE and self._exists(item, every=True):
                yield self.state.found.copy()
        self.nodes += int(scalars[k.NODES])

    def _begin(self, floor: int) -> IntArray:
        self.state.scalars[:] = 0
        self.state.scalars[k.BEST] = floor
        self._unknown = 0
        return self.state.scalars

    def _advance(self, item: int, step: int, limit: int) -> int:
        return int(k.advance(self.arrays, self.state, item, self.weights, self.parts, step, limit))

    def _exists(self, item: int, *, every: bool = False) -> bool:
        """Whether to accept the candidate; the search leaves its node unless something else may be below."""
        scalars, apart = self.state.scalars, self.items.apart
        if apart or not self.items.space.relaxation.exact:
            answer = self.oracle.ask(int(self.items.first[item]), self.state.found)
            if answer.proved_none:
                return False
            if answer.point is None:
                # Nobody knows: the bound must allow for it, the solution must not use it.
                self._unknown = max(self._unknown, int(scalars[k.WEIGHT]))
                if not every:
                    return False
        scalars[k.DEPTH] -= 1
        return every or not apart or self._weighs_enough(item)

    def _weighs_enough(self, item: int) -> bool:
        """Count only the heaviest selection of items that need not stay apart."""
        scalars, eligible = self.state.scalars, self.state.eligible
        inside = self.items.group(members(self.arrays, int(self.items.first[item]), self.state.found))
        joined = inside[eligible[inside] | (inside == item)]
        scalars[k.WEIGHT] = self.weights[self.items.heaviest(joined, self.weights)].sum()
        return bool(scalars[k.WEIGHT] > scalars[k.BEST])
