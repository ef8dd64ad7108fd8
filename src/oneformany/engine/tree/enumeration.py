"""Closing the gap: enumerate every column that a cover of a given size could use, then settle that set cover.

The enumeration by reduced cost of Baldacci, Christofides and Mingozzi (Mathematical Programming 115, 2008).
Good covers are made of columns of small reduced cost, so these are also where covers are looked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence, joined
from oneformany.engine.cover.local_search import LocalSearch, search_around_shared
from oneformany.engine.cover.set_cover import cover_within
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.engine.pricing.space import members
from oneformany.engine.tree.column_generation import Node
from oneformany.stop import Stop

MOST_ENTRIES = 50_000_000  # rows in all columns enumerated: 400 MB
MOST_COLUMNS = 20_000
ENOUGH_COLUMNS = 3_000  # for searches that are to find something new


@dataclass(frozen=True, eq=False)
class EnumeratedColumns:
    """Columns as groups of items, none part of another, with where each comes from: a row and a choice."""

    groups: list[IntArray]
    origins: list[tuple[int, IntArray] | Column]

    def search(self, node: Node, target: int, max_nodes: int, *, cuts: bool) -> dict[str, Any] | None:
        """Look for a cover by ``target`` of the groups and offer it; return the tree that excludes it."""
        run = node.run
        found = cover_within(self.groups, len(node.items), target, run.stop, max_nodes, cuts=cuts)
        run.statistics.count("set cover nodes", found.nodes)
        run.statistics.count("cuts", found.cuts)
        if found.chosen is not None:
            self.offer(node, found.chosen)
        return found.proof

    def offer(self, node: Node, chosen: Sequence[int]) -> None:
        """Offer a cover by fewer groups than any, unless the classifier left open whether one exists."""
        if len(chosen) >= node.run.count:
            return
        origins = (self.origins[index] for index in chosen)
        columns = [one if isinstance(one, Column) else node.run.oracle.column(*one) for one in origins]
        real = [column for column in columns if column is not None]
        if len(real) == len(columns):
            node.run.offer(real)


def heavy_columns(node: Node, floor: int, most: int) -> EnumeratedColumns | None:
    """Find the maximal columns of at least this weight; ``None`` when they are too many, or time is up.

    Rows to be kept apart may still share one: a larger list is a valid list.
    """
    items = node.items
    search = SearchPricer(items, node.run.oracle)
    search.weigh(node.weights)
    found: dict[bytes, tuple[int, IntArray]] = {}
    entries = 0
    for item in items.by_crowding.tolist():
        row = int(items.first[item])
        for choice in search.every(item, floor, node.run.stop):
            if choice is None or len(found) >= most or entries >= MOST_ENTRIES:
                return None
            covered = members(items.arrays, row, choice)
            entries += len(covered)
            found.setdefault(items.group(covered).tobytes(), (row, choice))
        search.state.eligible[item] = False
    node.run.statistics.count("search nodes", search.nodes)
    groups, origins = [np.frombuffer(key, dtype=np.int64) for key in found], list(found.values())
    kept = without_subsets(groups, node.run.stop)
    if kept is None:
        return None
    return EnumeratedColumns([groups[index] for index in kept], [origins[index] for index in kept])


def without_subsets(groups: Sequence[IntArray], stop: Stop) -> list[int] | None:
    """Groups that are not part of another one, of equal ones the last; ``None`` when time is up."""
    starts, rows = joined(groups)
    gone = inside_others(starts, rows.astype(np.int32), 1 + rows.max(initial=-1), stop)
    return None if stop.expired() else np.flatnonzero(~gone).tolist()


class CoreColumns:
    """The columns of small reduced cost of the root, and searches for covers among them.

    They weigh at least ``lightest`` times the capacity that was proved. Where they are not ``complete``,
    since too many to be listed, columns generated so far stand in.
    """

    def __init__(self, node: Node, lightest: float = 0.9) -> None:
        self.node = node
        listed = heavy_columns(node, int(lightest * node.capacity), MOST_COLUMNS) or EnumeratedColumns([], [])
        self.complete = len(np.unique(joined(listed.groups)[1])) == len(node.items)
        if not self.complete:
            listed = EnumeratedColumns([*listed.groups, *node.groups], [*listed.origins, *node.columns])
        self.listed = listed
        self.incidence = Incidence.of(*joined(listed.groups), len(node.items))
        self.duals = node.weights / node.capacity
        self._local = LocalSearch(self.incidence, self.duals, greedy_columns(self.incidence))

    def wider(self) -> "CoreColumns":
        """Take in lighter columns until there are enough for covers that look quite different."""
        core = self
        for lightest in (0.8, 0.7, 0.6, 0.5):
            if core.incidence.n_columns >= ENOUGH_COLUMNS or self.node.run.stop.expired():
                break
            wider = CoreColumns(self.node, lightest)
            if not wider.complete:
                break
            core = wider
        return core

    def walk(self, goal: int, steps: int) -> None:
        """Take so many steps towards a cover by ``goal`` columns; offer what is found."""
        before = self._local.steps
        self.listed.offer(self.node, self._local.run(goal, steps, self.node.run.stop).tolist())
        self.node.run.statistics.count("local search steps", self._local.steps - before)

    def search_around_shared(self, goal: int, patience: int) -> None:
        """Search again and again around what good covers share; offer what is found."""
        run = self.node.run
        found, searches = search_around_shared(self.incidence, self.duals, goal, patience, run.stop)
        self.listed.offer(self.node, found.tolist())
        run.statistics.count("searches around shared columns", searches)
