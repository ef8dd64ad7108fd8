"""Closing the gap: list every column that a cover of a given size could use, then settle that set cover.

The enumeration by reduced cost of Baldacci, Christofides and Mingozzi (Mathematical Programming 115, 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.candidates import Candidates
from oneformany.engine.pricing.maximal_kernels import Chains, keep_maximal
from oneformany.engine.pricing.protocol import Priced
from oneformany.engine.pricing.search import ColumnSearch, ItemWeights
from oneformany.engine.pricing.space import members
from oneformany.engine.tree.column_generation import Node
from oneformany.stop import Stop

__all__ = ["Listing", "heavy_columns", "list_columns", "without_subsets"]

MOST_ENTRIES = 50_000_000  # rows in all columns listed: 400 MB
GROUPS_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Listing:
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

    def column(self, node: Node, index: int) -> Column | None:
        """The column of a group; ``None`` where the classifier left open whether it exists."""
        return node.run.oracle.column(*self.origins[index])


def list_columns(node: Node, priced: Priced, target: int) -> Listing | None:
    """List the maximal columns that a cover by ``target`` columns can contain; ``None`` when a limit is hit.

    With weights summing to S and no column heavier than C, each of ``target`` columns that cover everything
    weighs at least S - (target - 1) C.
    """
    if priced.capacity is None:
        return None
    floor = int(priced.weights.sum()) - (target - 1) * priced.capacity
    if floor > priced.capacity:
        return Listing([], [])
    return heavy_columns(node, priced, floor, node.run.options.max_columns)


def heavy_columns(node: Node, priced: Priced, floor: int, most: int) -> Listing | None:
    """List the maximal columns of at least this weight; ``None`` when they are too many, or time is up."""
    items = node.items
    # Rows to be kept apart may still share a subcube: a larger list is a valid list.
    arrays = items.arrays._replace(exact=items.space.arrays.exact)
    search = ColumnSearch(arrays, Candidates(items, node.run.oracle))
    search.state.eligible[:] = True
    weights = ItemWeights.of(priced.weights, arrays.max_changes)
    found: dict[bytes, tuple[int, IntArray]] = {}
    entries = 0
    for item in items.by_crowding.tolist():
        row = int(items.first[item])
        for choice in search.every(item, weights, floor, node.run.stop):
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
    return Listing([groups[index] for index in kept], [origins[index] for index in kept])


def without_subsets(groups: Sequence[IntArray], stop: Stop) -> list[int] | None:
    """Groups that are not part of another one, of equal ones the first; ``None`` when time is up."""
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    entries = np.concatenate([*groups, np.zeros(0, dtype=np.int64)])
    chains = Chains(
        np.full(1 + entries.max(initial=-1), -1),
        np.zeros(1 + entries.max(initial=-1), dtype=np.int64),
        np.full(len(entries), -1),
        np.repeat(np.arange(len(groups)), sizes),
    )
    order = np.argsort(-sizes, kind="stable")
    kept = np.zeros(len(groups), dtype=np.bool_)
    for first in range(0, len(groups), GROUPS_AT_ONCE):
        if stop.expired():
            return None
        keep_maximal(starts, entries, order[first : first + GROUPS_AT_ONCE], chains, kept)
    if len(groups) and not sizes.any():
        kept[0] = True
    return np.flatnonzero(kept).tolist()
