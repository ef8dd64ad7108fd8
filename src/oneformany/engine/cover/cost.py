"""The least total cost with so many columns that reach so many people.

Every row that a chosen column holds is served by the cheapest of them, at its cost times its people; nobody is
left out to save cost. The bound: with a price per person for each row, k columns that serve R people cost at
least what the R cheapest people pay, less the k greatest savings of a column against the prices. Prices are
integers, so the bound is an addition that anyone can repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.budget import BudgetSearch
from oneformany.engine.cover.cost_kernels import cheapest, column_savings
from oneformany.engine.cover.cost_levels import CostLevels
from oneformany.engine.cover.cost_tree import COST_SCALE, CostRows, cost_within, people_at_prices
from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.large_options import Search, State, TableOptions, checked_multiplicity
from oneformany.engine.cover.primal_program import program
from oneformany.engine.cover.table import ColumnTable
from oneformany.exceptions import InputError
from oneformany.stop import Stop

__all__ = ["COST_SCALE", "CostAnswer", "CostProof", "price_bound", "solve_cost"]

DEAR = 3
STEPS_PER_ROUND = 200
GAIN = 1e-5
PATIENCE = 4
RELAXATION_TIME = 0.5
PROGRAM_SECONDS = 30.0
FEWEST_COLUMNS = 1_000
MOST_ENTRIES = 300_000
MANY_ENTRIES = 50_000
FEW_NODES = 1_000


@dataclass(frozen=True, eq=False)
class CostProof:
    """No choice costs ``target`` or less: a tree over all columns that such a choice could use, by the prices.

    Attributes
    ----------
    target : int
        The cost that cannot be reached.
    columns : array of int
        Columns of the table that the prices do not exclude.
    tree : dict
        As :func:`~oneformany.engine.cover.cost_tree.cost_within` gives it, over indices into ``columns``.
    """

    target: int
    columns: IntArray
    tree: dict[str, Any]


@dataclass(frozen=True, eq=False)
class CostAnswer:
    """Columns, who is served by which, at what cost, and what it must cost at least.

    Attributes
    ----------
    chosen : array of int
        At most ``budget`` columns.
    assignment : (n_rows,) array of int
        For each row the index in ``chosen`` of the column that serves it, -1: none.
    covered : int
        People served; at least ``needed``.
    cost : int
        Total cost, each row counted with its people.
    bound : int
        No ``budget`` columns of this table that serve ``needed`` people cost less.
    prices : (n_rows,) array of int
        Price per person of each row, times ``scale``.
    scale : int
        What a cost of one counts in ``prices``.
    budget, needed : int
        Most columns, fewest people.
    proof : CostProof or None
        Where the bound is higher than what the prices say: why.
    counters : mapping
        Rounds, swaps, programs, columns left out.
    """

    chosen: IntArray
    assignment: IntArray
    covered: int
    cost: int
    bound: int
    prices: IntArray
    scale: int
    budget: int
    needed: int
    proof: CostProof | None
    counters: Mapping[str, int]

    @property
    def proved(self) -> bool:
        """Whether no choice costs less."""
        return self.bound >= self.cost


@dataclass(frozen=True, eq=False)
class _Bound:
    value: int
    prices: IntArray
    savings: IntArray


def price_bound(table: ColumnTable, people: IntArray, prices: IntArray, k: int, needed: int) -> int:
    """Least cost, times the scale, of ``k`` columns that serve so many people, by these prices."""
    return _bound(table, people, prices, k, needed).value


def _bound(table: ColumnTable, people: IntArray, prices: IntArray, k: int, needed: int) -> _Bound:
    savings = column_savings(table.starts, table.rows, table.costs, people, prices, COST_SCALE)
    pays = people_at_prices(prices, people, np.unique(table.rows).astype(np.int64), needed)
    best = np.sort(savings)[::-1][:k]
    return _Bound(pays - int(best.sum()), prices, np.asarray(savings))


class _Cost:
    """One call of ``solve_cost`` under way."""

    def __init__(self, table: ColumnTable, people: IntArray, k: int, needed: int, search: Search) -> None:
        if table.costs is None:
            raise InputError("the table has no costs; list the columns with costs")
        self.table = table
        self.people = people
        self.k = k
        self.needed = needed
        self.search = search
        unserved = int(table.costs.max(initial=0)) + 1
        if len(table) == 0:
            unserved = 1
        self.ceiling = DEAR * unserved
        self.unserved = unserved * max(1, min(int(people.sum()), 10**6 // unserved))
        self.levels = CostLevels.of(
            table.starts, table.rows, np.asarray(table.costs), table.n_rows, self.unserved
        )
        self.budget = BudgetSearch(
            self.levels.incidence, self.levels.steps * people[self.levels.owner], search
        )
        self.best: IntArray | None = None
        self.proof: CostProof | None = None
        self.values = np.zeros(len(table))
        self.bound = _bound(table, people, np.zeros(table.n_rows, dtype=np.int64), k, needed)

    def total(self, columns: IntArray) -> tuple[int, int]:
        """People served, and cost."""
        owner, least = cheapest(
            self.table.starts, self.table.rows, self.table.costs, columns, self.table.n_rows
        )
        return int(self.people[owner >= 0].sum()), int((self.people * least).sum())

    def offer(self, columns: IntArray) -> None:
        covered, cost = self.total(columns)
        if len(columns) > self.k or covered < self.needed:
            return
        if self.best is None or cost < self.cost:
            self.best = np.asarray(columns)

    @property
    def cost(self) -> int:
        return self.unserved * int(self.people.sum()) if self.best is None else self.total(self.best)[1]

    @property
    def cost_bound(self) -> int:
        priced = max(0, -(-self.bound.value // COST_SCALE))
        return priced if self.proof is None else max(priced, self.proof.target + 1)

    def finished(self) -> bool:
        return self.cost <= self.cost_bound or self.search.stop.expired()

    def report(self, phase: str) -> None:
        self.search.report(phase, self.cost, self.cost_bound)

    def relax(self) -> None:
        """Take first-order steps; turn the duals into prices after each round."""
        stop = self.search.stop
        until = stop.elapsed() + RELAXATION_TIME * stop.remaining()
        last = np.ones(len(self.levels.steps), dtype=np.bool_)
        last[:-1] = self.levels.owner[1:] != self.levels.owner[:-1]
        steps = np.where(last, self.ceiling, self.levels.steps)
        upper = (steps * self.people[self.levels.owner]).astype(np.float64)
        relaxation = FirstOrder(self.levels.incidence, upper, self.k)
        assert self.best is not None
        relaxation.values[self.best] = 1.0
        relaxation.duals = np.where(self.levels.incidence.covered_by(self.best), 0.5, 1.0) * np.minimum(
            upper, self.people[self.levels.owner]
        )
        relaxation.price = float(relaxation.duals.sum()) / (2 * max(1, self.k))
        relaxation.balance = float(np.sqrt(max(1, self.k) / max(1.0, float((upper**2).sum()))))
        idle = 0
        for _ in range(self.search.options.max_rounds):
            if self.finished() or stop.elapsed() > until or idle == PATIENCE or self.is_small(MANY_ENTRIES):
                break
            relaxation.advance(STEPS_PER_ROUND)
            self.search.counters["rounds"] += 1
            before = self.bound.value
            for duals in (relaxation.duals, relaxation.mean_duals):
                self.price(duals)
            idle = 0 if self.bound.value > before + GAIN * abs(before) else idle + 1
            self.report("relaxation")
        self.values = relaxation.mean_values

    def price(self, duals: FloatArray) -> None:
        """Turn duals into prices, and keep the better bound."""
        prices = np.rint(self.levels.prices(duals, self.people) * COST_SCALE).astype(np.int64)
        found = _bound(self.table, self.people, prices, self.k, self.needed)
        if found.value > self.bound.value:
            self.bound = found

    def usable(self) -> IntArray:
        """The columns that a cheaper choice can use."""
        savings = self.bound.savings
        if not self.search.options.fixing or len(savings) <= self.k:
            return np.arange(len(savings))
        least = int(np.partition(savings, -self.k)[-self.k])
        usable = np.flatnonzero(
            self.bound.value + np.maximum(0, least - savings) <= (self.cost - 1) * COST_SCALE
        )
        self.search.counters["columns left out"] = len(savings) - len(usable)
        return usable

    def improve(self) -> None:
        """Solve a program over the columns that a cheaper choice can use, or the most promising of them."""
        if not self.search.options.repair:
            return
        assert self.best is not None
        usable = self.usable()
        if len(usable) > FEWEST_COLUMNS:
            usable = usable[np.argsort(-self.bound.savings[usable], kind="stable")[:FEWEST_COLUMNS]]
        columns = np.union1d(np.union1d(usable, np.flatnonzero(self.values > 1e-3)), self.best)
        incidence = self.levels.incidence
        part, kept = incidence.part(columns, np.ones(incidence.n_rows, dtype=np.bool_))
        seconds = min(PROGRAM_SECONDS, 0.8 * self.search.stop.remaining())
        found = program(part, seconds, np.searchsorted(columns, self.best), self.budget.people[kept], self.k)
        self.search.counters["programs"] += 1
        if found.chosen is not None:
            self.offer(columns[found.chosen])
        self.report("program")

    def is_small(self, entries: int) -> bool:
        """Whether so few columns are left that all can be searched."""
        if not self.search.options.exact:
            return False
        columns = self.usable()
        few = len(columns) <= self.search.options.max_columns
        return few and int(self.table.sizes[columns].sum()) <= entries

    def settle(self, max_nodes: int) -> None:
        """Search all columns that a cheaper choice can use: find one, or prove that there is none."""
        while not self.finished() and self.is_small(MOST_ENTRIES):
            columns = self.usable()
            part = self.table.take(columns)
            target = self.cost - 1
            rows = CostRows(part.starts, part.rows, np.asarray(part.costs), self.people)
            found = cost_within(rows, self.k, self.needed, target, self.unserved, self.search.stop, max_nodes)
            self.search.counters["nodes"] += found.nodes
            if found.chosen is not None:
                self.offer(columns[found.chosen])
            elif found.proof is not None:
                self.proof = CostProof(target, columns, found.proof)
            else:
                return
            self.report("search")


def solve_cost(
    table: ColumnTable,
    multiplicity: ArrayLike,
    k: int,
    needed_people: int,
    start: IntArray,
    stop: Stop | None = None,
    options: TableOptions | None = None,
    progress: Callable[[State], None] | None = None,
) -> CostAnswer:
    """Choose at most ``k`` columns that serve so many people at the least total cost.

    Parameters
    ----------
    table : ColumnTable
        The columns, with costs; the bound is about these.
    multiplicity : array of int
        How many people each row stands for.
    k : int
        Most columns.
    needed_people : int
        Fewest people to be served.
    start : array of int
        Columns that serve so many: an answer to the first question.
    stop : Stop or None
        When to end with what there is.
    options : TableOptions or None
        Switches.
    progress : callable or None
        Called with a state after each step: cost, and least possible cost.
    """
    people = checked_multiplicity(table, multiplicity)
    search = Search(stop or Stop(), options or TableOptions(), progress)
    cost = _Cost(table, people, k, needed_people, search)
    cost.offer(np.asarray(start, dtype=np.int64))
    if cost.best is None:
        raise InputError(
            f"start has {len(start)} columns that serve {cost.total(np.asarray(start))[0]} people; give at most "
            f"{k} columns that serve at least {needed_people}"
        )
    budget = cost.budget
    budget.begin(k, cost.best)
    cost.offer(budget.best)
    cost.report("start")

    if not cost.finished():
        cost.relax()
    cost.settle(min(FEW_NODES, search.options.max_nodes))
    if not cost.finished():
        cost.improve()
    cost.settle(search.options.max_nodes)
    owner, _ = cheapest(table.starts, table.rows, table.costs, np.sort(cost.best), table.n_rows)
    covered, total = cost.total(cost.best)
    return CostAnswer(
        np.sort(cost.best),
        owner,
        covered,
        total,
        min(total, cost.cost_bound),
        cost.bound.prices,
        COST_SCALE,
        k,
        needed_people,
        cost.proof,
        dict(search.counters),
    )
