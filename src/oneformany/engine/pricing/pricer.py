"""Pricing by our own search around every item."""

from __future__ import annotations

from oneformany.arrays import IntArray
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.protocol import NO_LIMIT, Priced
from oneformany.engine.pricing.search import ColumnSearch, Heaviest
from oneformany.engine.scaling import ONE_IN_PRICING, STEP
from oneformany.stop import Stop

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
