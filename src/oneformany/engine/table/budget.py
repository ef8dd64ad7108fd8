"""The most people that so many columns cover, and the fewest columns that cover so many people.

One bound, read both ways: give every row a weight u of at most its number of people m, such that no column
weighs more than C. Then k columns cover at most ``k C + sum(m - u)`` people, and covering P people takes at
least ``(P - sum(m - u)) / C`` columns. The weights come from first-order steps towards the optimum of the
relaxation; the columns from greedy, swaps, and exact programs over the columns that a better choice can use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder, Weights, weighed
from oneformany.engine.cover.greedy import greedy, swap_columns
from oneformany.engine.cover.incidence import Incidence, entries_of
from oneformany.engine.cover.primal import Repair, dive
from oneformany.engine.cover.program import best_columns, budgeted
from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES, integer_weights
from oneformany.engine.table.choice import ColumnChoice, TreeProof
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.stop import Stop

STEPS_PER_ROUND = 100
GAIN = 1e-6
RELAXATION_TIME = 0.4
ROUNDING_TIME = 0.5
CORE = 0.3
LEAST_VALUE = 0.01
SWEEPS = 50
MOST_ENTRIES = 100_000
FEWEST_COLUMNS = 300
PROGRAM_SECONDS = 20.0
PROGRAM_ENTRIES = 200_000
MOST_TURNS = 6
FEW_FAILURES = 15


@dataclass(frozen=True, eq=False)
class PeopleAnswer:
    """Columns, the people that they cover, and what is proved.

    The ``bound`` of a budget: no so many columns of the table cover more people. Of a share: no fewer columns
    cover as many people as were asked for, or as can be covered at all. The weights say why, or, where it is
    better than that, the proof; then the weights exclude all columns that the proof does not name.
    """

    chosen: IntArray
    covered: int
    bound: int
    weights: Weights
    proof: TreeProof | None


def solve_budget(
    table: ColumnTable, people: IntArray, k: int, search: Search | None = None, start: IntArray | None = None
) -> PeopleAnswer:
    """Choose at most ``k`` columns that together cover as many people, of those in each row, as possible.

    The start are columns that are known to be good; progress is told in people covered, and at most.
    """
    budget = BudgetSearch(table.incidence, people, search or Search())
    budget.begin(k, start)
    budget.report("start")
    for _ in budget.relax():
        budget.report("relaxation")
        if budget.finished():
            break
    if not budget.finished():
        budget.improve()
        budget.report("program")
    budget.settle(budget.search.options.max_nodes)
    budget.repair()
    budget.report("repair")
    return PeopleAnswer(np.sort(budget.best), *budget.standing(), budget.weights, budget.proof)


def solve_coverage(
    table: ColumnTable,
    people: IntArray,
    needed: int,
    search: Search | None = None,
    start: IntArray | None = None,
) -> PeopleAnswer:
    """Choose as few columns as possible that together cover so many people, or all who can be covered.

    All else is as for :func:`solve_budget`; progress is told in columns.
    """
    search = search or Search()
    budget = BudgetSearch(table.incidence, people, search)
    coverage = _Coverage(budget, min(needed, budget.reachable), start)
    coverage.report("start")
    coverage.relax()
    coverage.round()
    coverage.relax()
    coverage.repair(FEW_FAILURES)
    coverage.settle(search.options.max_nodes)
    coverage.repair(search.patience)
    coverage.settle(search.options.max_nodes)
    covered = budget.covered(coverage.best)
    return PeopleAnswer(np.sort(coverage.best), covered, coverage.bound, coverage.weights, coverage.proof)


class BudgetSearch(ColumnChoice):
    """Columns, weights and bounds for one number ``k`` of columns after another.

    ``order`` holds columns that cover everybody who can be covered, greedily.
    """

    def __init__(self, incidence: Incidence, people: IntArray, search: Search) -> None:
        super().__init__(search)
        self.incidence, self.people = incidence, people
        self.reachable = int(people[incidence.reachable].sum())
        self.weights: Weights = weighed(incidence, people.astype(np.float64))
        self.order = greedy(incidence, people)
        self._relaxation: FirstOrder | None = None
        self.begin(0)

    def covered(self, columns: IntArray) -> int:
        """People that these columns cover."""
        return int(self.people[self.incidence.covered_by(columns)].sum())

    def standing(self) -> tuple[int, int]:
        """People covered, and at most."""
        most = self.reachable if self.proof is None else self.proof.target - 1
        return self.covered(self.best), min(most, self.reach // ONE_IN_TABLES)

    @property
    def reach(self) -> int:
        """What the weights say how many people so many columns cover, times the scale."""
        return self.weights.reach(self.people, self.k)

    def begin(self, k: int, start: IntArray | None = None) -> None:
        """Choose ``k`` columns greedily, or start from some that are known."""
        self.k, self.proof = k, None
        self.best = self.order[:k]
        if start is not None and len(start) <= k and self.covered(start) > self.covered(self.best):
            self.best = np.asarray(start, dtype=np.int64)
        if self.search.options.repair and len(self.best):
            self._swap(self.best)

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they cover more."""
        if self.covered(columns) > self.covered(self.best):
            self.best = np.unique(columns)

    def relax(self) -> Iterator[None]:
        """Take first-order steps, round by round, until one gains next to nothing."""
        relaxation = self.relaxed()
        for number in self.search.rounds(RELAXATION_TIME):
            relaxation.advance(STEPS_PER_ROUND, self.search.stop)
            before = self.reach
            found = relaxation.weights()
            if found.reach(self.people, self.k) < before:
                self.weights = found
            yield
            if number > 3 and self.reach > before - GAIN * abs(before):
                return

    def usable(self, target: int) -> IntArray:
        """The columns that so many columns with so many people can be among."""
        if not self.search.options.fixing:
            return np.arange(self.incidence.n_columns)
        slack = self.reach - target * ONE_IN_TABLES
        usable = np.flatnonzero(self.weights.loads >= self.weights.capacity - slack)
        self.search.counters["columns left out"] = self.incidence.n_columns - len(usable)
        return usable

    def improve(self) -> None:
        """Solve a program over the columns of greatest value and load."""
        if not self.search.options.repair or self.search.stop.expired() or self._relaxation is None:
            return
        usable = self.usable(self.covered(self.best) + 1)
        heaviest = np.argsort(-self.weights.loads[usable], kind="stable")[: max(FEWEST_COLUMNS, 5 * self.k)]
        values = self._relaxation.mean_values
        found = self.programmed(values, usable[heaviest], self.best, PROGRAM_SECONDS)
        if found is not None and len(found) <= self.k:
            self._swap(found)

    def repairing(self, start: IntArray, target: int) -> Repair:
        """Repairs over the columns of small reduced cost that columns with so many people can be among."""
        usable = self.usable(target)
        core = usable[self.weights.loads[usable] >= (1.0 - CORE) * self.weights.capacity]
        return Repair(self.incidence, core, start, self.search.options.seed, self.people)

    def repair(self) -> None:
        """Improve small parts until that stops helping."""
        if self.finished() or not len(self.best) or not self.search.options.repair:
            return
        covered, most = self.standing()
        repair = self.repairing(self.best, covered + 1)
        repair.run(most, self.search.stop, self.search.patience)
        self.search.counters["repairs"] += repair.repairs
        self.offer(repair.chosen)

    def programmed(
        self, values: FloatArray, others: IntArray, start: IntArray, seconds: float
    ) -> IntArray | None:
        """The best of the columns that have a value, of some others, and of those at the start."""
        valued = np.flatnonzero(values > 1e-3)
        valued = valued[np.argsort(-values[valued], kind="stable")]
        columns = np.concatenate((valued, others))
        within = np.cumsum(self.incidence.sizes[columns]) <= PROGRAM_ENTRIES
        columns = np.union1d(columns[within], start)
        part, _ = self.incidence.part(columns, np.ones(self.incidence.n_rows, dtype=np.bool_))
        seconds = min(seconds, 0.8 * self.search.stop.remaining())
        found = best_columns(part, seconds, np.searchsorted(columns, start), self.people, self.k).chosen
        self.search.counters["programs"] += 1
        return None if found is None else columns[found]

    def search_all(self, max_nodes: int, target: int | None = None) -> IntArray | TreeProof | None:
        """Search all usable columns for some that cover so many people, or more than the best."""
        target = self.covered(self.best) + 1 if target is None else target
        columns = self.usable(target)
        options = self.search.options
        part, kept = self.incidence.part(columns, self.incidence.reachable)
        if not options.exact or len(columns) > options.max_columns or len(part.rows) > MOST_ENTRIES:
            return None
        question = BudgetQuestion(part, self.people[kept], self.k, target, self.search.stop)
        return self.searched(question, target, columns, kept[:, None].tolist(), max_nodes)

    def _swap(self, columns: IntArray) -> None:
        """Exchange columns one by one while that helps, and offer what comes out."""
        swapped = columns.astype(np.int64)
        for _ in range(SWEEPS):
            expired = self.search.stop.expired()
            swaps = 0 if expired else swap_columns(self.incidence, self.people, swapped)
            self.search.counters["swaps"] += swaps
            if not swaps:
                break
        self.offer(swapped)

    def relaxed(self) -> FirstOrder:
        """The relaxation, from where the last one stopped."""
        people = self.people.astype(np.float64)
        found, last = FirstOrder(self.incidence, people, self.k), self._relaxation
        if last is None:
            found.duals = np.where(self.incidence.reachable, people / 2.0, 0.0)
            found.price = float(self.covered(self.best) - self.covered(self.best[:-1]))
            found.balance = float(np.sqrt(max(1, self.k) / (people**2).sum()))
            found.values[self.best] = 1.0
        else:
            found.duals, found.price, found.balance = last.duals, last.price, last.balance
            found.values = last.values * (self.k / max(last.budget, 1.0))
        self._relaxation = found
        return found


class _Coverage(ColumnChoice):
    """One call of ``solve_coverage`` under way; its bound is the fewest columns that it can take."""

    def __init__(self, budget: BudgetSearch, needed: int, start: IntArray | None) -> None:
        super().__init__(budget.search)
        self.budget, self.needed = budget, needed
        self.best = self._shortened(budget.order)
        if start is not None:
            self.offer(np.asarray(start, dtype=np.int64))
        self.weights: Weights = budget.weights
        self.bound = min(1, needed)
        self.raise_bound()

    def standing(self) -> tuple[int, int]:
        """Columns, and at least."""
        return len(self.best), self.bound

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they are fewer and cover enough."""
        if self.budget.covered(columns) >= self.needed and len(columns) < len(self.best):
            self.best = self._shortened(columns)

    def raise_bound(self) -> None:
        """Read the weights the other way."""
        found = self.budget.weights.fewest_for(self.budget.people, self.needed)
        if found > self.bound:
            self.bound, self.weights, self.proof = found, self.budget.weights, None

    def relax(self) -> None:
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
        core = np.union1d(np.flatnonzero(relaxation.mean_values > LEAST_VALUE), self.best)
        part = stop.part(ROUNDING_TIME * stop.remaining())
        self.offer(dive(self.budget.incidence, core, relaxation, part, self.budget.people, self.needed))
        self.search.counters["dives"] += 1
        self.report("rounding")

    def repair(self, failures: int) -> None:
        """Do without one column after the other; let repairs cover again whom that leaves uncovered."""
        if self.finished() or not self.search.options.repair:
            return
        self.budget.k = len(self.best)
        repair = self.budget.repairing(self.best, self.needed)
        while not self.finished():
            repair.drop()
            repair.run(self.needed, self.search.stop, min(failures, self.search.options.max_failures))
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
        found = self.budget.search_all(max_nodes, self.needed)
        if isinstance(found, TreeProof):
            self.bound, self.weights = self.bound + 1, self.budget.weights
        return found

    def _shortened(self, columns: IntArray) -> IntArray:
        """The first columns that together cover enough."""
        incidence = self.budget.incidence
        entries, begins = entries_of(incidence.starts, columns)
        rows, first = np.unique(incidence.rows[entries], return_index=True)
        new = np.zeros(len(entries) + 1, dtype=np.int64)
        new[first + 1] = self.budget.people[rows]
        return columns[: int(np.searchsorted(np.cumsum(new)[begins], self.needed))]


class BudgetQuestion(TreeQuestion):
    """Whether ``budget`` columns cover ``target`` people: the bound above, over uncovered rows."""

    def __init__(self, incidence: Incidence, people: IntArray, budget: int, target: int, stop: Stop) -> None:
        self.incidence, self.people = incidence, people
        self.budget, self.target, self.stop = budget, target, stop
        self.n_columns = incidence.n_columns
        self._program = budgeted(incidence, people, budget)

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they cover so many."""
        return int(self.people[self.incidence.covered_by(columns)].sum()) >= self.target

    def relax(self, node: TreeNode) -> Relaxed:
        """Cover as many of the people left by parts of columns."""
        chosen, usable = node.chosen, node.usable
        left = np.where(self.incidence.covered_by(chosen), 0, self.people)
        lacking = (self.target - int(self.people.sum() - left.sum())) * ONE_IN_COVERS
        n, more = len(left), self.budget - len(chosen)
        self._program.price(left)
        self._program.use(usable)
        self._program.demand(np.append(np.ones(n), -more))
        relaxed = self.solved(self._program)
        weights = np.clip(integer_weights(relaxed.duals[:n], ONE_IN_COVERS), 0, left * ONE_IN_COVERS)
        loads = self.incidence.loads(weights)
        capacity = int(loads[usable].max(initial=0))
        bound = more * capacity + int(left.sum()) * ONE_IN_COVERS - int(weights.sum())
        light = usable & (bound - capacity + loads < lacking)
        return Relaxed(relaxed.values[n:], weights, bound < lacking, light)
