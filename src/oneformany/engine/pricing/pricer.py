"""Pricing: columns worth adding, and a proved bound on the weight of every column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.search import ColumnSearch, Heaviest
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.stop import Stop

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

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        ...

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Look for heavy columns and bound the heaviest; when time is up, return what is known by then.

        Weights are integers, one per item, of which ``ONE_IN_PRICING`` stands for a dual of 1.
        """
        ...


PricerFactory = Callable[[Items, CachedOracle], Pricer]


class SearchPricer:
    """Searches around every item of positive weight; few nodes for each make it quick and its bound weak."""

    def __init__(self, items: Items, oracle: CachedOracle, node_limit: int = NO_LIMIT) -> None:
        self.items = items
        self.oracle = oracle
        self._limit = node_limit
        self._search = ColumnSearch(items, oracle)

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        return self._search.nodes

    def price(self, weights: IntArray, stop: Stop) -> Priced:
        """Look for the heaviest column around each item that has not been the anchor of another search."""
        step = STEP + 64 * len(weights)
        search, order = self._search, self.items.by_crowding
        search.weigh(weights)
        left = weights > 0
        found: list[tuple[int, Heaviest]] = []
        for item in order[left[order]].tolist():
            if stop.expired():
                return Priced(self._columns(found, stop), weights, None, complete=False)
            search.state.eligible[:] = left
            search.state.eligible[self.items.conflicts(item)] = False
            found.append((item, search.heaviest(item, ONE_IN_PRICING, step, self._limit, stop)))
            left[item] = False
        capacity = max([ONE_IN_PRICING + step, *(heaviest.bound for _, heaviest in found)])
        columns = self._columns(found, stop)
        complete = not stop.expired() and all(heaviest.complete for _, heaviest in found)
        return Priced(columns, weights, capacity if capacity < NO_LIMIT else None, complete)

    def _columns(self, found: list[tuple[int, Heaviest]], stop: Stop) -> list[Column]:
        """The columns found, heaviest first, as long as there is time."""
        columns = []
        for item, heaviest in sorted(found, key=lambda pair: (-pair[1].weight, pair[0])):
            if heaviest.choice is None or stop.expired():
                break
            column = self.oracle.column(int(self.items.first[item]), heaviest.choice)
            if column is not None:
                columns.append(column)
        return columns
