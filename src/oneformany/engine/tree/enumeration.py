"""Closing the gap: enumerate every column that a cover of a given size could use, then settle that set cover.

The enumeration by reduced cost of Baldacci, Christofides and Mingozzi (Mathematical Programming 115, 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.incidence import joined
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.pricing.search import ColumnSearch
from oneformany.engine.pricing.space import members
from oneformany.engine.tree.column_generation import Node
from oneformany.stop import Stop

MOST_ENTRIES = 50_000_000  # rows in all columns enumerated: 400 MB


@dataclass(frozen=True, eq=False)
class EnumeratedColumns:
    """All columns that can be part of a cover of the target size, as groups of items.

    Attributes
    ----------
    groups : list of integer arrays
        No group is part of another.
    origins : list of (row, choice)
        Where each comes from.
    """

    groups: list[IntArray]
    origins: list[tuple[int, IntArray]]

    def offer(self, node: Node, chosen: Sequence[int]) -> None:
        """Offer a cover by some of the groups, unless the classifier left open whether one exists.

        Numbers beyond those enumerated stand for the columns of the node.
        """
        own = len(self.groups)
        columns = [
            node.run.oracle.column(*self.origins[index]) if index < own else node.columns[index - own]
            for index in chosen
        ]
        real = [column for column in columns if column is not None]
        if len(real) == len(columns):
            node.run.offer(real)


def enumerate_columns(node: Node, target: int) -> EnumeratedColumns | None:
    """Find the maximal columns that a cover by ``target`` columns can contain; ``None`` when a limit is hit.

    With weights summing to S and no column heavier than C, each of ``target`` columns that cover everything
    weighs at least S - (target - 1) C.
    """
    floor = int(node.weights.sum()) - (target - 1) * node.capacity
    if floor > node.capacity:
        return EnumeratedColumns([], [])
    return heavy_columns(node, floor, node.run.options.max_columns)


def heavy_columns(node: Node, floor: int, most: int) -> EnumeratedColumns | None:
    """Find the maximal columns of at least this weight; ``None`` when they are too many, or time is up."""
    items = node.items
    # Rows to be kept apart may still share a subcube: a larger list is a valid list.
    arrays = items.arrays._replace(exact=items.space.arrays.exact)
    search = ColumnSearch(items, node.run.oracle, arrays)
    search.state.eligible[:] = True
    search.weigh(node.weights)
    found: dict[bytes, tuple[int, IntArray]] = {}
    entries = 0
    for item in items.by_crowding.tolist():
        row = int(items.first[item])
        for choice in search.every(item, floor, node.run.stop):
            if choice is None or len(found) >= most or entries >= MOST_ENTRIES:
                return None
            covered = members(arrays, row, choice)
            entries += len(covered)
            found.setdefault(items.group(covered).tobytes(), (row, choice))
        search.state.eligible[item] = False
    node.run.statistics.count("search nodes", search.nodes)
    groups = [np.frombuffer(key, dtype=np.int64) for key in found]
    kept = without_subsets(groups, node.run.stop)
    if kept is None:
        return None
    origins = list(found.values())
    return EnumeratedColumns([groups[index] for index in kept], [origins[index] for index in kept])


def without_subsets(groups: Sequence[IntArray], stop: Stop) -> list[int] | None:
    """Groups that are not part of another one, of equal ones the last; ``None`` when time is up."""
    starts, rows = joined(groups)
    gone = inside_others(starts, rows.astype(np.int32), 1 + rows.max(initial=-1), stop)
    return None if stop.expired() else np.flatnonzero(~gone).tolist()
