"""Searches for cheap columns, and for prices that prove how cheap they can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.merging import merged
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.budget_search import BudgetSearch
from oneformany.engine.table.cost_kernels import cheapest, column_savings
from oneformany.engine.table.cost_levels import CostLevels
from oneformany.engine.table.cost_tree import CostQuestion
from oneformany.engine.table.left_out import cheapest_rows, people_at_prices
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.engine.table.tree import TreeProof, search_tree
from oneformany.exceptions import InputError

DEAR = 3
STEPS_PER_ROUND = 200
GAIN = 1e-5
PATIENCE = 2
DEARER = 4
MOST_HALVINGS = 10
RELAXATION_TIME = 0.5
PROGRAM_SECONDS = 30.0
FEWEST_COLUMNS = 1_000
MOST_ENTRIES = 300_000


class PriceBound(NamedTuple):
    """What prices prove: the least cost times the scale, the prices, and what each column saves."""

    value: int
    prices: IntArray
    savings: IntArray


def price_bound(table: ColumnTable, people: IntArray, prices: IntArray, k: int, needed: int) -> PriceBound:
    """Bound the cost of ``k`` columns that serve so many people by prices per person."""
    savings = column_savings(table, people, prices)
    reachable = np.zeros(table.n_rows, dtype=np.bool_)
    reachable[table.rows] = True
    pays = people_at_prices(prices[reachable], people[reachable], needed)
    best = np.sort(savings)[::-1][:k]
    return PriceBound(pays - int(best.sum()), prices, savings)


class CostSearch:
    """One call of ``solve_cost`` under way: the cheapest columns so far, and the best prices."""

    def __init__(
        self, table: ColumnTable, people: IntArray, k: int, needed: int, start: IntArray, search: Search
    ) -> None:
        self.table = table
        self.people = people
        self.k = k
        self.needed = needed
        self.search = search
        self.top = int(table.costs.max(initial=0))
        self.unserved = (self.top + 1) * max(1, min(int(people.sum()), 10**6 // (self.top + 1)))
        self.levels = CostLevels.of(table.starts, table.rows, table.costs, table.n_rows)
        self.budget = self._budget(self.unserved)
        self.spare = int(people[np.unique(table.rows)].sum()) - needed
        self.best = np.asarray(start, dtype=np.int64)
        served, self.cost = self.total(self.best)
        if len(self.best) > k or served < needed:
            raise InputError(
                f"start has {len(self.best)} columns that serve {served} people; give at most {k} columns "
                f"that serve at least {needed}"
            )
        self.proof: TreeProof | None = None
        self.values = np.zeros(len(table))
        self.bound = price_bound(table, people, np.zeros(table.n_rows, dtype=np.int64), k, needed)

    def _budget(self, unserved: int) -> BudgetSearch:
        """The search for columns that lose least, where being served by nobody costs so much."""
        return BudgetSearch(self.levels.incidence, self._losses(unserved).astype(np.int64), self.search)

    def served(self, columns: IntArray) -> tuple[IntArray, IntArray]:
        """Which of the columns serves each row, -1: none, and at what cost; the dearest are left out."""
        owner, least = cheapest(self.table, columns, self.table.n_rows)
        rows = np.flatnonzero(owner >= 0)
        kept, _ = cheapest_rows(least[rows], self.people[rows], self.needed)
        owner[rows[~kept]] = -1
        least[rows[~kept]] = 0
        return owner, least

    def total(self, columns: IntArray) -> tuple[int, int]:
        """People served, and cost."""
        owner, least = self.served(columns)
        return int(self.people[owner >= 0].sum()), int((self.people * least).sum())

    def offer(self, columns: IntArray) -> None:
        """Take other columns if they serve enough people at less cost."""
        covered, cost = self.total(columns)
        if len(columns) <= self.k and covered >= self.needed and cost < self.cost:
            self.best, self.cost = np.asarray(columns), cost

    @property
    def cost_bound(self) -> int:
        """No choice costs less."""
        priced = max(0, -(-self.bound.value // ONE_IN_COVERS))
        return priced if self.proof is None else max(priced, self.proof.target + 1)

    def finished(self) -> bool:
        """Whether the cost is proved, or time is up."""
        return self.cost <= self.cost_bound or self.search.stop.expired()

    def report(self, phase: str) -> None:
        """Tell whoever listens where the search stands."""
        self.search.report(phase, self.cost, self.cost_bound)

    def begin(self) -> None:
        """Exchange columns of the start for cheaper ones."""
        self.budget.begin(self.k, self.best)
        self.offer(self.budget.best)
        self.report("start")

    def relax(self) -> None:
        """Take first-order steps; turn the duals into prices after each round.

        Where a share of the people is enough, what being served by nobody costs is halved in: as little as
        makes the relaxation serve that share.
        """
        if self.finished():
            return
        shared = self.spare > 0
        low, dear, high = 0.0, float(self.top + 1 if shared else DEAR * (self.top + 1)), np.inf
        relaxation = self._relaxed(self._losses(dear))
        self.price(self._losses(self.top + 1))
        idle, tries = 0, MOST_HALVINGS if shared else 0
        for _ in self.search.rounds(RELAXATION_TIME):
            if self.finished():
                break
            relaxation.advance(STEPS_PER_ROUND, self.search.stop)
            before = self.bound.value
            self.price(relaxation.duals)
            self.price(relaxation.mean_duals)
            self.report("relaxation")
            idle = 0 if self.bound.value > before + GAIN * abs(before) else idle + 1
            if idle < PATIENCE:
                continue
            if not tries:
                break
            idle, tries = 0, tries - 1
            if self._reached(relaxation.mean_values, dear):
                high = dear
            else:
                low = dear
            dear = DEARER * dear if high == np.inf else (low + high) / 2
            relaxation.upper = self._losses(dear)
        self.values = relaxation.mean_values
        if shared:
            self.budget = self._budget(int(np.ceil(dear)))
            self.begin()

    def _relaxed(self, upper: FloatArray) -> FirstOrder:
        """The relaxation over pairs of row and level, from the best columns so far."""
        incidence, k = self.levels.incidence, max(1, self.k)
        relaxation = FirstOrder(incidence, upper, self.k)
        relaxation.values[self.best] = 1.0
        often = np.where(incidence.covered_by(self.best), 0.5, 1.0)
        relaxation.duals = often * np.minimum(upper, self.people[self.levels.owner])
        relaxation.price = float(relaxation.duals.sum()) / (2 * k)
        relaxation.balance = float(np.sqrt(k / max(1.0, float((upper**2).sum()))))
        return relaxation

    def _losses(self, unserved: float) -> FloatArray:
        """What leaving each pair uncovered costs, when being served by nobody costs a person so much."""
        return (self.levels.losses(unserved) * self.people[self.levels.owner]).astype(np.float64)

    def _reached(self, values: FloatArray, unserved: float) -> bool:
        """Whether parts of columns serve enough people for less than being served by nobody costs."""
        cheap = self.table.costs < unserved
        parts = np.bincount(
            self.table.rows[cheap], values[self.table.column_of[cheap]], minlength=self.table.n_rows
        )
        return float((np.minimum(parts, 1.0) * self.people).sum()) >= self.needed

    def price(self, duals: FloatArray) -> None:
        """Turn duals into prices, and keep the better bound."""
        prices = np.rint(self.levels.prices(duals, self.people) * ONE_IN_COVERS).astype(np.int64)
        found = price_bound(self.table, self.people, prices, self.k, self.needed)
        if found.value > self.bound.value:
            self.bound = found

    def usable(self) -> IntArray:
        """The columns that a cheaper choice can use."""
        savings = self.bound.savings
        if not self.search.options.fixing or len(savings) <= self.k:
            return np.arange(len(savings))
        least = int(np.partition(savings, -self.k)[-self.k])
        usable = np.flatnonzero(
            self.bound.value + np.maximum(0, least - savings) <= (self.cost - 1) * ONE_IN_COVERS
        )
        self.search.counters["columns left out"] = len(savings) - len(usable)
        return usable

    def improve(self) -> None:
        """Solve a program over the columns that a cheaper choice can use, or the most promising of them."""
        if not self.search.options.repair or self.finished():
            return
        usable = self.usable()
        promising = usable[np.argsort(-self.bound.savings[usable], kind="stable")[:FEWEST_COLUMNS]]
        found = self.budget.programmed(self.k, self.values, promising, self.best, PROGRAM_SECONDS)
        if found is not None:
            self.offer(found)
        self.report("program")

    def is_small(self, columns: IntArray) -> bool:
        """Whether these are so few columns that all can be searched."""
        few = len(columns) <= self.search.options.max_columns
        return self.search.options.exact and few and int(self.table.sizes[columns].sum()) <= MOST_ENTRIES

    def settle(self, max_nodes: int) -> None:
        """Search all columns that a cheaper choice can use: find one, or prove that there is none."""
        while not self.finished() and self.is_small(columns := self.usable()):
            part = self.table.take(columns)
            rows = merged(part.starts, part.rows, part.costs, self.people, apart=self.spare > 0)
            stop = self.search.stop
            question = CostQuestion(rows, self.k, self.needed, self.cost - 1, self.unserved, stop)
            found = search_tree(question, columns, rows.members, self.search, max_nodes)
            if found is None:
                return
            if isinstance(found, TreeProof):
                self.proof = found
            else:
                self.offer(found)
            self.report("search")
