"""Pricing: columns worth adding, and a proved bound on the weight of every column there is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.classifier import Classifier
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.judges import NodeJudge
from oneformany.engine.pricing.search import Heaviest, Search, Weights
from oneformany.stop import Stop

__all__ = ["SCALE", "Priced", "Pricer", "scaled"]

SCALE = 2**40
# Columns that differ by less count as equally heavy: above the rounding of shares, so that ties are not
# searched twice, and above the tolerance of the master's duals.
STEP = 2**20
UNPROVED = 2**62
NO_LIMIT = 2**62
WORTH_THREADS = 50


def scaled(duals: FloatArray) -> IntArray:
    """Duals as integers, so that the search adds without rounding."""
    return np.rint(duals * SCALE).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Priced:
    """What pricing found and proved.

    Attributes
    ----------
    columns : list of Column
        Heavier than ``SCALE`` under the weights, heaviest first.
    weights : integer array
        The scaled duals, one per item.
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
        """Lower bound on the number of explanations that the weights prove."""
        return 0 if self.capacity is None else -(-int(self.weights.sum()) // self.capacity)

    @property
    def proves_optimal(self) -> bool:
        """Whether no column improves the relaxation: proved, not merely none found."""
        return self.complete and not self.columns and self.capacity is not None


class Pricer:
    """Searches around every item of positive weight, on one or more threads."""

    def __init__(self, items: Items, classifier: Classifier, threads: int = 1) -> None:
        self.items = items
        self.classifier = classifier
        # Only compiled code runs beside another thread; an oracle is asked by one at a time.
        threads = threads if items.instance.exact and len(items) >= WORTH_THREADS else 1
        self.searches = [Search(items.instance, NodeJudge(items, classifier)) for _ in range(threads)]

    @property
    def nodes(self) -> int:
        """Search nodes so far."""
        return sum(search.nodes for search in self.searches)

    def price(self, weights: IntArray, stop: Stop, node_limit: int = NO_LIMIT) -> Priced:
        """Look for the heaviest column around each item; a node limit makes it quick and its bound weak."""
        step = STEP + 64 * len(weights)
        table = Weights.of(weights, self.items.instance.max_changes)
        order = self.items.by_crowding
        around = order[weights[order] > 0]

        def look(thread: int) -> list[tuple[int, Heaviest]]:
            search = self.searches[thread]
            left = weights > 0
            found = []
            for place, item in enumerate(around.tolist()):
                if place % len(self.searches) == thread:
                    search.state.eligible[:] = left
                    search.state.eligible[self.items.conflicts(item)] = False
                    found.append((item, search.heaviest(item, table, SCALE, step, node_limit, stop)))
                left[item] = False
            return found

        if len(self.searches) == 1:
            found = look(0)
        else:
            with ThreadPoolExecutor(len(self.searches)) as workers:
                found = [pair for part in workers.map(look, range(len(self.searches))) for pair in part]
        found.sort(key=lambda pair: (-pair[1].weight, pair[0]))
        columns = [
            self.classifier.column(int(self.items.first[item]), heaviest.choice)
            for item, heaviest in found
            if heaviest.choice is not None
        ]
        capacity = max([SCALE + step, *(heaviest.bound for _, heaviest in found)])
        return Priced(
            [column for column in columns if column is not None],
            weights,
            capacity if capacity < UNPROVED else None,
            all(heaviest.complete for _, heaviest in found),
        )
