"""What all questions to a table of columns share, whatever is wanted of the columns.

An *objective* knows the best columns so far, what they are worth and what is proved, and when others are
better; :class:`TableSearch` takes steps and searches on its behalf, and tells where it stands.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder, RowWeights
from oneformany.engine.cover.greedy import swap_columns
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.primal import Repair
from oneformany.engine.cover.program import best_columns
from oneformany.engine.cover.tree import TreeQuestion, search_tree
from oneformany.engine.standing import TreeProof
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.schedule import SCHEDULE

CORE = 0.3  # of the capacity: columns that lack no more are what good answers are made of
EXCHANGES = 50  # sweeps: they end by themselves, after a few
PROGRAM_ENTRIES = 200_000  # that HiGHS settles, or improves on, within its seconds


class Objective(Protocol):
    """What is wanted of columns, the best of them so far, and what is proved."""

    @property
    def value(self) -> int:
        """What the best columns are worth."""
        ...

    @property
    def bound(self) -> int:
        """What no others are better than."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing is left to look for although value and bound differ."""
        ...

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are better."""
        ...

    def exclude(self, proof: TreeProof) -> None:
        """Keep the proof that nothing reaches a target."""
        ...

    def learn(self) -> float:
        """Prove what the relaxation leads to; return how much is proved now, the more the better."""
        ...

    def exhausted(self) -> bool:
        """Whether the relaxation shows that no more can be proved by it."""
        ...

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Find better columns among all that could be, or prove that there are none; ``None``: neither."""
        ...


class TableSearch:
    """Steps and searches on behalf of an objective."""

    def __init__(self, objective: Objective, search: Search) -> None:
        self.objective, self.search = objective, search

    def finished(self) -> bool:
        """Whether nothing is better, or time is up."""
        one = self.objective
        return one.closed or one.value == one.bound or self.search.stop.expired()

    def report(self, phase: str) -> None:
        """Tell whoever listens where the search stands."""
        if self.search.progress is not None:
            self.search.progress(phase, self.objective.value, self.objective.bound)

    def relax(
        self, relaxation: FirstOrder, rounds: Iterator[int], steps: int, gain: float, patience: int = 1
    ) -> bool:
        """Take so many first-order steps a round, until rounds in a row gain next to nothing: true then."""
        idle, known = 0, -np.inf
        for _ in rounds:
            if self.finished():
                return False
            relaxation.advance(steps, self.search.stop)
            before, known = known, self.objective.learn()
            self.report("relaxation")
            idle = 0 if known - before > gain * abs(known) else idle + 1
            if idle >= patience or self.objective.exhausted():
                return True
        return False

    def repair(self, repair: Repair, goal: int, failures: int) -> bool:
        """Repair until that stops helping, offer what comes out, and say whether it meets a goal."""

        def improved() -> None:
            self.objective.offer(repair.chosen)
            self.report("repair")

        before = repair.repairs
        repair.run(goal, self.search.stop, min(failures, self.search.options.max_failures), improved)
        self.search.counters["repairs"] += repair.repairs - before
        return repair.meets(goal)

    def settle(self, max_nodes: int) -> None:
        """Find something better, or prove that there is nothing, as long as either can be done."""
        one = self.objective
        while not self.finished():
            found = one.search_all(max_nodes)
            if found is None:
                return
            if isinstance(found, TreeProof):
                one.exclude(found)
            else:
                before = one.value, one.bound
                one.offer(found)
                if (one.value, one.bound) == before:
                    return
            self.report("search")


class WorthyRows:
    """Rows, or parts of rows, that are worth something, and the columns of a table that hold them."""

    def __init__(self, table: ColumnTable, incidence: Incidence, worth: IntArray, search: Search) -> None:
        self.table, self.incidence, self.worth, self.search = table, incidence, worth, search

    @property
    def reachable(self) -> int:
        """What those are worth that any column holds."""
        return int(self.worth[self.incidence.reachable].sum())

    def covered(self, columns: IntArray) -> int:
        """What those are worth that these columns hold."""
        return int(self.worth[self.incidence.covered_by(columns)].sum())

    def reaching(self, weights: RowWeights, k: int, target: int) -> IntArray:
        """The columns that ``k`` columns which cover so much can be among, as weights say."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        heavy = weights.heavy(k, int(self.worth.sum()) - target)
        self.search.counters["columns left out"] = self.incidence.n_columns - len(heavy)
        return heavy

    def exchanged(self, columns: IntArray) -> IntArray:
        """Exchange columns one by one while that covers more."""
        swapped, stop = columns.astype(np.int64), self.search.stop
        swaps = sweeps = EXCHANGES if self.search.options.repair and len(columns) else 0
        while sweeps and swaps and not stop.expired():
            swaps, sweeps = swap_columns(self.incidence, self.worth, swapped), sweeps - 1
            self.search.counters["swaps"] += swaps
        return swapped

    def programmed(self, best: IntArray, k: int, heaviest: IntArray, values: FloatArray) -> IntArray | None:
        """Solve a program over the columns that the relaxation uses, the heaviest, and the best so far."""
        valued = np.flatnonzero(values > 1e-3)
        columns = np.concatenate((valued[np.argsort(-values[valued], kind="stable")], heaviest))
        within = np.cumsum(self.incidence.sizes[columns]) <= PROGRAM_ENTRIES
        columns = np.union1d(columns[within], best)
        part, _ = self.incidence.part(columns, np.ones(self.incidence.n_rows, dtype=np.bool_))
        seconds = SCHEDULE.program.of(self.search.stop).remaining()
        found = best_columns(part, seconds, np.searchsorted(columns, best), self.worth, k).chosen
        self.search.counters["programs"] += 1
        return columns[found] if found is not None and len(found) <= k else None

    def too_many(self) -> None:
        """Give up searching columns that are too many to be all searched."""
        if self.search.options.exact:
            self.search.stop.met("columns")

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


def core_of(weights: RowWeights, columns: IntArray, most: float = CORE) -> IntArray:
    """Those of some columns that good answers use: of small reduced cost."""
    return columns[weights.loads[columns] >= (1.0 - most) * weights.capacity]


def renamed(tree: dict[str, Any], rows_of: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The same tree over other rows: each number stands on all rows that a row of the tree is."""
    filters = [
        [[row, number] for old, number in pairs for row in rows_of[old]] for pairs in tree.get("filters", [])
    ]
    parts = {"parts": [renamed(part, rows_of) for part in tree["parts"]]} if "parts" in tree else {}
    return {**tree, "filters": filters, **parts}
