"""Can so many columns serve so many people within a cost? The question to a complete search.

Integer prices per person bound the cost: what the cheapest people pay who make up the needed number, less the
savings of the chosen columns against the prices, less the greatest savings of as many usable columns as are
left to choose. A node is also closed where its columns together serve too few; where no column is left to
choose, the cost of the needed people is simply added up.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.merging import Merged
from oneformany.engine.cover.program import covering
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.cost_kernels import cheapest, column_savings
from oneformany.engine.table.cost_levels import CostLevels
from oneformany.engine.table.left_out import cheapest_rows, people_at_prices
from oneformany.engine.table.tree import Relaxed, UndecidedError, run_node
from oneformany.stop import Stop


class CostQuestion:
    """Whether ``budget`` columns serve ``needed`` people for at most ``target``.

    ``unserved`` is what a person costs in the relaxation that nobody serves.
    """

    def __init__(
        self, table: Merged, budget: int, needed: int, target: int, unserved: int, stop: Stop
    ) -> None:
        self.table, self.stop = table, stop
        self.budget, self.needed, self.target = budget, needed, target
        self.n_columns = m = len(table.starts) - 1
        self.levels = levels = CostLevels.of(table.starts, table.rows, table.costs, len(table.people))
        incidence, owner = levels.incidence, levels.owner
        n = incidence.n_rows
        self._highs = covering(incidence.starts, incidence.rows, n)
        dearer = np.flatnonzero(~levels.last).astype(np.int32)
        losses = (levels.losses(np.inf) * table.people[owner])[dearer].astype(np.float64)
        d = len(dearer)
        unlimited, each = np.full(d, highspy.kHighsInf), np.arange(d, dtype=np.int32)
        self._highs.addCols(d, losses, np.zeros(d), unlimited, d, each, dearer, np.ones(d))
        # A row that is left out pays nothing at any level.
        served = table.people.astype(np.float64)
        first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[:n]).astype(np.int32)
        every, r = np.arange(n, dtype=np.int32), len(served)
        self._highs.addCols(r, -served * levels.lowest, np.zeros(r), np.ones(r), n, first, every, np.ones(n))
        none = np.zeros(0, dtype=np.int32)
        self._highs.addCol(float(unserved), 0.0, highspy.kHighsInf, 0, none, np.zeros(0))
        spare = float(served.sum() - needed)
        index = m + d + np.arange(r + 1, dtype=np.int32)
        self._highs.addRow(-highspy.kHighsInf, spare, r + 1, index, np.append(served, -1.0))
        self._highs.addRow(-highspy.kHighsInf, float(budget), m, np.arange(m, dtype=np.int32), np.ones(m))

    def reached_by(self, columns: IntArray) -> bool:
        """Whether they are known to serve enough people within the cost."""
        return self._reach(columns)[0]

    def _reach(self, columns: IntArray) -> tuple[bool, bool]:
        """Whether they serve enough people within the cost, and whether that is certain."""
        rows, least = self._least(columns)
        people = self.table.people[rows]
        if people.sum() < self.needed or people_at_prices(least, people, self.needed) > self.target:
            return False, True
        kept, exact = cheapest_rows(least, people, self.needed)
        reached = int((people * least)[kept].sum()) <= self.target
        return reached, reached or exact

    def ended(self, chosen: IntArray, usable: BoolArray) -> dict[str, Any] | None:
        """Columns that together serve too few, or nothing left to choose, so that costs are added up."""
        served = self._least(np.append(chosen, np.flatnonzero(usable)))[0]
        if self.table.people[served].sum() < self.needed:
            return {"short": True}
        if len(chosen) < self.budget and usable.any():
            return None
        if not self._reach(chosen)[1]:
            raise UndecidedError
        return {"evaluated": True}

    def relax(self, chosen: IntArray, usable: BoolArray) -> Relaxed:
        """Serve enough people at the least cost by parts of columns, over pairs of row and level."""
        people, more = self.table.people, self.budget - len(chosen)
        values, duals = self._solve(chosen, usable)
        prices = np.rint(self.levels.prices(duals, people) * ONE_IN_COVERS).astype(np.int64)
        savings = column_savings(self.table, people, prices)
        best = np.sort(savings[usable])[::-1][:more]
        pays = people_at_prices(prices, people, self.needed)
        bound = pays - int(savings[chosen].sum()) - int(best.sum())
        least = int(best[-1]) if len(best) == more else 0
        most = self.target * ONE_IN_COVERS
        light = usable & (bound + np.maximum(0, least - savings) > most)
        return Relaxed(values, prices, bound > most, light)

    def _least(self, columns: IntArray) -> tuple[IntArray, IntArray]:
        """The rows that these columns serve, and what each pays."""
        owner, least = cheapest(self.table, columns, len(self.table.people))
        rows = np.flatnonzero(owner >= 0)
        return rows, least[rows]

    def _solve(self, chosen: IntArray, usable: BoolArray) -> tuple[FloatArray, FloatArray]:
        m = self.n_columns
        lower = np.zeros(m)
        lower[chosen] = 1.0
        self._highs.changeColsBounds(m, np.arange(m, dtype=np.int32), lower, np.where(usable, 1.0, lower))
        values, duals = run_node(self._highs, self.stop, m, self.levels.incidence.n_rows)
        return values, np.maximum(duals, 0.0)
