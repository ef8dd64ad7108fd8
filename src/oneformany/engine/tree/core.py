"""Small covers among the columns that good covers are made of: those of small reduced cost."""

from __future__ import annotations

import numpy as np

from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence, joined
from oneformany.engine.cover.local_search import FixedSetSearch, LocalSearch
from oneformany.engine.cover.set_cover import cover_within
from oneformany.engine.tree.column_generation import Node
from oneformany.engine.tree.enumeration import EnumeratedColumns, heavy_columns

LIGHTEST = 0.9  # of the capacity
MOST_COLUMNS = 20_000
ENOUGH_COLUMNS = 3_000  # for searches that are to find something new
LIGHTER = (0.8, 0.7, 0.6, 0.5)


class CoreColumns:
    """The columns of small reduced cost of the root, and searches for covers among them that can go on.

    They weigh at least ``lightest`` times the capacity that was proved. Where they are not ``complete``,
    since too many to be listed, columns generated so far stand in.
    """

    def __init__(self, node: Node, lightest: float = LIGHTEST) -> None:
        self.node = node
        found = heavy_columns(node, int(lightest * node.capacity), MOST_COLUMNS)
        self.enumerated = found or EnumeratedColumns([], [])
        self.complete = len(np.unique(joined(self.enumerated.groups)[1])) == len(node.items)
        self._groups = [*self.enumerated.groups, *([] if self.complete else node.groups)]
        starts, rows = joined(self._groups)
        incidence = Incidence.of(starts, rows.astype(np.int32), len(node.items))
        duals = node.weights / node.capacity
        self._local = LocalSearch(incidence, duals, greedy_columns(incidence))
        self._fixed_set = FixedSetSearch(incidence, duals)

    @classmethod
    def wide(cls, node: Node) -> CoreColumns:
        """Take in lighter columns until there are enough for covers that look quite different."""
        core = cls(node)
        for lightest in LIGHTER:
            if len(core) >= ENOUGH_COLUMNS or node.run.stop.expired():
                break
            wider = cls(node, lightest)
            if not wider.complete:
                break
            core = wider
        return core

    def __len__(self) -> int:
        return len(self._groups)

    def walk(self, goal: int, steps: int) -> None:
        """Take so many steps towards a cover by ``goal`` columns; offer what is found."""
        run = self.node.run
        before = self._local.steps
        self._offer(self._local.run(goal, steps, run.stop).tolist())
        run.statistics.count("local search steps", self._local.steps - before)

    def search_around_shared(self, goal: int, patience: int) -> None:
        """Search again and again around what good covers share; offer what is found."""
        before = self._fixed_set.searches
        self._offer(self._fixed_set.run(goal, patience, self.node.run.stop).tolist())
        self.node.run.statistics.count("searches around shared columns", self._fixed_set.searches - before)

    def search(self, goal: int, max_nodes: int) -> None:
        """Look for a cover by ``goal`` of the columns in a tree, unless there is one."""
        run = self.node.run
        if run.count <= goal:
            return
        found = cover_within(
            self._groups, len(self.node.items), goal, run.stop, max_nodes, cuts=run.options.cuts
        )
        run.statistics.count("set cover nodes", found.nodes)
        if found.chosen is not None:
            self._offer(found.chosen)

    def _offer(self, chosen: list[int]) -> None:
        if len(chosen) < self.node.run.count:
            self.enumerated.offer(self.node, chosen)
