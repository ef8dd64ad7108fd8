"""Column generation: the relaxation of one branching node, solved to proved optimality."""

from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np
from scipy import sparse

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.incidence import joined
from oneformany.engine.cover.program import CoveringProgram, RelaxedCover, as_matrix
from oneformany.engine.pricing.space import Items
from oneformany.engine.run import Run
from oneformany.engine.scaling import ONE_IN_PRICING, integer_weights


@dataclass(eq=False)
class Node:
    """A node of the branching tree with its restricted covering program and pricer."""

    run: Run
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
            if isinstance(relaxed, str):
                break
            self.relaxed = relaxed
            weights = integer_weights(relaxed.duals)
            priced = self.pricer.price(weights, run.stop)
            run.statistics.count("pricings")
            if priced.capacity is not None and (priced.bound > self.bound or priced.proves_optimal):
                self.weights, self.capacity = priced.weights, priced.capacity
            run.pool.add(priced.columns)
            added = self.add(priced.columns, priced.weights)
            if self.is_root:
                run.bound = max(run.bound, self.bound)
            run.report("columns", relaxed.value, self.program.n_columns)
            if priced.proves_optimal or self.bound >= run.count or (added == 0 and priced.complete):
                break


PAIRS = 20_000_000  # that are looked at; the largest groups are left out first


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
    support = support[: int((pairs_so_far <= PAIRS).sum())]
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
