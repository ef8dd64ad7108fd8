"""The most people that so many columns cover, and the fewest columns that cover so many people.

One bound, read both ways: give every row a weight u of at most its number of people m, such that no column
weighs more than C. Then k columns cover at most ``k C + sum(m - u)`` people, and covering P people takes at
least ``(P - sum(m - u)) / C`` columns. The weights come from first-order steps towards the optimum of the
relaxation; the columns from greedy, swaps, and exact programs over the columns that a better choice can use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.duals import Weights
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.engine.table.budget_search import RELAXATION_TIME, BudgetSearch
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.engine.table.tree import TreeProof

MOST_TURNS = 6
FEW_FAILURES = 15


@dataclass(frozen=True, eq=False)
class PeopleAnswer:
    """Columns, the people that they cover, and what is proved.

    Attributes
    ----------
    chosen : array of int
        The columns.
    covered : int
        People that they cover.
    bound : int
        Of a budget: no so many columns of the table cover more people. Of a share: no fewer columns cover as
        many people as were asked for, or as can be covered at all.
    weights : Weights
        At most ``ONE_IN_TABLES`` times the people of each row; with a proof, they exclude all columns that it
        does not name.
    proof : TreeProof or None
        Where the bound is better than what the weights say: why.
    """

    chosen: IntArray
    covered: int
    bound: int
    weights: Weights
    proof: TreeProof | None


def solve_budget(
    table: ColumnTable,
    people: IntArray,
    k: int,
    search: Search | None = None,
    start: IntArray | None = None,
) -> PeopleAnswer:
    """Choose at most ``k`` columns that together cover as many people as possible.

    Parameters
    ----------
    table : ColumnTable
        The columns; the bound is about these.
    people : array of int
        How many people each row stands for.
    k : int
        Most columns.
    search : Search or None
        When to end with what there is, switches, and who is told about people covered, and at most.
    start : array of int or None
        Columns that are known to be good.
    """
    search = search or Search()
    budget = BudgetSearch(table.incidence, people, search)
    budget.begin(k, start)
    proof: TreeProof | None = None
    most = int(people[budget.incidence.reachable].sum())

    def bound() -> int:
        return min(most, budget.weights.reach(people, k) // ONE_IN_TABLES)

    def report(phase: str) -> None:
        search.report(phase, budget.covered(budget.best), bound())

    def finished() -> bool:
        return budget.covered(budget.best) >= bound() or search.stop.expired()

    report("start")
    for _ in budget.relax(k):
        report("relaxation")
        if finished():
            break
    if not finished():
        budget.improve(k)
        report("program")
    while not finished():
        found = budget.settle(k, budget.covered(budget.best) + 1)
        if found is None:
            break
        if isinstance(found, TreeProof):
            proof, most = found, found.target - 1
        else:
            budget.offer(found)
        report("search")
    budget.repair(bound(), search.options.max_failures)
    report("repair")
    covered = budget.covered(budget.best)
    return PeopleAnswer(np.sort(budget.best), covered, max(covered, bound()), budget.weights, proof)


def solve_coverage(
    table: ColumnTable,
    people: IntArray,
    needed: int,
    search: Search | None = None,
    start: IntArray | None = None,
) -> PeopleAnswer:
    """Choose as few columns as possible that together cover so many people, or all who can be covered.

    The other parameters are those of :func:`solve_budget`; progress is told in columns.
    """
    search = search or Search()
    budget = BudgetSearch(table.incidence, people, search)
    coverage = _Coverage(budget, min(needed, int(people[budget.incidence.reachable].sum())), start)
    coverage.report("start")
    coverage.relax()
    coverage.round()
    coverage.relax()
    coverage.repair(min(FEW_FAILURES, search.options.max_failures))
    coverage.search_between()
    coverage.settle()
    coverage.repair(search.options.max_failures)
    coverage.settle()
    return PeopleAnswer(
        np.sort(coverage.best),
        budget.covered(coverage.best),
        min(coverage.bound, len(coverage.best)),
        coverage.weights,
        coverage.proof,
    )


class _Coverage:
    """One call of ``solve_coverage`` under way."""

    def __init__(self, budget: BudgetSearch, needed: int, start: IntArray | None) -> None:
        self.budget = budget
        self.needed = needed
        self.search = budget.search
        self.best = self._shortened(budget.order)
        if start is not None and budget.covered(start) >= needed:
            self.offer(np.asarray(start, dtype=np.int64))
        self.weights: Weights = budget.weights
        self.proof: TreeProof | None = None
        self.bound = 1 if needed > 0 else 0
        self.raise_bound()

    def finished(self) -> bool:
        return self.bound >= len(self.best) or self.search.stop.expired()

    def report(self, phase: str) -> None:
        self.search.report(phase, len(self.best), self.bound)

    def offer(self, columns: IntArray) -> None:
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
            self.try_columns(k)
            for _ in self.budget.relax(k):
                self.raise_bound()
                self.report("relaxation")
                if self.finished() or part.expired():
                    return
            if self.bound in {before, k}:
                return
            k = self.bound

    def round(self) -> None:
        """Round the relaxation to columns that are enough."""
        if self.finished():
            return
        found = self.budget.rounded(self.bound, self.best, self.needed)
        if found is not None:
            self.offer(found)
            self.report("rounding")

    def repair(self, failures: int) -> None:
        """Do without one column after the other; let repairs cover again whom that leaves uncovered."""
        if self.finished() or not self.search.options.repair:
            return
        repair = self.budget.repairing(self.best, self.needed)
        while not self.finished():
            repair.drop()
            repair.run(self.needed, self.search.stop, failures)
            if not repair.meets(self.needed):
                break
            self.offer(repair.chosen)
            self.report("repair")
        self.search.counters["repairs"] += repair.repairs

    def try_columns(self, k: int) -> None:
        """Let a budget of ``k`` columns begin; take what it begins with if that is enough."""
        self.budget.begin(k)
        self.offer(self.budget.best)

    def relax_for(self, k: int) -> None:
        """Bound the people for so many columns, unless more are needed."""
        for _ in self.budget.relax(k):
            self.raise_bound()
            if self.bound > k:
                return

    def search_between(self) -> None:
        """Try numbers of columns between the bound and the best."""
        low = self.bound
        while low < len(self.best) and not self.finished():
            k = (low + len(self.best)) // 2
            self.try_columns(k)
            if k < len(self.best) and not self.search.stop.expired():
                self.relax_for(k)
                self.budget.improve(k)
                self.offer(self.budget.best)
            if len(self.best) > k:
                low = k + 1
            self.report("program")

    def settle(self) -> None:
        """Search completely whether as many columns as the bound says suffice."""
        while not self.finished():
            k = self.bound
            self.budget.begin(k)
            self.relax_for(k)
            if self.bound > k:
                continue
            found = self.budget.settle(k, self.needed)
            if found is None:
                return
            if isinstance(found, TreeProof):
                self.bound, self.weights, self.proof = k + 1, self.budget.weights, found
            else:
                self.offer(found)
            self.report("search")

    def _shortened(self, columns: IntArray) -> IntArray:
        """The first columns that together cover enough."""
        covered = np.zeros(self.budget.incidence.n_rows, dtype=np.bool_)
        reached = 0
        for index, column in enumerate(columns.tolist()):
            if reached >= self.needed:
                return np.asarray(columns[:index])
            group = self.budget.incidence.group(column)
            reached += int(self.budget.people[group[~covered[group]]].sum())
            covered[group] = True
        return np.asarray(columns)
