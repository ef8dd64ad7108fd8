"""Pricing: columns worth adding, and a proved bound on the weight of every column."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

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
NODES_AT_ONCE = 20_000  # between two looks at the clock, where rows are few


@dataclass(frozen=True, eq=False)
class Priced:
    """What pricing found and proved."""

    columns: list[Column]  # heavier than ONE_IN_PRICING under the weights, heaviest first
    weights: IntArray  # the duals as integers, one per item
    capacity: int | None  # no column weighs more; None when nothing was proved
    complete: bool  # whether every search ran to its end

    @property
    def bound(self) -> float:
        """Lower bound on the number of explanations that the weights prove, before it is rounded up.

        Weights divided by the capacity are feasible duals of the full covering program, so their sum bounds
        it from below at any moment (Farley, Operations Research 38, 1990).
        """
        return 0.0 if self.capacity is None else float(self.weights.sum()) / self.capacity

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


class SearchPricer:
    """Searches around the items of a branching node, in the same memory."""

    def __init__(self, items: Items, oracle: CachedOracle, weights: IntArray | None = None) -> None:
        self.items, self.oracle, self.arrays = items, oracle, items.arrays
        self.nodes = 0
        n, p = len(items), self.arrays.rows.shape[1]
        self.weights = np.zeros(n, dtype=np.int64) if weights is None else weights  # of the items
        self.bound = 0  # no column around the item searched last weighs more
        self.state = k.new_state(n, p)

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Look for the heaviest column around each item that has not been the anchor of another search."""
        step, capacity = STEP + 64 * len(weights), ONE_IN_PRICING
        self.weights = weights
        left, order = weights > 0, self.items.by_crowding
        found: list[tuple[int, int, IntArray]] = []
        for item in order[left[order]].tolist():
            self.state.eligible[:] = left
            self.state.eligible[self.items.conflicts(item)] = False
            heaviest = None
            for choice in self.choices(item, ONE_IN_PRICING, stop, step):
                if choice is None:
                    return Priced([], weights, None, complete=False)
                heaviest = choice
            if heaviest is not None:
                found.append((-int(self.state.scalars[k.BEST]), item, heaviest))
            capacity = max(capacity, self.bound)
            left[item] = False
        columns = []
        for _, item, choice in sorted(found, key=lambda one: one[:2]):
            if not stop.expired():
                columns.append(self.oracle.column(int(self.items.first[item]), choice))
        real = [column for column in columns if column is not None]
        return Priced(real, weights, capacity + step, complete=not stop.expired())

    def choices(self, item: int, floor: int, stop: Stop, step: int = 0) -> Iterator[IntArray | None]:
        """Yield columns around an item as choices: all of at least this weight that may be maximal.

        With a step, each is heavier by that than the floor, and than the one before; the last is the
        heaviest, but for less than a step. ``None`` comes when time is up.
        """
        scalars = self.state.scalars
        scalars[:] = 0
        scalars[k.BEST] = floor
        self.bound, at_once = 0, min(NODES_AT_ONCE, 1 + WORK_AT_ONCE // len(self.items))
        code = k.LIMIT
        while code != k.DONE:
            if stop.expired():
                yield None
                return
            code = k.advance(self.arrays, self.state, item, self.weights, step, at_once)
            if code == k.CANDIDATE and self._exists(item, every=step == 0):
                if step:
                    scalars[k.BEST] = scalars[k.WEIGHT]
                yield self.state.found.copy()
        self.bound = max(self.bound, int(scalars[k.BEST]))
        self.nodes += int(scalars[k.NODES])

    def _exists(self, item: int, *, every: bool) -> bool:
        """Whether to accept the candidate; the search leaves its node unless something else may be below."""
        scalars, apart = self.state.scalars, self.items.apart
        if apart or not self.items.space.relaxation.exact:
            answer = self.oracle.ask(int(self.items.first[item]), self.state.found)
            if answer.proved_none:
                return False
            if answer.point is None:
                # Nobody knows: the bound must allow for it, the solution must not use it.
                self.bound = max(self.bound, int(scalars[k.WEIGHT]))
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
