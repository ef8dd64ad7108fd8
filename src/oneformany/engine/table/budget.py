"""The most people that so many columns cover.

Give every row a weight u of at most its number of people m, such that no column weighs more than C. Then k
columns cover at most ``k C + sum(m - u)`` people. The weights come from first-order steps towards the optimum
of the relaxation; the columns from greedy, swaps, and exact programs over what a better choice can use.
"""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, weighed
from oneformany.engine.cover.greedy import greedy, swap_columns
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.program import best_columns, budgeted
from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES, integer_weights
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.choice import ColumnChoice
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.problem.problem import LARGEST_SUM
from oneformany.schedule import SCHEDULE
from oneformany.stop import Stop

PEOPLE_STEPS = 100  # between two looks at what is proved: an exact pass costs as much as some steps
PEOPLE_GAIN = 1e-6  # of a round, relative: with less, more rounds change nothing
EXCHANGES = 50  # of exchanges: they end by themselves, after a few
SEARCH_ENTRIES = 100_000  # that a complete search takes on: its programs stay below a second
# Of greatest load that join the program beside those that the relaxation uses, or five for each wanted
FEWEST_COLUMNS = 300
PROGRAM_ENTRIES = 200_000  # that HiGHS settles, or improves on, within its seconds


def solve_budget(
    table: ColumnTable, people: IntArray, k: int, search: Search | None = None, start: IntArray | None = None
) -> Standing:
    """Choose at most ``k`` columns that cover as many people as possible, from some that are known."""
    budget = BudgetSearch(table, table.incidence, people, k, search or Search(), start)
    budget.exchange()
    budget.lower()
    budget.improve(max(FEWEST_COLUMNS, 5 * k))
    budget.settle(budget.search.options.max_nodes)
    budget.repair()
    best = np.sort(budget.best)
    return Standing(table, best, *budget.standing(), budget.weights, budget.proof, best[:0])


def search_people(choice: ColumnChoice, k: int, target: int, max_nodes: int) -> IntArray | TreeProof | None:
    """Search all columns that can be among ``k`` that cover so many people, unless they are too many."""
    columns, options, worth = choice.reaching(k, target), choice.search.options, choice.worth
    entries = int(choice.incidence.sizes[columns].sum())
    large = entries > SEARCH_ENTRIES or int(worth.sum()) * ONE_IN_COVERS >= LARGEST_SUM
    if not options.exact or len(columns) > options.max_columns or large:
        choice.too_many()
        return None
    part, kept = choice.incidence.part(columns, choice.incidence.reachable)
    question = BudgetQuestion(part, worth[kept], k, target, choice.search.stop)
    return choice.searched(question, target, columns, kept[:, None].tolist(), max_nodes)


class BudgetSearch(ColumnChoice):
    """The best ``k`` columns; ``order`` is greedy."""

    def __init__(
        self,
        table: ColumnTable,
        incidence: Incidence,
        worth: IntArray,
        k: int,
        search: Search,
        start: IntArray | None = None,
    ) -> None:
        super().__init__(table, incidence, worth, search)
        self.weights = weighed(incidence, worth.astype(np.float64))
        self.order = greedy(incidence, worth)
        self.k, self.best = k, self.order[:k]
        if start is not None and len(start) <= k:
            self.offer(np.asarray(start, dtype=np.int64))

    def standing(self) -> tuple[int, int]:
        """People covered, and at most."""
        most = self.reachable if self.proof is None else self.proof.target - 1
        return self.covered(self.best), min(most, self.reach // ONE_IN_TABLES)

    @property
    def reach(self) -> int:
        """What the weights say how many people so many columns cover, times the scale."""
        return self.weights.reach(self.worth, self.k)

    @property
    def loads(self) -> IntArray:
        """How good each column looks in the relaxation."""
        return self.weights.loads

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they cover more."""
        if self.covered(columns) > self.covered(self.best):
            self.best = np.unique(columns)

    def exchange(self) -> None:
        """Exchange the best columns, or greedy ones that are as good, for better ones."""
        columns = self.order[: self.k]
        self.swap(columns if self.covered(columns) >= self.covered(self.best) else self.best)
        self.report("start")

    def swap(self, columns: IntArray) -> None:
        """Exchange columns one by one while that helps, and offer what comes out."""
        swapped, stop = columns.astype(np.int64), self.search.stop
        swaps = sweeps = EXCHANGES if self.search.options.repair and len(columns) else 0
        while sweeps and swaps and not stop.expired():
            swaps, sweeps = swap_columns(self.incidence, self.worth, swapped), sweeps - 1
            self.search.counters["swaps"] += swaps
        self.offer(swapped)

    def lower(self) -> None:
        """Take first-order steps towards weights that let the columns cover fewer people."""
        self.relaxation = FirstOrder(self.incidence, self.worth, self.k)
        self.relaxation.begin(self.best, self.worth)
        self.relax(self.search.rounds(), PEOPLE_STEPS, PEOPLE_GAIN)

    def learn(self) -> float:
        """Keep weights that let the columns cover fewer people."""
        self.weights = min(
            self.weights, self.relaxation.weights(), key=lambda found: found.reach(self.worth, self.k)
        )
        return -float(self.reach)

    def usable(self) -> IntArray:
        """The columns that something better can use."""
        return self.reaching(self.k, self.covered(self.best) + 1)

    def improve(self, most: int) -> None:
        """Solve a program over the columns that the relaxation uses, and so many others of greatest load."""
        if not self.search.options.repair or self.finished():
            return
        usable = self.usable()
        heaviest = usable[np.argsort(-self.loads[usable], kind="stable")[:most]]
        values = self.relaxation.mean_values
        valued = np.flatnonzero(values > 1e-3)
        columns = np.concatenate((valued[np.argsort(-values[valued], kind="stable")], heaviest))
        within = np.cumsum(self.incidence.sizes[columns]) <= PROGRAM_ENTRIES
        columns = np.union1d(columns[within], self.best)
        part, _ = self.incidence.part(columns, np.ones(self.incidence.n_rows, dtype=np.bool_))
        seconds = SCHEDULE.program.of(self.search.stop).remaining()
        found = best_columns(part, seconds, np.searchsorted(columns, self.best), self.worth, self.k).chosen
        self.search.counters["programs"] += 1
        if found is not None and len(found) <= self.k:
            self.swap(columns[found])
        self.report("program")

    def repair(self) -> None:
        """Improve small parts until that stops helping."""
        if not self.finished() and len(self.best) and self.search.options.repair:
            covered, most = self.standing()
            self.repaired(self.repairing(self.k, covered + 1), most, self.search.patience)
        self.report("repair")

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all usable columns for some that cover more than the best."""
        return search_people(self, self.k, self.covered(self.best) + 1, max_nodes)


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
