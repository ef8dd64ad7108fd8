"""The most people that so many columns cover.

Give every row a weight u of at most its number of people m, such that no column weighs more than C. Then k
columns cover at most ``k C + sum(m - u)`` people. The weights come from first-order steps towards the optimum
of the relaxation; the columns from greedy, swaps, and exact programs over what a better choice can use.
"""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import FirstOrder, RowWeights, weighed
from oneformany.engine.cover.greedy import greedy
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.primal import Repair
from oneformany.engine.cover.program import budgeted
from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES, integer_weights
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.table.choice import TableSearch, WorthyRows, core_of
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.problem.problem import LARGEST_SUM
from oneformany.stop import Stop

PEOPLE_STEPS = 100  # between two looks at what is proved: an exact pass costs as much as some steps
PEOPLE_GAIN = 1e-6  # of a round, relative: with less, more rounds change nothing
SEARCH_ENTRIES = 100_000  # that a complete search takes on: its programs stay below a second
FEWEST_COLUMNS = 300  # of greatest load in a program beside those of the relaxation, or five for each wanted


def solve_budget(
    table: ColumnTable, people: IntArray, k: int, search: Search | None = None, start: IntArray | None = None
) -> Standing:
    """Choose at most ``k`` columns that cover as many people as possible, from some that are known."""
    most = MostPeople(table, people, k, search or Search(), start)
    most.exchange()
    most.lower()
    most.improve(max(FEWEST_COLUMNS, 5 * k))
    most.run.settle(most.rows.search.options.max_nodes)
    most.repair()
    best = np.sort(most.best)
    return Standing(table, best, most.value, most.bound, most.weights, most.proof, best[:0])


def search_people(
    rows: WorthyRows, weights: RowWeights, k: int, target: int, max_nodes: int
) -> IntArray | TreeProof | None:
    """Search all columns that can be among ``k`` that cover so many people, unless they are too many."""
    columns, options, worth = rows.reaching(weights, k, target), rows.search.options, rows.worth
    entries = int(rows.incidence.sizes[columns].sum())
    large = entries > SEARCH_ENTRIES or int(worth.sum()) * ONE_IN_COVERS >= LARGEST_SUM
    if not options.exact or len(columns) > options.max_columns or large:
        rows.too_many()
        return None
    part, kept = rows.incidence.part(columns, rows.incidence.reachable)
    question = BudgetQuestion(part, worth[kept], k, target, rows.search.stop)
    return rows.searched(question, target, columns, kept[:, None].tolist(), max_nodes)


class MostPeople:
    """The best ``k`` columns, and the weights that say how many people no others cover more than."""

    closed = False

    def __init__(
        self, table: ColumnTable, people: IntArray, k: int, search: Search, start: IntArray | None = None
    ) -> None:
        self.rows = WorthyRows(table, table.incidence, people, search)
        self.proof: TreeProof | None = None
        self.weights = weighed(table.incidence, people.astype(np.float64))
        self.k, self.best = k, greedy(table.incidence, people)[:k]
        self._greedy = self.best
        if start is not None and len(start) <= k:
            self.offer(np.asarray(start, dtype=np.int64))

    @property
    def run(self) -> TableSearch:
        """Steps and searches; nothing holds on to them, so that large arrays are given back at once."""
        return TableSearch(self, self.rows.search)

    @property
    def value(self) -> int:
        """People covered."""
        return self.rows.covered(self.best)

    @property
    def bound(self) -> int:
        """The people that no so many columns cover more than."""
        most = self.rows.reachable if self.proof is None else self.proof.target - 1
        return min(most, self._reach // ONE_IN_TABLES)

    @property
    def _reach(self) -> int:
        """What the weights say how many people so many columns cover, times the scale."""
        return self.weights.reach(self.rows.worth, self.k)

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they cover more."""
        if self.rows.covered(columns) > self.value:
            self.best = np.unique(columns)

    def exchange(self) -> None:
        """Exchange the best columns, or greedy ones that are as good, for better ones."""
        begin = self._greedy if self.rows.covered(self._greedy) >= self.value else self.best
        self.offer(self.rows.exchanged(begin))
        self.run.report("start")

    def lower(self) -> None:
        """Take first-order steps towards weights that let the columns cover fewer people."""
        people = self.rows.worth
        self.relaxation = FirstOrder(self.rows.incidence, people, self.k)
        self.relaxation.begin(self.best, people)
        self.run.relax(self.relaxation, self.rows.search.rounds(), PEOPLE_STEPS, PEOPLE_GAIN)

    def learn(self) -> float:
        """Keep weights that let the columns cover fewer people."""
        found = self.relaxation.weights()
        if found.reach(self.rows.worth, self.k) < self._reach:
            self.weights = found
        return -float(self._reach)

    def exclude(self, proof: TreeProof) -> None:
        """Keep the proof that nothing is better than a target."""
        self.proof = proof

    def exhausted(self) -> bool:
        """Not known."""
        return False

    def improve(self, most: int) -> None:
        """Solve a program over the columns that the relaxation uses, and so many others of greatest load."""
        if not self.rows.search.options.repair or self.run.finished():
            return
        usable = self.rows.reaching(self.weights, self.k, self.value + 1)
        heaviest = usable[np.argsort(-self.weights.loads[usable], kind="stable")[:most]]
        found = self.rows.programmed(self.best, self.k, heaviest, self.relaxation.mean_values)
        if found is not None:
            self.offer(self.rows.exchanged(found))
        self.run.report("program")

    def repair(self) -> None:
        """Improve small parts until that stops helping."""
        search = self.rows.search
        if not self.run.finished() and len(self.best) and search.options.repair:
            core = core_of(self.weights, self.rows.reaching(self.weights, self.k, self.value + 1))
            repair = Repair(self.rows.incidence, core, self.best, search.seed, self.rows.worth)
            self.run.repair(repair, self.bound, search.patience)
        self.run.report("repair")

    def search_all(self, max_nodes: int) -> IntArray | TreeProof | None:
        """Search all usable columns for some that cover more than the best."""
        return search_people(self.rows, self.weights, self.k, self.value + 1, max_nodes)


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
