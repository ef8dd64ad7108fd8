"""The most people that a given number of columns can cover.

The bound: give every row a weight u of at most its number of people m, such that no column weighs more than
C. Then k columns cover at most ``k C + sum(m - u)`` people. The weights come from first-order steps towards
the optimum of the relaxation; the columns from greedy, swaps, and an exact program over the columns that a
better choice can use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import IntArray
from oneformany.engine.cover.budget_search import BudgetSearch, Settled
from oneformany.engine.cover.large_incidence import Incidence
from oneformany.engine.cover.large_options import Search, State, TableOptions, checked_multiplicity
from oneformany.engine.cover.table import ColumnTable
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.stop import Stop

__all__ = ["BudgetAnswer", "Settled", "solve_budget"]


@dataclass(frozen=True, eq=False)
class BudgetAnswer:
    """What so many columns cover, and what they could cover at most.

    Attributes
    ----------
    chosen : array of int
        At most ``budget`` columns.
    covered : int
        People that they cover.
    bound : int
        No ``budget`` columns of this table cover more people.
    weights : (n_rows,) array of int
        Weight of each row, at most ``scale`` times its people.
    capacity : int
        No column weighs more.
    scale : int
        What one person counts in ``weights`` and ``capacity``.
    budget : int
        Most columns.
    proof : Settled or None
        Where the bound is lower than what the weights say: why.
    counters : mapping
        Rounds, swaps, programs, columns left out.
    """

    chosen: IntArray
    covered: int
    bound: int
    weights: IntArray
    capacity: int
    scale: int
    budget: int
    proof: Settled | None
    counters: Mapping[str, int]

    @property
    def proved(self) -> bool:
        """Whether no choice covers more."""
        return self.covered >= self.bound


def solve_budget(
    table: ColumnTable,
    multiplicity: ArrayLike,
    k: int,
    stop: Stop | None = None,
    options: TableOptions | None = None,
    progress: Callable[[State], None] | None = None,
    start: IntArray | None = None,
) -> BudgetAnswer:
    """Choose at most ``k`` columns that together cover as many people as possible.

    Parameters
    ----------
    table : ColumnTable
        The columns; the bound is about these.
    multiplicity : array of int
        How many people each row stands for.
    k : int
        Most columns.
    stop : Stop or None
        When to end with what there is.
    options : TableOptions or None
        Switches.
    progress : callable or None
        Called with a state after each step: people covered, and at most.
    start : array of int or None
        Columns that are known to be good.
    """
    people = checked_multiplicity(table, multiplicity)
    search = Search(stop or Stop(), options or TableOptions(), progress)
    budget = BudgetSearch(Incidence.of_table(table), people, search)
    budget.begin(k, start)
    proof: Settled | None = None
    reachable = int(people[budget.incidence.reachable].sum())

    def bound() -> int:
        weighed_bound = min(reachable, budget.weights.most_people(people, k))
        return weighed_bound if proof is None else min(weighed_bound, proof.target - 1)

    def report(phase: str) -> None:
        search.report(phase, budget.covered(budget.best), bound())

    def finished() -> bool:
        return budget.covered(budget.best) >= bound() or search.stop.expired()

    report("start")
    if k > 0:
        budget.relax(k, report, finished)
    if not finished():
        budget.improve(k)
        report("program")
    while not finished():
        settled = budget.settle(k, budget.covered(budget.best) + 1)
        if settled is None:
            break
        if settled.chosen is None:
            proof = settled
        else:
            budget.offer(settled.chosen)
        report("search")
    covered = budget.covered(budget.best)
    return BudgetAnswer(
        np.sort(budget.best),
        covered,
        max(covered, bound()),
        budget.weights.weights,
        budget.weights.capacity,
        ONE_IN_TABLES,
        k,
        proof,
        dict(search.counters),
    )
