"""The least total cost with so many columns that reach so many people.

Every row that a chosen column holds is served by the cheapest of them, at its cost times its people; where
fewer people are needed than the columns hold, those who pay most are left out. The bound: with a price per
person for each row, k columns that serve R people cost at least what the R cheapest people pay, less the k
greatest savings of a column against the prices. Prices are integers, so the bound is an addition that anyone
can repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.table.cost_search import CostSearch
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.engine.table.tree import TreeProof

FEW_NODES = 1_000


@dataclass(frozen=True, eq=False)
class CostAnswer:
    """Columns, who is served by which, at what cost, and what it must cost at least.

    Attributes
    ----------
    chosen : array of int
        At most ``budget`` columns.
    assignment : (n_rows,) array of int
        For each row the index in ``chosen`` of the column that serves it, -1: none, or it is left out.
    cost : int
        Total cost, each row counted with its people.
    bound : int
        No ``budget`` columns of this table that serve ``needed`` people cost less.
    prices : (n_rows,) array of int
        Price per person of each row, times ``ONE_IN_COVERS``.
    budget, needed : int
        Most columns, fewest people.
    proof : TreeProof or None
        Where the bound is higher than what the prices say: why.
    """

    chosen: IntArray
    assignment: IntArray
    cost: int
    bound: int
    prices: IntArray
    budget: int
    needed: int
    proof: TreeProof | None

    @property
    def proved(self) -> bool:
        """Whether no choice costs less."""
        return self.bound >= self.cost


def solve_cost(
    table: ColumnTable,
    people: IntArray,
    k: int,
    needed: int,
    start: IntArray,
    search: Search | None = None,
) -> CostAnswer:
    """Choose at most ``k`` columns that serve so many people at the least total cost.

    It begins with columns that serve so many, an answer to the first question. The other parameters are
    those of :func:`~oneformany.engine.table.budget.solve_budget`; progress is told in costs.
    """
    search = search or Search()
    cost = CostSearch(table, people, k, needed, start, search)
    cost.begin()
    cost.relax()
    cost.settle(min(FEW_NODES, search.options.max_nodes))
    cost.improve()
    cost.settle(search.options.max_nodes)
    chosen = np.sort(cost.best)
    owner, bound = cost.served(chosen)[0], min(cost.cost, cost.cost_bound)
    return CostAnswer(chosen, owner, cost.cost, bound, cost.bound.prices, k, needed, cost.proof)
