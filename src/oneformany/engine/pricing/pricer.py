"""Pricing by our own search around every item."""

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
    """What pricing found and proved.

    Attributes
    ----------
    columns : list of Column
        Heavier than ``ONE_IN_PRICING`` under the weights, heaviest first.
    weights : integer array
        The duals as integers, one per item.
    capacity : int or None
        No column weighs more; ``None`` when nothing was proved.
    complete : bool
        Whether every search ran to its end.
    """

    columns: list[Column]
    weights: IntArray
    capacity: int | None
    complete: bool

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
    """Finds heavy columns of one branching node."""

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        ...

    def price(self, weights: IntArray, stop: Stop, node_limit: int = NO_LIMIT) -> Priced:
        """Look for heavy columns and bound the heaviest.

        Parameters
        ----------
        weights : (items,) integer array
            Duals of the items, of which ``ONE_IN_PRICING`` stands for 1.
        stop : Stop
            When it expires, return what was found and proved by then.
        node_limit : int
            Search nodes per item; few make it quick and its bound weak.
        """
        ...


PricerFactory = Callable[[Items, CachedOracle], Pricer]


UNPROVED = 2**62


class SearchPricer:
    """Searches around every item of positive weight."""

    def __init__(self, items: Items, oracle: CachedOracle) -> None:
        self.items = items
        self.oracle = oracle
        self._search = ColumnSearch(items, oracle)

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        return self._search.nodes

    def price(self, weights: IntArray, stop: Stop, node_limit: int = NO_LIMIT) -> Priced:
        """Look for the heaviest column around each item; a node limit makes it quick and its bound weak."""
        step = STEP + 64 * len(weights)
        search = self._search
        search.weigh(weights)
        left = weights > 0
        order = self.items.by_crowding
        found: list[tuple[int, Heaviest]] = []
        in_time = True
        for item in order[weights[order] > 0].tolist():
            if stop.expired():
                in_time = False
                break
            search.state.eligible[:] = left
            search.state.eligible[self.items.conflicts(item)] = False
            found.append((item, search.heaviest(item, ONE_IN_PRICING, step, node_limit, stop)))
            left[item] = False
        capacity = (
            max([ONE_IN_PRICING + step, *(heaviest.bound for _, heaviest in found)]) if in_time else UNPROVED
        )
        found.sort(key=lambda pair: (-pair[1].weight, pair[0]))
        columns = []
        for item, heaviest in found:
            if stop.expired():
                in_time = False
                break
            if heaviest.choice is not None:
                column = self.oracle.column(int(self.items.first[item]), heaviest.choice)
                if column is not None:
                    columns.append(column)
        return Priced(
            columns,
            weights,
            capacity if capacity < UNPROVED else None,
            in_time and all(heaviest.complete for _, heaviest in found),
        )
