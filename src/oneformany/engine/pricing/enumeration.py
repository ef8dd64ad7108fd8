"""Closing the gap: list every column that a cover of a given size could use, then settle that set cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing import kernels
from oneformany.engine.pricing.judges import NodeJudge
from oneformany.engine.pricing.pricer import Priced
from oneformany.engine.pricing.search import Search, Weights
from oneformany.engine.tree.column_generation import Node

__all__ = ["Listing", "list_columns", "without_subsets"]


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

    def column(self, node: Node, place: int) -> Column | None:
        """The column of a group; ``None`` where the classifier left open whether it exists."""
        return node.run.classifier.column(*self.origins[place])


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
    items = node.items
    # Rows to be kept apart may still share a subcube: a larger list is a valid list.
    instance = items.instance._replace(exact=items.arena.instance.exact)
    search = Search(instance, NodeJudge(items, node.run.classifier))
    search.state.eligible[:] = True
    weights = Weights.of(priced.weights, instance.max_changes)
    members = np.zeros(len(items.arena.rows), dtype=np.int64)
    found: dict[bytes, tuple[int, IntArray]] = {}
    limit = node.run.options.max_columns
    for item in items.by_crowding.tolist():
        row = int(items.first[item])
        for choice in search.every(item, weights, floor, node.run.stop):
            if choice is None or len(found) >= limit:
                return None
            count = kernels.members(instance, row, choice, members)
            found.setdefault(items.group(members[:count]).tobytes(), (row, choice))
        search.state.eligible[item] = False
    node.run.statistics.count("search nodes", search.nodes)
    groups = [np.frombuffer(key, dtype=np.int64) for key in found]
    kept = without_subsets(groups) if not instance.exact or not instance.simple.all() else range(len(groups))
    origins = list(found.values())
    return Listing([groups[place] for place in kept], [origins[place] for place in kept])


def without_subsets(groups: Sequence[IntArray]) -> list[int]:
    """Places of the groups that are not part of another one; of equal groups the first."""
    containing: dict[int, list[int]] = {}
    masks: dict[int, int] = {}
    kept = []
    for place in sorted(range(len(groups)), key=lambda place: -len(groups[place])):
        members = groups[place].tolist()
        mask = sum(1 << member for member in members)
        rarest = min(members, key=lambda member: len(containing.get(member, ())), default=None)
        rivals = containing.get(rarest, ()) if rarest is not None else masks
        if any(mask & ~masks[rival] == 0 for rival in rivals):
            continue
        masks[place] = mask
        kept.append(place)
        for member in members:
            containing.setdefault(member, []).append(place)
    return sorted(kept)
