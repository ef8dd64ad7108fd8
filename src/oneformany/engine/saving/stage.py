"""The second stage of the search way: as few explanations as were found, at the least cost, with a bound.

Groups that save more against the prices than others are generated until none is left that would change the
prices, or time is up. Each group, with a point that the classifier accepts, is also a column of a table;
the cheapest so many columns of that table are the answer. The bound: everybody pays the prices, less what k
groups save, and every group is counted with the row of it that pays least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import on_given
from oneformany.engine.columns import Column
from oneformany.engine.cover.incidence import joined
from oneformany.engine.polish import assign
from oneformany.engine.run import Run
from oneformany.engine.saving.least_changes import fewest_changes, least_costs
from oneformany.engine.saving.points import CheapPoints
from oneformany.engine.saving.prices import GroupPrices
from oneformany.engine.saving.search import SavingsSearch
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.result.build import Group
from oneformany.result.goal_proofs import AnchoredCostProof
from oneformany.stop import Stop

FIRST_LIMIT = 2_000
HIGHEST_LIMIT = 2_000_000
MOST_NODES = 60_000_000
MOST_ROUNDS = 300
TABLE_TIME = 0.2
LATEST = 300


@dataclass(frozen=True, eq=False)
class CheapestCover:
    """Groups of distinct rows, and why they cannot cost less.

    Attributes
    ----------
    groups : list of Group
        As few as were found before.
    cost : int
        What they cost.
    proof : AnchoredCostProof
        What as few must cost at least.
    """

    groups: list[Group]
    cost: int
    proof: AnchoredCostProof


def cheapest_cover(run: Run) -> CheapestCover:
    """Make the best cover of a run cheaper, and prove how cheap it can be."""
    with run.timed("least cost"):
        stage = _Stage(run)
        stage.generate()
        stage.improve(run.stop)
        run.statistics.count("nodes of searches for savings", stage.search.nodes)
        run.statistics.count("columns with costs", len(stage.columns))
        return CheapestCover(stage.groups(), stage.cost, stage.proof())


class _Stage:
    """Columns with costs, prices, and the best of both so far."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.space = run.space
        self.points = CheapPoints(run.space, run.stop)
        self.people = self.points.people
        self.changes = fewest_changes(run.space, run.stop)
        self.least = least_costs(run.space.problem, run.space.rows, self.changes)
        self.search = SavingsSearch(run.space, self.least)
        self.columns: list[Column] = []
        self._known: set[bytes] = set()
        for column in run.best:
            self.add(column)
        self.best = list(range(len(self.columns)))
        self.cost = int((self._served()[1] * self.people).sum())
        self.k = len(self.best)
        self.prices = self.least * ONE_IN_COVERS
        self.savings = np.zeros(len(self.people), dtype=np.int64)
        self.value = self._value(self.prices, self.savings)

    @property
    def bound(self) -> int:
        """No cover by as many groups costs less."""
        return min(self.cost, max(0, -(-self.value // ONE_IN_COVERS)))

    def _value(self, prices: IntArray, savings: IntArray) -> int:
        """What as many groups cost at least, times the scale."""
        return int((self.people * prices).sum()) - int(np.sort(savings)[::-1][: self.k].sum())

    def add(self, column: Column) -> None:
        """Keep a column that is new."""
        key = column.point.tobytes() + column.changed.tobytes()
        if key not in self._known:
            self._known.add(key)
            self.columns.append(column)

    def generate(self) -> None:
        """Find groups and prices in turn; search longer where that ends without a proof."""
        run = self.run
        prices = self._first_prices()
        self.improve(run.stop)
        limit = FIRST_LIMIT
        for _ in range(MOST_ROUNDS):
            if limit > HIGHEST_LIMIT or self.search.nodes >= MOST_NODES or self.bound >= self.cost:
                break
            solved = prices.solve(run.stop)
            if solved is None:
                break
            found, worth, value = solved
            before = self.value
            asked = integer_weights(found, ONE_IN_COVERS)
            added, complete = self._price(prices, asked, int(worth * ONE_IN_COVERS), limit, value)
            run.report("least cost", value, len(self.columns), (self.bound, self.cost))
            if added or self.value > before + ONE_IN_COVERS // 1000:
                continue
            if not complete:
                limit *= 4
            elif not prices.at_side(found) or prices.widest:
                break
            prices.widen()

    def _first_prices(self) -> GroupPrices:
        """Prices that know the best cover, every row alone, and the latest columns."""
        run = self.run
        prices = GroupPrices(self.people, self.k, self.least.astype(np.float64) + 2.0)
        groups = assign(self.space.problem, self.space.helpable, run.best)
        for column, rows in zip(run.best, groups, strict=True):
            self._add_group(prices, np.searchsorted(self.space.helpable, rows), column.point)
        for row in range(len(self.people)):
            prices.add(np.array([row]), int(self.least[row] * self.people[row]))
        for column in run.pool.columns[-LATEST:]:
            self._add_group(prices, column.rows, column.point)
        return prices

    def _price(
        self, prices: GroupPrices, asked: IntArray, worth: int, limit: int, promised: float
    ) -> tuple[int, bool]:
        """Look around every row for groups that save more than the others; keep what this proves."""
        savings = np.zeros(len(self.people), dtype=np.int64)
        added, complete = 0, True
        for row in range(len(self.people)):
            if self.run.stop.expired():
                return 0, False
            saving = self.search.around(row, asked, worth, limit, self.run.stop)
            savings[row] = saving.most
            complete &= saving.complete
            if saving.point is not None and saving.changed is not None:
                costs = np.maximum(self.least, self._costs_to(saving.point) + saving.extra)
                gains = (costs * ONE_IN_COVERS < asked) & self._join(saving.point, saving.changed)
                added += self._add_group(prices, np.flatnonzero(gains), saving.point, saving.extra)
        value = self._value(asked, savings)
        hoped = promised * ONE_IN_COVERS - self.value
        if value > self.value:
            prices.accept(asked / ONE_IN_COVERS, well=value - self.value > 0.5 * hoped)
            self.prices, self.savings, self.value = asked, savings, value
        else:
            prices.refuse()
        return added, complete

    def _costs_to(self, point: IntArray) -> IntArray:
        return self.points.costs(np.arange(len(self.people)), point)

    def _join(self, point: IntArray, changed: BoolArray) -> BoolArray:
        """Which rows may go to a point by changing these features only."""
        rows = self.space.rows
        stays = rows == point
        may = self.space.problem.may_move(rows, point) | stays
        return np.asarray((may & (stays | changed)).all(axis=1))

    def _add_group(self, prices: GroupPrices, rows: IntArray, point: IntArray, extra: int = 0) -> int:
        """Tell the prices about a group; make columns of it, where the classifier accepts points."""
        if not len(rows):
            return 0
        ends = [(point, extra)]
        if not self.search.summed:
            ends.append((self.points.middle(rows), 0))
        each = [np.maximum(self.least, self._costs_to(end) + more) * self.people for end, more in ends]
        new = prices.add(rows, min(int(costs[rows].sum()) for costs in each))
        if new:
            for column in self._add_columns(rows, point):
                paid = self.points.costs(rows, column.point) * self.people[rows]
                prices.add(rows, int(paid.sum()))
        return int(new)

    def _add_columns(self, rows: IntArray, point: IntArray) -> list[Column]:
        """Add columns with cheap points for some rows: from where they pay least, and from a point."""
        found = [self.points.column(rows, start) for start in (None, point)]
        columns = [column for column in found if column is not None]
        for column in columns:
            self.add(column)
        return columns

    def _served(self) -> tuple[IntArray, IntArray]:
        """For each row the cheapest column in use, and what it pays there."""
        table, best = self._table(), np.array(self.best, dtype=np.int64)
        owner, least = cheapest(table, best, table.n_rows)
        return best[owner], least

    def improve(self, stop: Stop) -> None:
        """Choose the cheapest columns of all; then better points for just the rows that go there."""
        while not stop.expired():
            table = self._table()
            start = np.array(self.best, dtype=np.int64)
            time = Stop(None if stop.time_limit is None else max(0.1, TABLE_TIME * stop.remaining()))
            needed = int(self.people.sum())
            search = Search(time, self.run.options.table)
            found = solve_cost(table, self.people, self.k, needed, start, search)
            before, known = self.cost, len(self.columns)
            if found.cost < self.cost:
                self.best, self.cost = found.chosen.tolist(), found.cost
            for number, index in enumerate(found.chosen.tolist()):
                rows = np.flatnonzero(found.assignment == number)
                if len(rows):
                    self._add_columns(rows, self.columns[index].point)
            if self.cost == before and len(self.columns) == known:
                break

    def _table(self) -> ColumnTable:
        starts, rows = joined([column.rows for column in self.columns])
        return ColumnTable(
            starts,
            rows.astype(np.int32),
            np.concatenate([self.points.costs(column.rows, column.point) for column in self.columns]),
            np.array([column.changed for column in self.columns]),
            np.array([column.point for column in self.columns], dtype=np.int32),
            len(self.people),
            complete=False,
        )

    def groups(self) -> list[Group]:
        """The rows of each column, each where it is cheapest."""
        owner, _ = self._served()
        return [
            Group(self.columns[index].point, self.space.helpable[owner == index])
            for index in self.best
            if (owner == index).any()
        ]

    def proof(self) -> AnchoredCostProof:
        """What was proved, in the numbering of the given rows."""
        prices, changes, savings = (
            on_given(self.space.problem, numbers, self.space.helpable)
            for numbers in (self.prices, self.changes, self.savings)
        )
        people = int(self.people.sum())
        return AnchoredCostProof(prices, changes, savings, ONE_IN_COVERS, self.k, people, self.bound)
