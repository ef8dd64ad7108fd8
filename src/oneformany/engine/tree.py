"""Branch and price: column generation in a node, enumeration to close its gap, what to branch on.

The relaxation of a node is solved to proved optimality. Then every column is enumerated that a cover of a
given size could use, and that set cover is settled: the enumeration by reduced cost of Baldacci, Christofides
and Mingozzi (Mathematical Programming 115, 2008). Good covers are made of columns of small reduced cost, so
these are also where covers are looked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import numpy as np
from scipy import sparse

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence, joined
from oneformany.engine.cover.local_search import LocalSearch, search_around_shared
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.engine.cover.set_cover import CoverQuestion
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.cover.tree import search_tree
from oneformany.engine.pool import Generated
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.engine.pricing.space import Items, members
from oneformany.engine.scaling import ONE_IN_PRICING, integer_weights
from oneformany.engine.standing import Standing, nothing_known
from oneformany.engine.table.table import ColumnTable, table_of

MOST_PAIRS = 20_000_000  # that are looked at; the largest groups are left out first
MOST_ENUMERATED = 50_000_000  # rows in all columns enumerated: 400 MB
BYTES_OF_AN_ENTRY = 32  # of each, while those inside others are dropped
CORE_COLUMNS = 20_000  # of small reduced cost, that covers are looked for among: steps are quick among few
ENOUGH_COLUMNS = 3_000  # for searches that are to find something new


@dataclass(eq=False)
class Node:
    """A node of the branching tree with its restricted covering program and pricer."""

    run: Generated
    items: Items
    columns: list[Column] = field(default_factory=list)  # the program's, in its order
    groups: list[IntArray] = field(default_factory=list)  # the items each of them covers here
    relaxed: RelaxedCover | None = None  # the last optimum of the program

    def __post_init__(self) -> None:
        # They prove the best bound so far: no column weighs more. One is needed, as there is an item.
        self.weights, self.capacity = np.eye(1, len(self.items), dtype=np.int64)[0], 1
        self.is_root = self.items.decisions.depth == 0
        self.program = CoveringProgram(np.ones(len(self.items)))
        self.pricer = self.run.options.pricer(self.items, self.run.oracle)
        self._known: set[bytes] = set()
        self.add(self.run.pool.columns, np.ones(len(self.items), dtype=np.int64))

    @property
    def rows(self) -> IntArray:
        """The distinct row that stands for each item."""
        return self.run.space.helpable[self.items.first]

    def standing(self) -> Standing:
        """What the weights prove."""
        space = self.run.space
        weights = np.zeros(len(space.problem.rows), dtype=np.int64)
        weights[self.rows] = self.weights
        nothing = weights[:0]
        return nothing_known(self.table_of([])).by_weights(RowWeights(weights, self.capacity, nothing))

    def table_of(self, groups: Sequence[IntArray]) -> ColumnTable:
        """Groups of items as columns of the rows that stand for these."""
        return table_of(self.run.space.problem, [self.rows[group] for group in groups])

    @property
    def bound(self) -> int:
        """Proved lower bound on the explanations that a solution of this node needs."""
        return -(-int(self.weights.sum()) // self.capacity)

    def add(self, columns: list[Column], weights: IntArray) -> int:
        """Add columns that are new to this node; return how many."""
        groups = []
        for column in columns:
            group = self.items.heaviest(self.items.group(column.rows), weights)
            if len(group) and group.tobytes() not in self._known:
                self._known.add(group.tobytes())
                self.columns.append(column)
                groups.append(group)
        self.groups.extend(groups)
        self.program.add_columns(as_matrix(groups, len(self.items)))
        return len(groups)

    def complete(self) -> bool:
        """Find a column for every item that has none; false, with the proof, if one cannot have any."""
        for item in np.setdiff1d(np.arange(len(self.items)), joined(self.groups)[1]).tolist():
            weights = np.zeros(len(self.items), dtype=np.int64)
            weights[item] = 2 * ONE_IN_PRICING
            priced = self.pricer.price(weights, self.run.stop)
            if not self.add(priced.columns, weights):
                if priced.capacity is not None and priced.capacity < weights[item]:
                    weights[item] = self.run.count
                    self.weights, self.capacity = weights, 1
                return False
        return True

    def generate(self) -> None:
        """Add columns until pricing proves that none improves the relaxation, or a limit is reached."""
        run = self.run
        if not self.complete():
            return
        for _ in range(run.options.max_rounds):
            relaxed = self.program.solve(run.stop)
            if relaxed is None:
                break
            self.relaxed = relaxed
            weights = integer_weights(relaxed.duals)
            priced = self.pricer.price(weights, run.stop)
            run.statistics.count("pricings")
            if priced.capacity is not None and priced.bound > self.weights.sum() / self.capacity:
                self.weights, self.capacity = priced.weights, priced.capacity
            run.pool.add(priced.columns)
            added = self.add(priced.columns, priced.weights)
            if self.is_root:
                run.raise_bound(self.bound)
            run.report("columns", relaxed.value, self.program.n_columns)
            if priced.proves_optimal or self.bound >= run.count or (added == 0 and priced.complete):
                break


def pair_to_branch_on(node: Node) -> tuple[int, int] | None:
    """Pick the undecided pair of rows that shares columns closest to half; ``None`` if all are decided.

    Every subset of a group is a group, so each row may be thought of as assigned to one column only, and two
    rows share that column or they do not: the branching of Ryan and Foster ("An integer programming approach
    to scheduling", 1981).
    """
    if node.relaxed is None:
        return None
    support = sorted(np.flatnonzero(node.relaxed.values > 1e-9), key=lambda index: len(node.groups[index]))
    pairs_so_far = np.cumsum([len(node.groups[index]) ** 2 for index in support])
    support = support[: int((pairs_so_far <= MOST_PAIRS).sum())]
    member = as_matrix([node.groups[index] for index in support], len(node.items))
    shared = sparse.triu(member @ sparse.diags(node.relaxed.values[support]) @ member.T, 1).tocoo()
    distance = np.abs(np.minimum(shared.data, 1.0) - 0.5)
    order = np.lexsort((shared.col, shared.row, distance))
    likely = order[distance[order] < 0.5]
    every = combinations(range(len(node.items)), 2)
    for one, other in chain(
        zip(shared.row[likely].tolist(), shared.col[likely].tolist(), strict=True), every
    ):
        if (one, other) not in node.items.apart:
            return int(node.items.first[one]), int(node.items.first[other])
    return None


@dataclass(frozen=True, eq=False)
class EnumeratedColumns:
    """Columns as groups of items, none part of another, with where each comes from: a row and a choice."""

    groups: list[IntArray]
    origins: list[tuple[int, IntArray] | Column]

    def search(self, node: Node, target: int) -> dict[str, Any] | None:
        """Look for a cover by ``target`` of the groups and offer it; return the tree that excludes it."""
        run, options = node.run, node.run.options
        question = CoverQuestion(self.groups, len(node.items), target, run.stop, cuts=options.cuts)
        found = search_tree(question, options.max_nodes)
        run.statistics.count("set cover nodes", found.nodes)
        run.statistics.count("cuts", len(question.triples))
        if found.nodes >= options.max_nodes:
            run.stop.met("nodes")
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


def heavy_columns(
    run: Generated, items: Items, weights: IntArray, floor: int, most: int
) -> EnumeratedColumns | None:
    """Find the maximal columns of at least this weight; ``None`` when they are too many, or time is up.

    Rows to be kept apart may still share one: a larger list is a valid list.
    """
    search = SearchPricer(items, run.oracle, weights)
    found: dict[bytes, tuple[int, IntArray]] = {}
    entries, most_entries = 0, min(MOST_ENUMERATED, run.stop.memory.left // BYTES_OF_AN_ENTRY)
    for item in items.by_crowding.tolist():
        row = int(items.first[item])
        for choice in search.choices(item, floor, run.stop):
            if choice is None or len(found) >= most or entries > most_entries:
                return None
            covered = members(items.arrays, row, choice)
            entries += len(covered)
            found.setdefault(items.group(covered).tobytes(), (row, choice))
        search.state.eligible[item] = False
    run.statistics.count("search nodes", search.nodes)
    groups, origins = [np.frombuffer(key, dtype=np.int64) for key in found], list(found.values())
    starts, rows = joined(groups)
    inside = inside_others(starts, rows.astype(np.int32), len(items), run.stop)
    if run.stop.expired():
        return None
    kept = np.flatnonzero(~inside).tolist()
    return EnumeratedColumns([groups[index] for index in kept], [origins[index] for index in kept])


class CoreColumns:
    """The columns of small reduced cost of the root, and searches for covers among them.

    They weigh at least ``lightest`` times the capacity that was proved. Where they are not ``complete``,
    since too many to be listed, columns generated so far stand in.
    """

    def __init__(self, node: Node, lightest: float = 0.9) -> None:
        self.node = node
        listed = heavy_columns(
            node.run, node.items, node.weights, int(lightest * node.capacity), CORE_COLUMNS
        ) or EnumeratedColumns([], [])
        self.complete = len(np.unique(joined(listed.groups)[1])) == len(node.items)
        if not self.complete:
            listed = EnumeratedColumns([*listed.groups, *node.groups], [*listed.origins, *node.columns])
        self.listed = listed
        self.incidence = Incidence.of(*joined(listed.groups), len(node.items))
        self.duals = node.weights / node.capacity
        start, seed = greedy_columns(self.incidence), node.run.context.seed
        self._local = LocalSearch(self.incidence, self.duals, start, seed)

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
        found, searches = search_around_shared(
            self.incidence, self.duals, goal, patience, run.stop, run.context.seed
        )
        self.listed.offer(self.node, found.tolist())
        run.statistics.count("searches around shared columns", searches)
