"""The fewest columns that cover everybody who can be covered, or so many people.

With weights u of at most the people m of each row, and no column above C, covering P people takes at least
``(P - sum(m - u)) / C`` columns; where everybody counts, ``sum(u) / C``. Greedy first, then a relaxation by
first-order steps whose integer weights prove a bound, then rounding and exact repairs of small parts. Where
so few columns can be part of anything better that all can be searched, that settles it.
"""

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.greedy import greedy, without_superfluous
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.local_search import LocalSearch
from oneformany.engine.cover.primal import Repair, dive
from oneformany.engine.cover.set_cover import CoverQuestion
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.budget import search_people
from oneformany.engine.table.choice import TableSearch, WorthyRows, core_of
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable

# Between two looks at what is proved: more than for people, as bounds move in whole columns
COVER_STEPS = 250
WALKED = 0.03  # of the capacity, that columns of a local search may lack: steps are quicker among few
MOST_EXACT_ROWS = 2_000  # that a complete search takes on: with more, a node takes seconds
EXACT_COLUMNS = 3_000  # that a complete search takes on, however many the options allow
FEW_FAILURES = 15  # of repairs, before it is first tried to prove what there is
FEW_NODES = 300  # of the first complete search
FEW_NODES_TIMES_ROWS = 50_000  # the same where rows are many: a node takes longer then


def solve_cover(
    table: ColumnTable,
    search: Search | None = None,
    start: IntArray | None = None,
    usable: int | None = None,
    duals: FloatArray | None = None,
) -> Standing:
    """Choose as few columns as possible that together hold every row that any column holds.

    The start is a cover that is known; ``duals`` may be known, too. Where only so many columns, from the
    first on, are ``usable``, these cover what all do; the others may not be chosen and count for the bound
    alone. A proof is a tree of :class:`~oneformany.engine.cover.set_cover.CoverQuestion` over the rows that
    any column holds.
    """
    search, everybody = search or Search(), table.incidence.reachable.astype(np.int64)
    options = search.options
    cover = FewestColumns(table, everybody, int(everybody.sum()), search, start, usable, duals)
    cover.run.report("start")
    cover.lift(1e-3)
    cover.round()
    cover.lift(1e-6)
    cover.round()
    cover.walk(200)
    few_nodes = min(FEW_NODES, FEW_NODES_TIMES_ROWS // max(1, table.n_rows))
    cover.run.settle(min(few_nodes, options.max_nodes))
    cover.repair(FEW_FAILURES)
    cover.run.settle(options.max_nodes)
    cover.walk(2_000)
    cover.repair(options.max_failures)
    cover.run.settle(options.max_nodes)
    return cover.answer()


def solve_coverage(
    table: ColumnTable,
    people: IntArray,
    needed: int,
    search: Search | None = None,
    start: IntArray | None = None,
) -> Standing:
    """As few columns as possible for so many people, or all who can be covered, from some that are known."""
    search = search or Search()
    share = FewestColumns(table, people, needed, search, start, shared=True)
    share.run.report("start")
    share.lift(1e-6)
    share.round()
    share.shorten(FEW_FAILURES)
    share.run.settle(search.options.max_nodes)
    share.shorten(search.patience)
    share.run.settle(search.options.max_nodes)
    return share.answer()


class FewestColumns:
    """The fewest columns for so many people; only the first so many columns are ``usable``.

    ``shared``: somebody may be left out, and rows count their people.
    """

    def __init__(
        self,
        table: ColumnTable,
        people: IntArray,
        needed: int,
        search: Search,
        start: IntArray | None,
        usable: int | None = None,
        duals: FloatArray | None = None,
        *,
        shared: bool = False,
    ) -> None:
        self.table, self.incidence, self.search, self.shared = table, table.incidence, search, shared
        self.rows = WorthyRows(table, table.incidence, people, search)
        self.proof: TreeProof | None = None
        self.usable = len(table) if usable is None else usable
        self.needed = min(needed, self.rows.reachable)
        self.spare = int(people.sum()) - self.needed
        part = self.incidence
        if self.usable < len(table):
            part, _ = part.part(np.arange(self.usable), np.ones(table.n_rows, dtype=np.bool_))
        self.best = self._shortened(without_superfluous(part, greedy(part, people)))
        self.missing = self.best[:0]
        if start is not None:
            self.offer(np.asarray(start, dtype=np.int64))
        self.relaxation = FirstOrder(self.incidence, people, spare=self.spare, duals=duals)
        self.weights = self.relaxation.weights()
        self.bound = max(min(1, self.needed), self.weights.fewest(self.spare))

    @property
    def run(self) -> TableSearch:
        """Steps and searches; nothing holds on to them, so that large arrays are given back at once."""
        return TableSearch(self, self.search)

    @property
    def value(self) -> int:
        """How many columns."""
        return len(self.best)

    @property
    def closed(self) -> bool:
        """Whether fewer columns include some that may not be chosen."""
        return len(self.missing) > 0

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are fewer, cover enough, and may be chosen."""
        allowed = columns.max(initial=-1) < self.usable
        if allowed and len(columns) < len(self.best) and self.rows.covered(columns) >= self.needed:
            self.best = self._shortened(columns)

    def _shortened(self, columns: IntArray) -> IntArray:
        """The first columns that together cover enough."""
        entries, begins = entries_of(self.incidence.starts, columns)
        rows, first = np.unique(self.incidence.rows[entries], return_index=True)
        new = np.zeros(len(entries) + 1, dtype=np.int64)
        new[first + 1] = self.rows.worth[rows]
        return columns[: int(np.searchsorted(np.cumsum(new)[begins], self.needed))]

    def learn(self) -> float:
        """Keep weights that take more columns."""
        found = self.relaxation.weights()
        if found.ratio(self.spare) > self.weights.ratio(self.spare):
            self.weights, self.bound = found, max(self.bound, found.fewest(self.spare))
        return self.weights.ratio(self.spare)

    def exclude(self, proof: TreeProof) -> None:
        """Keep the proof that as few columns as the bound said do not suffice."""
        self.proof, self.bound = proof, self.bound + 1

    def exhausted(self) -> bool:
        """Whether parts of columns, with what they lack counted in full, are as few as the bound."""
        values = self.relaxation.mean_values
        covered = float((np.minimum(1.0, self.incidence.matrix @ values) * self.rows.worth).sum())
        return bool(np.ceil(values.sum() + max(0.0, self.needed - covered) - 1e-4) <= self.bound)

    def lift(self, gain: float) -> None:
        """Take first-order steps until a round gains less than that."""
        self.run.relax(self.relaxation, self.search.rounds(), COVER_STEPS, gain)

    def round(self) -> None:
        """Round the relaxation to columns that are enough."""
        if self.run.finished() or not self.search.options.diving:
            return
        core = np.union1d(core_of(self.weights, np.arange(self.usable)), self.best)
        self.offer(dive(self.relaxation, core, self.search.stop))
        self.search.counters["dives"] += 1
        self.run.report("rounding")

    def walk(self, steps: int) -> None:
        """Improve the cover by many small moves, so many for each row, among the columns that look best."""
        if self.run.finished() or not self.search.options.local_search:
            return
        lack = WALKED if self.usable == self.incidence.n_columns else 1.0  # others may outweigh all of these
        columns = np.union1d(core_of(self.weights, np.arange(self.usable), lack), self.best)
        part, kept = self.incidence.part(columns, self.incidence.reachable)
        local = LocalSearch(part, np.zeros(len(kept)), np.searchsorted(columns, self.best), self.search.seed)
        self.offer(columns[local.run(self.bound, steps * len(kept), self.search.stop)])
        self.search.counters["local search steps"] += local.steps
        self.run.report("local search")

    def repair(self, failures: int) -> None:
        """Improve small parts until that stops helping."""
        options = self.search.options
        if self.run.finished() or not options.repair:
            return
        core = core_of(self.weights, self.rows.reaching(self.weights, len(self.best) - 1, self.needed))
        repair = Repair(self.incidence, core[core < self.usable], self.best, self.search.seed)
        self.run.repair(repair, self.bound, failures)

    def shorten(self, failures: int) -> None:
        """Do without one column after the other; let repairs cover again whom that leaves uncovered."""
        if self.run.finished() or not self.search.options.repair:
            return
        core = core_of(self.weights, self.rows.reaching(self.weights, len(self.best), self.needed))
        repair = Repair(self.incidence, core, self.best, self.search.seed, self.rows.worth)
        helps = True
        while helps and not self.run.finished():
            repair.drop()
            helps = self.run.repair(repair, self.needed, failures)
            self.offer(repair.chosen)
            self.run.report("repair")

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all columns that columns as few as the bound can be among, unless they are too many."""
        found = self.search_few(max_nodes)
        if found is not None and not isinstance(found, TreeProof):
            self.missing = found[found >= self.usable]
        return found

    def search_few(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search for so few columns; the tree of a cover is over the rows that any holds, numbered anew."""
        if self.shared:
            return search_people(self.rows, self.weights, self.bound, self.needed, max_nodes)
        options, columns = self.search.options, self.rows.reaching(self.weights, self.bound, self.needed)
        few = min(options.max_columns, EXACT_COLUMNS)
        if not options.exact or self.needed > MOST_EXACT_ROWS or len(columns) > few:
            self.rows.too_many()
            return None
        part, _ = self.incidence.part(columns, self.incidence.reachable)
        groups = [part.group(column).astype(np.int64) for column in range(part.n_columns)]
        question = CoverQuestion(groups, self.needed, self.bound, self.search.stop)
        return self.rows.searched(question, self.bound, columns, None, max_nodes)

    def answer(self) -> Standing:
        """What was found and proved."""
        wanted = self.missing
        if not len(wanted) and self.bound < len(self.best):
            heavy = self.rows.reaching(self.weights, len(self.best) - 1, self.needed)
            wanted = heavy[heavy >= self.usable]
            wanted = wanted[np.argsort(-self.weights.loads[wanted], kind="stable")]
        best = np.sort(self.best)
        covered = self.rows.covered(best)
        return Standing(self.table, best, covered, self.bound, self.weights, self.proof, wanted)
