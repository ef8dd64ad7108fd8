"""The fewest columns of a table that cover every row that can be covered.

Greedy first, then a relaxation by first-order steps whose integer weights prove a bound, then rounding and
exact repairs of small parts. Where bound and cover are so close that few columns can be part of anything
better, those are searched completely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, Weights, weighed
from oneformany.engine.cover.local_search import LocalSearch
from oneformany.engine.cover.primal import Repair, dive, greedy_columns
from oneformany.engine.cover.set_cover import cover_within
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
class Enumeration:
    """A proof that no ``target`` columns cover all items: a tree over all that could be among them.

    Attributes
    ----------
    target : int
        The number of columns that does not suffice.
    columns : array of int
        All columns of the table that weigh at least ``total - (target - 1) * capacity``.
    tree : dict
        As :func:`~oneformany.engine.cover.set_cover.cover_within` gives it, over the rows that any column
        holds, in order.
    """

    target: int
    columns: IntArray
    tree: dict[str, Any]


@dataclass(frozen=True, eq=False)
class CoverAnswer:
    """A cover of a table, and what is proved about the smallest one.

    Attributes
    ----------
    chosen : array of int
        Columns that together hold every row that any column holds.
    bound : int
        No cover by fewer columns of this table exists.
    weights : Weights
        No column weighs more than their capacity, so a cover has at least ``total / capacity`` columns.
    proof : Enumeration or None
        Where the bound is higher than that: why.
    wanted : array of int
        Columns that may not be chosen, but that a smaller cover could use, the likeliest first.
    """

    chosen: IntArray
    bound: int
    weights: Weights
    proof: Enumeration | None
    wanted: IntArray

    @property
    def proved(self) -> bool:
        """Whether the cover is proved to be smallest."""
        return self.bound >= len(self.chosen)


class _Cover:
    """One call of ``solve_cover`` under way."""

    def __init__(self, table: ColumnTable, search: Search, start: IntArray | None, usable: int) -> None:
        self.search = search
        self.usable = usable
        self.incidence = table.incidence
        everybody = np.ones(self.incidence.n_rows, dtype=np.bool_)
        self.best = greedy_columns(self.incidence.part(np.arange(usable), everybody)[0])
        if start is not None and len(start) < len(self.best):
            self.best = np.asarray(start, dtype=np.int64)
        self.relaxation = FirstOrder(self.incidence)
        duals = np.zeros(self.incidence.n_rows)
        duals[np.flatnonzero(self.incidence.reachable)[:1]] = 1.0
        self.weights: Weights = weighed(self.incidence, duals)
        self.proof: Enumeration | None = None
        self.wanted = np.zeros(0, dtype=np.int64)
        self.bound = self.weights.cover_bound
        self.report("start")

    @property
    def finished(self) -> bool:
        return self.bound >= len(self.best) or len(self.wanted) > 0 or self.search.stop.expired()

    def report(self, phase: str) -> None:
        self.search.report(phase, len(self.best), self.bound)

    def offer(self, cover: IntArray | None) -> None:
        if cover is not None and len(cover) < len(self.best) and cover.max() < self.usable:
            self.best = np.asarray(cover)

    def relax(self, gain: float) -> None:
        """Take first-order steps until a round gains less than that, or the bound cannot rise any more."""
        value = np.inf
        for _ in self.search.rounds(RELAXATION_TIME):
            if self.finished:
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
        sizes = np.diff(self.incidence.starts)
        values = self.relaxation.mean_values
        covers = np.bincount(self.incidence.rows, np.repeat(values, sizes), self.incidence.n_rows)
        return float(values.sum() + np.maximum(0.0, 1.0 - covers)[self.incidence.reachable].sum())

    def core(self) -> IntArray:
        """The columns that good covers use: of small reduced cost, and those of the best cover."""
        light = (1.0 - CORE) * self.weights.capacity
        return np.union1d(np.flatnonzero(self.weights.loads[: self.usable] >= light), self.best)

    def round(self) -> None:
        """Round the relaxation to a cover."""
        if self.finished or not self.search.options.diving:
            return
        self.offer(dive(self.incidence, self.core(), self.relaxation, self.search.stop))
        self.search.counters["dives"] += 1
        self.report("rounding")

    def walk(self, steps: int) -> None:
        """Improve the cover by many small moves, so many for each row."""
        if self.finished or not self.search.options.local_search:
            return
        part, kept = self.incidence.part(np.arange(self.usable), self.incidence.reachable)
        local = LocalSearch(part, np.zeros(len(kept)), self.best)
        self.offer(local.run(self.bound, steps * len(kept), self.search.stop))
        self.search.counters["local search steps"] += local.steps
        self.report("local search")

    def repair(self, failures: int) -> None:
        """Improve small parts until that stops helping."""
        if self.finished or not self.search.options.repair:
            return
        core = np.intersect1d(self.core(), np.union1d(self._heavy(len(self.best) - 1), self.best))
        repair = Repair(self.incidence, core, self.best, self.search.options.seed)

        def improved() -> None:
            self.offer(repair.chosen)
            self.report("repair")

        repair.run(self.bound, self.search.stop, failures, improved)
        self.search.counters["repairs"] += repair.repairs

    def is_small(self) -> bool:
        options = self.search.options
        few = min(options.max_columns, EXACT_COLUMNS)
        rows = int(self.incidence.reachable.sum())
        return options.exact and rows <= MOST_EXACT_ROWS and len(self._heavy(self.bound)) <= few

    def finish(self, max_nodes: int) -> None:
        """Search all columns that a cover of the size of the bound can use; raise the bound, or meet it."""
        while not self.finished and self.is_small():
            target = self.bound
            columns = self._heavy(target)
            part, items = self.incidence.part(columns, self.incidence.reachable)
            groups = [part.group(column).astype(np.int64) for column in range(part.n_columns)]
            covering = cover_within(groups, len(items), target, self.search.stop, max_nodes)
            self.search.counters["set cover nodes"] += covering.nodes
            if covering.chosen is not None:
                chosen = columns[np.array(covering.chosen, dtype=np.int64)]
                self.offer(chosen)
                self.wanted = chosen[chosen >= self.usable]
                if len(self.wanted):
                    return
            elif covering.proof is not None:
                self.proof = Enumeration(target, columns, covering.proof)
                self.bound = target + 1
            else:
                return
            self.report("enumeration")

    def _heavy(self, target: int) -> IntArray:
        """All columns that a cover by ``target`` columns can use."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        heavy = np.flatnonzero(self.weights.loads >= self._least(target))
        self.search.counters["columns left out"] = self.incidence.n_columns - len(heavy)
        return heavy

    def _least(self, target: int) -> int:
        """What a column of a cover by ``target`` columns weighs at least."""
        return self.weights.total - (target - 1) * self.weights.capacity

    def answer(self) -> CoverAnswer:
        wanted = self.wanted
        if not len(wanted) and self.bound < len(self.best):
            heavy = np.flatnonzero(self.weights.loads >= self._least(len(self.best) - 1))
            wanted = heavy[heavy >= self.usable]
            wanted = wanted[np.argsort(-self.weights.loads[wanted], kind="stable")]
        bound = min(self.bound, len(self.best))
        return CoverAnswer(np.sort(self.best), bound, self.weights, self.proof, wanted)


def solve_cover(
    table: ColumnTable,
    search: Search | None = None,
    start: IntArray | None = None,
    usable: int | None = None,
) -> CoverAnswer:
    """Choose as few columns as possible that together hold every row that any column holds.

    Parameters
    ----------
    table : ColumnTable
        The columns; the bound is about these.
    search : Search or None
        When to end with what there is, switches, and who is told about each step.
    start : array of int or None
        Columns of a cover that is known.
    usable : int or None
        Only so many of the columns, from the first on, may be chosen, and they cover what all do; the others
        count for the bound alone. ``None``: all.
    """
    search = search or Search()
    cover = _Cover(table, search, start, len(table) if usable is None else usable)
    cover.relax(ROUGH_GAIN)
    cover.round()
    cover.relax(FINE_GAIN)
    cover.round()
    cover.walk(FEW_STEPS)
    few_nodes = min(FEW_NODES, FEW_NODES_TIMES_ROWS // max(1, table.n_rows))
    cover.finish(min(few_nodes, search.options.max_nodes))
    cover.repair(min(FEW_FAILURES, search.options.max_failures))
    cover.finish(search.options.max_nodes)
    cover.walk(MANY_STEPS)
    cover.repair(search.options.max_failures)
    cover.finish(search.options.max_nodes)
    return cover.answer()
