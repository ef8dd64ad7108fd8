"""The fewest columns that cover so many people.

People that no column reaches count among those asked about: the caller turns a share of all people into a
number, and where even all columns together cover fewer, that is the answer, proved by listing who is left.
The bound is the budget's, read the other way: with weights u of at most m people and no column heavier than
C, covering P people takes at least ``(P - sum(m - u)) / C`` columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import IntArray
from oneformany.engine.cover.budget_search import BudgetSearch, Settled
from oneformany.engine.cover.duals import Weights
from oneformany.engine.cover.large_incidence import Incidence
from oneformany.engine.cover.large_options import Search, State, TableOptions, checked_multiplicity
from oneformany.engine.cover.table import ColumnTable
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.stop import Stop

__all__ = ["CoverageAnswer", "solve_coverage"]

MOST_TURNS = 6


@dataclass(frozen=True, eq=False)
class CoverageAnswer:
    """Columns that cover at least so many people, and how many it takes at least.

    Attributes
    ----------
    possible : bool
        Whether all columns together cover the needed people. If not, ``chosen`` covers all who can be
        covered, and ``bound`` is about that.
    chosen : array of int
        Columns that cover them.
    covered : int
        People that they cover.
    needed : int
        People to be covered.
    bound : int
        No fewer columns of this table cover so many.
    weights : (n_rows,) array of int
        Weight of each row, at most ``scale`` times its people.
    capacity : int
        No column weighs more.
    scale : int
        What one person counts in ``weights`` and ``capacity``.
    proof : Settled or None
        Where the bound is higher than what the weights say: why.
    counters : mapping
        Rounds, swaps, programs, columns left out.
    """

    possible: bool
    chosen: IntArray
    covered: int
    needed: int
    bound: int
    weights: IntArray
    capacity: int
    scale: int
    proof: Settled | None
    counters: Mapping[str, int]

    @property
    def proved(self) -> bool:
        """Whether no fewer columns do."""
        return self.bound >= len(self.chosen)


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
        self.proof: Settled | None = None
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
            self.bound = found
            self.weights = self.budget.weights

    def relax(self) -> None:
        """Bound the people for as many columns as the bound says, and so on until it stays."""
        k = len(self.best)
        for _ in range(MOST_TURNS):
            if self.finished():
                return
            before = self.bound
            self.budget.begin(k)
            self.offer(self.budget.best)

            def relaxed(phase: str) -> None:
                self.raise_bound()
                self.report(phase)

            self.budget.relax(k, relaxed, self.finished)
            if self.bound in {before, k}:
                return
            k = self.bound

    def relax_for(self, k: int) -> None:
        """Bound the people for so many columns, unless more are needed."""
        self.budget.relax(k, lambda _phase: self.raise_bound(), lambda: self.bound > k)

    def search_between(self) -> None:
        """Try numbers of columns between the bound and the best."""
        low = self.bound
        while low < len(self.best) and not self.finished():
            k = (low + len(self.best)) // 2
            self.budget.begin(k)
            self.offer(self.budget.best)
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
            settled = self.budget.settle(k, self.needed)
            if settled is None:
                return
            if settled.chosen is not None:
                self.offer(settled.chosen)
            else:
                self.proof = settled
                self.bound = k + 1
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


def solve_coverage(
    table: ColumnTable,
    multiplicity: ArrayLike,
    needed_people: int,
    stop: Stop | None = None,
    options: TableOptions | None = None,
    progress: Callable[[State], None] | None = None,
    start: IntArray | None = None,
) -> CoverageAnswer:
    """Choose as few columns as possible that together cover at least so many people.

    Parameters
    ----------
    table : ColumnTable
        The columns; the bound is about these.
    multiplicity : array of int
        How many people each row stands for.
    needed_people : int
        Fewest people to be covered.
    stop : Stop or None
        When to end with what there is.
    options : TableOptions or None
        Switches.
    progress : callable or None
        Called with a state after each step: columns, and columns at least.
    start : array of int or None
        Columns that are known to cover so many.
    """
    people = checked_multiplicity(table, multiplicity)
    search = Search(stop or Stop(), options or TableOptions(), progress)
    budget = BudgetSearch(Incidence.of_table(table), people, search)
    most = int(people[budget.incidence.reachable].sum())
    coverage = _Coverage(budget, min(most, needed_people), start)
    coverage.report("start")
    coverage.relax()
    coverage.search_between()
    coverage.settle()
    return CoverageAnswer(
        most >= needed_people,
        np.sort(coverage.best),
        budget.covered(coverage.best),
        needed_people,
        min(coverage.bound, len(coverage.best)),
        coverage.weights.weights,
        coverage.weights.capacity,
        ONE_IN_TABLES,
        coverage.proof,
        dict(search.counters),
    )
