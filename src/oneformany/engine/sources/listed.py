"""All columns of a problem in one table: every bound over the table is a bound."""

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.masters.tabled import best_of_table, cheapest_of_table
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import NOTHING_LACKS, Shortfall
from oneformany.engine.standing import Standing
from oneformany.engine.table.cost_levels import column_savings
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.result.build import Group


@dataclass(frozen=True, eq=False)
class Listed:
    """Every column; ``costed``: also those that only make somebody's change cheaper.

    ``short``: of rows that may be left out some could follow columns of which nobody knows.
    """

    problem: Problem
    table: ColumnTable
    unreachable: BoolArray
    costed: bool
    shortfall: Shortfall = NOTHING_LACKS
    short: bool = False

    @property
    def usable(self) -> int:
        """All columns may be chosen."""
        return len(self.table)

    @property
    def reachable(self) -> BoolArray:
        """The rows that are in a column."""
        return self.table.incidence.reachable

    @property
    def known(self) -> RowWeights | None:
        """Nothing but what the table shows."""
        return None

    def price(self, weights: IntArray) -> int | None:
        """The greatest load."""
        return None if self.short else int(self.table.incidence.loads(weights).max(initial=0))

    def heavy(self, weights: IntArray, floor: int) -> ColumnTable | None:
        """The columns of at least this load."""
        if self.short:
            return None
        return self.table.take(np.flatnonzero(self.table.incidence.loads(weights) >= floor))

    def savings(self, prices: IntArray) -> IntArray | None:
        """What each column saves, the greatest first; unless columns that are only cheaper were left out."""
        if not self.costed or self.short or self.problem.unasked.any():
            return None
        return np.sort(column_savings(self.table, self.problem.multiplicity, prices))[::-1]

    def settle(self, _standing: Standing, _run: Context) -> None:
        """Nothing is open."""

    def split(self, _run: Context) -> None:
        """A search over the table tells its cases apart itself."""

    better = best_of_table
    cheaper = cheapest_of_table

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray) -> list[Group]:
        """Where the columns say."""
        return groups_of(self.problem, table, chosen, owner)
