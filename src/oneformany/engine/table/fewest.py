"""The fewest columns of a table that cover every row that can be covered.

Greedy first, then a relaxation by first-order steps whose integer weights prove a bound, then rounding and
exact repairs of small parts. Where bound and cover are so close that few columns can be part of anything
better, those are searched completely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, Weights, weighed
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.local_search import LocalSearch
from oneformany.engine.cover.primal import Repair, dive
from oneformany.engine.cover.set_cover import cover_within
from oneformany.engine.table.choice import ColumnChoice, TreeProof
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable

STEPS_PER_ROUND = 250
ROUGH_GAIN = 1e-3
FINE_GAIN = 1e-6
RELAXATION_TIME = 0.4
CORE = 0.3
MOST_EXACT_ROWS = 2_000
EXACT_COLUMNS = 3_000
FEW_FAILURES = 15
FEW_NODES = 300
FEW_NODES_TIMES_ROWS = 50_000
FEW_STEPS = 200
MANY_STEPS = 2_000


@dataclass(frozen=True, eq=False)
class CoverAnswer:
    """Columns that hold every row that any column holds, and what is proved about the fewest.

    No cover by fewer columns than the bound exists: no column weighs more than the capacity of the weights,
    so a cover has at least ``total / capacity``; where the bound is higher than that, the proof says why, by
    a tree of :func:`~oneformany.engine.cover.set_cover.cover_within` over the rows that any column holds.
    ``wanted`` are columns that may not be chosen, but that a smaller cover could use, the likeliest first.
    """

    chosen: IntArray
    bound: int
    weights: Weights
    proof: TreeProof | None
    wanted: IntArray


def solve_cover(
    table: ColumnTable, search: Search | None = None, start: IntArray | None = None, usable: int | None = None
) -> CoverAnswer:
    """Choose as few columns as possible that together hold every row that any column holds.

    The start is a cover that is known. Where only so many columns, from the first on, are ``usable``, these
    cover what all do; the others may not be chosen and count for the bound alone.
    """
    search = search or Search()
    cover = _Cover(table, search, start, len(table) if usable is None else usable)
    cover.report("start")
    cover.relax(ROUGH_GAIN)
    cover.round()
    cover.relax(FINE_GAIN)
    cover.round()
    cover.walk(FEW_STEPS)
    few_nodes = min(FEW_NODES, FEW_NODES_TIMES_ROWS // max(1, table.n_rows))
    cover.settle(min(few_nodes, search.options.max_nodes))
    cover.repair(min(FEW_FAILURES, search.options.max_failures))
    cover.settle(search.options.max_nodes)
    cover.walk(MANY_STEPS)
    cover.repair(search.options.max_failures)
    cover.settle(search.options.max_nodes)
    return CoverAnswer(np.sort(cover.best), cover.bound, cover.weights, cover.proof, cover.all_wanted())


class _Cover(ColumnChoice):
    """One call of ``solve_cover`` under way."""

    def __init__(self, table: ColumnTable, search: Search, start: IntArray | None, usable: int) -> None:
        super().__init__(search)
        self.usable = usable
        self.incidence = table.incidence
        everybody = np.ones(self.incidence.n_rows, dtype=np.bool_)
        self.best = greedy_columns(self.incidence.part(np.arange(usable), everybody)[0])
        if start is not None:
            self.offer(np.asarray(start, dtype=np.int64))
        self.relaxation = FirstOrder(self.incidence)
        self.weights: Weights = weighed(self.incidence, self.relaxation.duals)
        self.bound = self.weights.cover_bound
        self.wanted = np.zeros(0, dtype=np.int64)

    def standing(self) -> tuple[int, int]:
        """Columns, and at least."""
        return len(self.best), self.bound

    def finished(self) -> bool:
        """Whether the cover is proved, a smaller one needs what may not be chosen, or time is up."""
        return len(self.wanted) > 0 or super().finished()

    def offer(self, columns: IntArray) -> None:
        """Take another cover if it is smaller and may be chosen."""
        if len(columns) < len(self.best) and columns.max() < self.usable:
            self.best = columns

    def relax(self, gain: float) -> None:
        """Take first-order steps until a round gains less than that, or the bound cannot rise any more."""
        value = np.inf
        for _ in self.search.rounds(RELAXATION_TIME):
            if self.finished():
                return
            before = self.weights.ratio
            self.relaxation.advance(STEPS_PER_ROUND, self.search.stop)
            found = self.relaxation.weights()
            if found.ratio > self.weights.ratio:
                self.weights = found
                self.bound = max(self.bound, found.cover_bound)
            self.report("relaxation")
            value = min(value, self._value())
            if np.ceil(value - 1e-4) <= self.bound or self.weights.ratio <= (1.0 + gain) * before:
                return

    def _value(self) -> float:
        """A cover by parts of columns: the mean values, with what they lack counted in full."""
        values = self.relaxation.mean_values
        covers = self.incidence.matrix @ values
        return float(values.sum() + np.maximum(0.0, 1.0 - covers)[self.incidence.reachable].sum())

    def core(self, columns: IntArray) -> IntArray:
        """Those that good covers use: of small reduced cost, and those of the best cover."""
        light = self.weights.loads[columns] < (1.0 - CORE) * self.weights.capacity
        return np.union1d(columns[~light & (columns < self.usable)], self.best)

    def round(self) -> None:
        """Round the relaxation to a cover."""
        if self.finished() or not self.search.options.diving:
            return
        core = self.core(np.arange(self.usable))
        each = np.ones(self.incidence.n_rows, dtype=np.int64)
        everybody = int(self.incidence.reachable.sum())
        self.offer(dive(self.incidence, core, self.relaxation, self.search.stop, each, everybody))
        self.search.counters["dives"] += 1
        self.report("rounding")

    def walk(self, steps: int) -> None:
        """Improve the cover by many small moves, so many for each row."""
        if self.finished() or not self.search.options.local_search:
            return
        part, kept = self.incidence.part(np.arange(self.usable), self.incidence.reachable)
        local = LocalSearch(part, np.zeros(len(kept)), self.best)
        self.offer(local.run(self.bound, steps * len(kept), self.search.stop))
        self.search.counters["local search steps"] += local.steps
        self.report("local search")

    def repair(self, failures: int) -> None:
        """Improve small parts until that stops helping."""
        if self.finished() or not self.search.options.repair:
            return
        core = self.core(self._heavy(len(self.best) - 1))
        repair = Repair(self.incidence, core, self.best, self.search.options.seed)

        def improved() -> None:
            self.offer(repair.chosen)
            self.report("repair")

        repair.run(self.bound, self.search.stop, failures, improved)
        self.search.counters["repairs"] += repair.repairs

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all columns that a cover of the size of the bound can use, unless they are too many."""
        options, target = self.search.options, self.bound
        columns = self._heavy(target)
        few, rows = min(options.max_columns, EXACT_COLUMNS), int(self.incidence.reachable.sum())
        if not options.exact or rows > MOST_EXACT_ROWS or len(columns) > few:
            return None
        part, _ = self.incidence.part(columns, self.incidence.reachable)
        groups = [part.group(column).astype(np.int64) for column in range(part.n_columns)]
        found = cover_within(groups, rows, target, self.search.stop, max_nodes)
        self.search.counters["set cover nodes"] += found.nodes
        if found.chosen is not None:
            chosen = columns[np.array(found.chosen, dtype=np.int64)]
            self.wanted = chosen[chosen >= self.usable]
            return chosen
        if found.proof is None:
            return None
        self.bound = target + 1
        return TreeProof(target, target, columns, found.proof)

    def _heavy(self, target: int) -> IntArray:
        """All columns that a cover by ``target`` columns can use."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        least = self.weights.total - (target - 1) * self.weights.capacity
        heavy = np.flatnonzero(self.weights.loads >= least)
        self.search.counters["columns left out"] = self.incidence.n_columns - len(heavy)
        return heavy

    def all_wanted(self) -> IntArray:
        """Columns that a smaller cover could use and that may not be chosen, the likeliest first."""
        if len(self.wanted) or self.bound == len(self.best):
            return self.wanted
        heavy = self._heavy(len(self.best) - 1)
        wanted = heavy[heavy >= self.usable]
        return wanted[np.argsort(-self.weights.loads[wanted], kind="stable")]
