"""What all questions to a table of columns share: how a search stands, and how a complete one settles it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, RowWeights
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.primal import Repair
from oneformany.engine.cover.tree import TreeQuestion, search_tree
from oneformany.engine.standing import TreeProof
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable

CORE = 0.3  # of the capacity: columns that lack no more are what good answers are made of


class ColumnChoice(ABC):
    """A question to a table under way: the best columns so far, and what is proved about them.

    Weights bound how much worth so many columns cover. Rows are worth their people, and are called so; where
    costs count, they are worth what is lost without.
    """

    best: IntArray
    relaxation: FirstOrder
    weights: RowWeights

    def __init__(self, table: ColumnTable, incidence: Incidence, worth: IntArray, search: Search) -> None:
        self.table, self.incidence, self.worth, self.search = table, incidence, worth, search
        self.reachable = int(worth[incidence.reachable].sum())
        self.proof: TreeProof | None = None

    @abstractmethod
    def standing(self) -> tuple[int, int]:
        """What the best columns are worth, and what no others are better than."""

    @abstractmethod
    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are better."""

    @abstractmethod
    def learn(self) -> float:
        """Prove what the relaxation leads to; return how much is proved now, the more the better."""

    @abstractmethod
    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Find better columns among all that could be, or prove that there are none; ``None``: neither."""

    def covered(self, columns: IntArray) -> int:
        """People that these columns cover."""
        return int(self.worth[self.incidence.covered_by(columns)].sum())

    def reaching(self, k: int, target: int) -> IntArray:
        """The columns that ``k`` columns with so many people can be among."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        heavy = self.weights.heavy(k, int(self.worth.sum()) - target)
        self.search.counters["columns left out"] = self.incidence.n_columns - len(heavy)
        return heavy

    def core(self, columns: IntArray, most: float = CORE) -> IntArray:
        """Those of some columns that good answers use: of small reduced cost."""
        return columns[self.weights.loads[columns] >= (1.0 - most) * self.weights.capacity]

    def repairing(self, k: int, target: int) -> Repair:
        """Repairs over the columns of small reduced cost that columns with so many people can be among."""
        core = self.core(self.reaching(k, target))
        return Repair(self.incidence, core, self.best, self.search.seed, self.worth)

    def repaired(self, repair: Repair, goal: int, failures: int) -> bool:
        """Repair until that stops helping, offer what comes out, and say whether it meets a goal."""

        def improved() -> None:
            self.offer(repair.chosen)
            self.report("repair")

        before = repair.repairs
        repair.run(goal, self.search.stop, min(failures, self.search.options.max_failures), improved)
        self.search.counters["repairs"] += repair.repairs - before
        return repair.meets(goal)

    def finished(self) -> bool:
        """Whether nothing is better, or time is up."""
        value, bound = self.standing()
        return value == bound or self.search.stop.expired()

    def too_many(self) -> None:
        """Give up searching columns that are too many to be all searched."""
        if self.search.options.exact:
            self.search.stop.met("columns")

    def report(self, phase: str) -> None:
        """Tell whoever listens where the search stands."""
        if self.search.progress is not None:
            self.search.progress(phase, *self.standing())

    def relax(self, rounds: Iterator[int], steps: int, gain: float, patience: int = 1) -> bool:
        """Take so many first-order steps a round, until rounds in a row gain next to nothing: true then."""
        idle, known = 0, -np.inf
        for _ in rounds:
            if self.finished():
                return False
            self.relaxation.advance(steps, self.search.stop)
            before, known = known, self.learn()
            self.report("relaxation")
            idle = 0 if known - before > gain * abs(known) else idle + 1
            if idle >= patience or self.exhausted():
                return True
        return False

    def exhausted(self) -> bool:
        """Whether the relaxation shows that no more can be proved by it."""
        return False

    def settle(self, max_nodes: int) -> None:
        """Find something better, or prove that there is nothing, as long as either can be done."""
        while not self.finished():
            found = self.search_all(max_nodes)
            if found is None:
                return
            if isinstance(found, TreeProof):
                self.proof = found
            else:
                before = self.standing()
                self.offer(found)
                if self.standing() == before:
                    return
            self.report("search")

    def searched(
        self,
        question: TreeQuestion,
        target: int,
        columns: IntArray,
        rows: Sequence[Sequence[int]] | None,
        max_nodes: int,
    ) -> IntArray | TreeProof | None:
        """Answer a question about some columns, and rows, unless it has its own, by a complete search."""
        found = search_tree(question, max_nodes)
        self.search.counters["nodes"] += found.nodes
        if found.chosen is not None:
            return columns[np.array(found.chosen, dtype=np.int64)]
        if found.proof is None:
            if found.nodes >= self.search.options.max_nodes:
                self.search.stop.met("nodes")
            return None
        tree = found.proof if rows is None else renamed(found.proof, rows)
        named = np.flatnonzero(self.incidence.reachable) if rows is None else np.arange(self.table.n_rows)
        return TreeProof(question.budget, target, self.table.take(columns), tree, named)


def renamed(tree: dict[str, Any], rows_of: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The same tree over other rows: each number stands on all rows that a row of the tree is."""
    filters = [
        [[row, number] for old, number in pairs for row in rows_of[old]] for pairs in tree.get("filters", [])
    ]
    parts = {"parts": [renamed(part, rows_of) for part in tree["parts"]]} if "parts" in tree else {}
    return {**tree, "filters": filters, **parts}
