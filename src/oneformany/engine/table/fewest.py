"""The fewest columns that cover everybody who can be covered, or so many people.

With weights u of at most the people m of each row, and no column above C, covering P people takes at least
``(P - sum(m - u)) / C`` columns; where everybody counts, ``sum(u) / C``. Greedy first, then a relaxation by
first-order steps whose integer weights prove a bound, then rounding and exact repairs of small parts. Where
so few columns can be part of anything better that all can be searched, that settles it.
"""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, weighed
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.local_search import LocalSearch
from oneformany.engine.cover.primal import Repair, dive
from oneformany.engine.cover.set_cover import cover_within
from oneformany.engine.table.budget import CORE, RELAXATION_TIME, STEPS_PER_ROUND, BudgetSearch
from oneformany.engine.table.choice import ColumnChoice, PeopleAnswer, TreeProof
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.stop import Stop

COVER_STEPS = 250
MOST_EXACT_ROWS = 2_000
EXACT_COLUMNS = 3_000
FEW_FAILURES = 15
FEW_NODES = 300
FEW_NODES_TIMES_ROWS = 50_000
ROUNDING_TIME = 0.5
MOST_TURNS = 6


def solve_cover(
    table: ColumnTable, search: Search | None = None, start: IntArray | None = None, usable: int | None = None
) -> PeopleAnswer:
    """Choose as few columns as possible that together hold every row that any column holds.

    The start is a cover that is known. Where only so many columns, from the first on, are ``usable``, these
    cover what all do; the others may not be chosen and count for the bound alone. A proof is a tree of
    :func:`~oneformany.engine.cover.set_cover.cover_within` over the rows that any column holds.
    """
    search = search or Search()
    options = search.options
    cover = _Cover(table, search, start, len(table) if usable is None else usable)
    cover.report("start")
    cover.relax(1e-3)
    cover.round()
    cover.relax(1e-6)
    cover.round()
    cover.walk(200)
    few_nodes = min(FEW_NODES, FEW_NODES_TIMES_ROWS // max(1, table.n_rows))
    cover.settle(min(few_nodes, options.max_nodes))
    cover.repair(FEW_FAILURES)
    cover.settle(options.max_nodes)
    cover.walk(2_000)
    cover.repair(options.max_failures)
    cover.settle(options.max_nodes)
    return cover.answer()


def solve_coverage(
    table: ColumnTable,
    people: IntArray,
    needed: int,
    search: Search | None = None,
    start: IntArray | None = None,
) -> PeopleAnswer:
    """As few columns as possible for so many people, or all who can be covered, from some that are known."""
    search = search or Search()
    known = np.asarray([] if start is None else start, dtype=np.int64)
    share = _Share(table, search, known, people, needed)
    share.report("start")
    share.lift()
    share.round()
    share.lift()
    share.repair(FEW_FAILURES)
    share.settle(search.options.max_nodes)
    share.repair(search.patience)
    share.settle(search.options.max_nodes)
    return share.answer()


class _Cover(ColumnChoice):
    """The fewest columns for everybody, each row for one; only the first so many columns are ``usable``."""

    def __init__(self, table: ColumnTable, search: Search, start: IntArray | None, usable: int) -> None:
        super().__init__(search)
        self.incidence, self.usable = table.incidence, usable
        self.people = np.ones(table.n_rows, dtype=np.int64)
        self.needed = int(self.incidence.reachable.sum())
        self.best = greedy_columns(self.incidence.part(np.arange(usable), self.people > 0)[0])
        self.missing = self.best[:0]
        if start is not None:
            self.offer(np.asarray(start, dtype=np.int64))
        self.relaxation = FirstOrder(self.incidence)
        self.weights = weighed(self.incidence, self.relaxation.duals)
        self.bound = self.weights.cover_bound

    def standing(self) -> tuple[int, int]:
        """Columns, and at least."""
        return len(self.best), self.bound

    def finished(self) -> bool:
        """Whether the cover is proved, a smaller one needs what may not be chosen, or time is up."""
        return len(self.missing) > 0 or super().finished()

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
            self.relaxation.advance(COVER_STEPS, self.search.stop)
            found = self.relaxation.weights()
            if found.ratio > self.weights.ratio:
                self.weights = found
                self.bound = max(self.bound, found.cover_bound)
            self.report("relaxation")
            values = self.relaxation.mean_values  # a cover by parts, with what they lack counted in full
            lacking = np.maximum(0.0, 1.0 - self.incidence.matrix @ values)[self.incidence.reachable]
            value = min(value, float(values.sum() + lacking.sum()))
            if np.ceil(value - 1e-4) <= self.bound or self.weights.ratio <= (1.0 + gain) * before:
                return

    def core(self, columns: IntArray) -> IntArray:
        """Those that good covers use: of small reduced cost, and those of the best cover."""
        light = self.weights.loads[columns] < (1.0 - CORE) * self.weights.capacity
        return np.union1d(columns[~light & (columns < self.usable)], self.best)

    def round(self) -> None:
        """Round the relaxation to a cover."""
        if not self.finished() and self.search.options.diving:
            self.dive(self.relaxation, self.core(np.arange(self.usable)), self.search.stop)

    def dive(self, relaxation: FirstOrder, core: IntArray, stop: Stop) -> None:
        """Round a relaxation to columns of the core that are enough."""
        self.offer(dive(self.incidence, core, relaxation, stop, self.people, self.needed))
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
        options = self.search.options
        if self.finished() or not options.repair:
            return
        repair = Repair(self.incidence, self.core(self._heavy(len(self.best) - 1)), self.best, options.seed)

        def improved() -> None:
            self.offer(repair.chosen)
            self.report("repair")

        repair.run(self.bound, self.search.stop, min(failures, options.max_failures), improved)
        self.search.counters["repairs"] += repair.repairs

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all columns that a cover of the size of the bound can use, unless they are too many."""
        options, target, rows = self.search.options, self.bound, self.needed
        columns = self._heavy(target)
        few = min(options.max_columns, EXACT_COLUMNS)
        if not options.exact or rows > MOST_EXACT_ROWS or len(columns) > few:
            return None
        part, _ = self.incidence.part(columns, self.incidence.reachable)
        groups = [part.group(column).astype(np.int64) for column in range(part.n_columns)]
        found = cover_within(groups, rows, target, self.search.stop, max_nodes)
        self.search.counters["set cover nodes"] += found.nodes
        if found.chosen is not None:
            chosen = columns[np.array(found.chosen, dtype=np.int64)]
            self.missing = chosen[chosen >= self.usable]
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

    def answer(self) -> PeopleAnswer:
        """What was found and proved."""
        covered, wanted = int(self.people[self.incidence.covered_by(self.best)].sum()), self.missing
        if not len(wanted) and self.bound < len(self.best):
            heavy = self._heavy(len(self.best) - 1)
            wanted = heavy[heavy >= self.usable]
            wanted = wanted[np.argsort(-self.weights.loads[wanted], kind="stable")]
        return PeopleAnswer(np.sort(self.best), covered, self.bound, self.weights, self.proof, wanted)


class _Share(_Cover):
    """So many people, or all who can be covered, by searches for the most with some number of columns."""

    def __init__(
        self, table: ColumnTable, search: Search, start: IntArray, people: IntArray, needed: int
    ) -> None:
        super().__init__(table, search, None, len(table))
        self.people = people
        self.budget = BudgetSearch(self.incidence, people, search)
        self.needed = min(needed, self.budget.reachable)
        self.best = self._shortened(self.budget.order)
        self.offer(start)
        self.bound, self.weights = min(1, self.needed), self.budget.weights
        self.raise_bound()

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are fewer and cover enough."""
        if self.budget.covered(columns) >= self.needed and len(columns) < len(self.best):
            self.best = self._shortened(columns)

    def raise_bound(self) -> None:
        """Read the weights of the budget the other way."""
        found = self.budget.weights.fewest_for(self.people, self.needed)
        if found > self.bound:
            self.bound, self.weights, self.proof = found, self.budget.weights, None

    def lift(self) -> None:
        """Bound the people for as many columns as the bound says, and so on until it stays."""
        k = len(self.best)
        part = self.search.stop.part(RELAXATION_TIME * self.search.stop.remaining())
        for _ in range(MOST_TURNS):
            if self.finished() or part.expired():
                return
            before = self.bound
            self.budget.begin(k)
            self.offer(self.budget.best)
            for _ in self.budget.relax():
                self.raise_bound()
                self.report("relaxation")
                if self.finished() or part.expired():
                    return
            if self.bound in {before, k}:
                return
            k = self.bound

    def round(self) -> None:
        """Round the relaxation to columns that are enough."""
        if self.finished() or not self.search.options.diving:
            return
        self.budget.k = self.bound
        relaxation, stop = self.budget.relaxed(), self.search.stop
        relaxation.advance(STEPS_PER_ROUND // 2, stop)
        core = np.union1d(np.flatnonzero(relaxation.mean_values > 0.01), self.best)
        self.dive(relaxation, core, stop.part(ROUNDING_TIME * stop.remaining()))

    def repair(self, failures: int) -> None:
        """Do without one column after the other; let repairs cover again whom that leaves uncovered."""
        options = self.search.options
        if self.finished() or not options.repair:
            return
        self.budget.k = len(self.best)
        repair = self.budget.repairing(self.best, self.needed)
        while not self.finished():
            repair.drop()
            repair.run(self.needed, self.search.stop, min(failures, options.max_failures))
            if not repair.meets(self.needed):
                break
            self.offer(repair.chosen)
            self.report("repair")
        self.search.counters["repairs"] += repair.repairs

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search completely whether as many columns as the bound says suffice."""
        self.budget.begin(self.bound)
        for _ in self.budget.relax():
            self.raise_bound()
            if self.bound > self.budget.k:  # they do not, as the weights say
                return None if self.finished() else self.search_all(max_nodes)
        found = self.budget.search_for(self.needed, max_nodes)
        if isinstance(found, TreeProof):
            self.bound, self.weights = self.bound + 1, self.budget.weights
        return found

    def _shortened(self, columns: IntArray) -> IntArray:
        """The first columns that together cover enough."""
        entries, begins = entries_of(self.incidence.starts, columns)
        rows, first = np.unique(self.incidence.rows[entries], return_index=True)
        new = np.zeros(len(entries) + 1, dtype=np.int64)
        new[first + 1] = self.people[rows]
        return columns[: int(np.searchsorted(np.cumsum(new)[begins], self.needed))]
