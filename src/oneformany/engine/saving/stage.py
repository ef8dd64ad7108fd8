"""The second stage of the search way: as few explanations as were found, at the least cost, with a bound.

Groups that save more against the prices than others are generated until none is left that would change the
prices, or time is up. Each group, with a point that the classifier accepts, is also a column of a table;
the cheapest so many columns of that table are the answer. The bound: everybody pays the prices, less what k
groups save, and every group is counted with the row of it that pays least.
"""

import numpy as np
from scipy import sparse

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.certificate import cost_proof
from oneformany.engine.columns import (
    STEPS_AWAY,
    Column,
    assign,
    cheap_point,
    level_prices,
    table_of_columns,
)
from oneformany.engine.cover.program import CoveringProgram
from oneformany.engine.pool import Generated
from oneformany.engine.saving.search import SavingsSearch, fewest_changes, least_costs
from oneformany.engine.scaling import ONE_IN_COVERS, UNPAYABLE, integer_weights
from oneformany.engine.standing import CostStanding
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.options import Search
from oneformany.engine.table.table import ColumnTable
from oneformany.oracles.protocol import Question
from oneformany.problem.costs import Costs
from oneformany.schedule import SCHEDULE
from oneformany.stop import Stop

# Nodes of a search around a row; doubled while that leaves a gap, so that easy rows stay quick
FIRST_LIMIT = 2_000
HIGHEST_LIMIT = 2_000_000  # nodes around one row: what is open then stays open
MOST_NODES = 60_000_000  # of all searches together: a minute or two without a time limit
MOST_ROUNDS = 300  # of prices: they have settled long before
LATEST = 300  # columns that were generated, and begin the program: the last ones are the best
FIRST_WIDTH = 1.0  # low prices leave little to save: the first searches are quick
WIDEST = 8.0  # box around the best prices: a bound that moves farther is seldom better
NARROWEST = 0.02  # box: prices have settled


class GroupPrices:
    """Prices of rows from the groups known so far, of which ``count`` may be used: duals of the least cost.

    Prices per person are kept near the best ones so far, within a box around the center that grows while they
    get better and shrinks when they do not (the box step method of Marsten, Hogan and Blankenship, Operations
    Research 23, 1975).
    """

    def __init__(self, people: IntArray, count: int, center: FloatArray) -> None:
        n = len(people)
        self.people = people.astype(np.float64)
        self.center, self.width = center, FIRST_WIDTH
        self._known: set[tuple[bytes, int]] = set()
        self._program = CoveringProgram(np.append(np.ones(n), -count), presolve=True)
        sides = sparse.eye(n + 1, n)  # these hold the prices below, and above, the sides of the box
        self._program.add_columns(sparse.hstack((sides, -sides), format="csc"))

    def add(self, rows: IntArray, cost: int) -> bool:
        """Add a group and what it costs together; false if it was there."""
        new = (rows.tobytes(), cost) not in self._known
        if new:
            self._known.add((rows.tobytes(), cost))
            n, size = len(self.people), len(rows)
            entries = np.append(np.ones(size), -1.0), np.append(rows, n), np.array([0, size + 1])
            self._program.add_columns(sparse.csc_matrix(entries, shape=(n + 1, 1)), np.array([cost]))
        return new

    def solve(self, stop: Stop) -> tuple[FloatArray, float, float] | None:
        """Prices per person, what a group must save to be of use, and the cost by parts of groups.

        ``None`` when time was too short.
        """
        n = len(self.people)
        low, high = np.maximum(0.0, self.center - self.width), self.center + self.width
        self._program.price(np.append(high * self.people, -low * self.people))
        relaxed = self._program.solve(stop)
        if relaxed is None:
            return None
        return relaxed.duals[:n] / self.people, float(relaxed.duals[n]), relaxed.value

    def at_side(self, prices: FloatArray) -> bool:
        """Whether a wider box would let prices go further."""
        outside = np.abs(prices - self.center) >= self.width - 1e-6
        return bool((outside & ((prices > self.center) | (prices > 1e-6))).any()) and self.width < WIDEST

    def resize(self, factor: float) -> None:
        """Make the box so many times as wide, within limits."""
        self.width = min(WIDEST, max(NARROWEST, factor * self.width))


def cheapest_cover(run: Generated) -> CostStanding:
    """Make the best cover of a search cheaper, and prove how cheap it can be."""
    with run.statistics.timed("least cost"):
        stage = _Stage(run)
        stage.generate()
        stage.improve()
        run.statistics.count("nodes of searches for savings", stage.search.nodes)
        run.statistics.count("columns with costs", len(stage.columns))
        return stage.answer()


class _Stage:
    """Columns with costs, prices, and the best of both so far."""

    def __init__(self, run: Generated) -> None:
        self.run, self.space = run, run.space
        self.problem, self.people = run.space.problem, run.space.problem.multiplicity[run.space.helpable]
        self._costs = self.problem.costs or Costs.changes(self.problem.levels)
        self.changes = fewest_changes(run.space, run.stop)
        self.least = least_costs(self.problem, run.space.rows, self.changes)
        self.search = SavingsSearch(run.space, self.least)
        self._columns: dict[bytes, Column] = {}
        for column in run.best:
            self._add(column)
        self.best, self.k = np.arange(len(self.columns)), len(self.columns)  # by number: the best cover
        self.cost = int((self._served()[1] * self.people).sum())
        self.savings = np.zeros(len(self.people), dtype=np.int64)
        self.prices = self.least * ONE_IN_COVERS
        self.value = int((self.people * self.prices).sum())

    @property
    def columns(self) -> list[Column]:
        """All of them, in the order in which they came."""
        return list(self._columns.values())

    @property
    def bound(self) -> int:
        """No cover by as many groups costs less."""
        return min(self.cost, max(0, -(-self.value // ONE_IN_COVERS)))

    def generate(self) -> None:
        """Find groups and prices in turn; search longer where that ends without a proof."""
        run, prices, limit = self.run, self._first_prices(), FIRST_LIMIT
        self.improve()
        for _ in range(MOST_ROUNDS):
            if limit > HIGHEST_LIMIT or self.search.nodes >= MOST_NODES or self.bound >= self.cost:
                break
            solved = prices.solve(run.stop)
            if solved is None:
                break
            found, worth, value = solved
            before, asked = self.value, integer_weights(found, ONE_IN_COVERS)
            added, complete = self._price(prices, asked, int(worth * ONE_IN_COVERS), limit)
            standing = self.cost, self.bound
            run.context.report("least cost", len(self.columns), value, standing, "cost")
            if added or self.value > before + ONE_IN_COVERS // 1000:
                continue
            if not complete:
                limit *= 4
            elif not prices.at_side(found):
                break
            prices.resize(4.0)

    def _first_prices(self) -> GroupPrices:
        """Prices that know the best cover, every row alone, and the latest columns."""
        run = self.run
        prices = GroupPrices(self.people, self.k, self.least.astype(np.float64) + 2.0)
        groups = assign(self.problem, self.space.helpable, run.best)
        for column, rows in zip(run.best, groups, strict=True):
            if len(rows):
                self._add_group(prices, np.searchsorted(self.space.helpable, rows), column.point)
        for row in range(len(self.people)):
            prices.add(np.array([row]), int(self.least[row] * self.people[row]))
        for column in run.pool.columns[-LATEST:]:
            self._add_group(prices, column.rows, column.point)
        return prices

    def _price(self, prices: GroupPrices, asked: IntArray, worth: int, limit: int) -> tuple[int, bool]:
        """Look around every row for groups that save more than the others; keep what this proves."""
        savings = np.zeros(len(self.people), dtype=np.int64)
        added, complete = 0, True
        for row in range(len(self.people)):
            if self.run.stop.expired():
                return 0, False
            saving = self.search.around(row, asked, worth, limit, self.run.stop)
            savings[row] = saving.most
            complete &= saving.complete
            if len(saving.rows):
                added += self._add_group(prices, saving.rows, saving.point)
        value = int((self.people * asked).sum()) - int(np.sort(savings)[::-1][: self.k].sum())
        prices.resize(0.6 if value <= self.value else 1.2)
        if value > self.value:
            prices.center = asked / ONE_IN_COVERS
            self.prices, self.savings, self.value = asked, savings, value
        return added, complete

    def _add_group(self, prices: GroupPrices, rows: IntArray, point: IntArray) -> int:
        """Tell the prices about a group; make columns of it, where the classifier accepts points."""
        starts = self._middle(rows), point
        paid = (np.maximum(self.least[rows], self._cost(rows, start)) for start in starts)
        new = prices.add(rows, min(int(each @ self.people[rows]) for each in paid))
        for start in starts if new else ():
            self._add_near(rows, start)
        return int(new)

    def _cost(self, rows: IntArray, point: IntArray) -> IntArray:
        """What each of some rows pays for going to a point."""
        before = self.space.rows[rows]
        return self._costs.of(before, np.broadcast_to(point, before.shape))

    def _middle(self, rows: IntArray) -> IntArray:
        """Where some rows pay least together, whether it is positive or not."""
        return np.asarray(level_prices(self.problem, self.space.helpable[rows]).argmin(axis=1))

    def _add_near(self, rows: IntArray, start: IntArray) -> None:
        """Add a column for the rows, and others, with a cheap positive point near a start, if found."""
        problem, stop = self.problem, self.run.stop
        prices = level_prices(problem, self.space.helpable[rows])
        allowed = prices < UNPAYABLE
        if stop.expired() or not allowed[np.arange(len(start)), start].all():
            return
        positive = bool(problem.oracle.positive(start[None])[0])
        point = cheap_point(problem, prices, start, allowed, positive=positive)
        if point is None and not stop.expired():
            nothing = np.zeros(len(start), dtype=np.bool_)
            near = problem.oracle.reach(Question(start, nothing, STEPS_AWAY, allowed, stop)).point
            point = None if near is None else cheap_point(problem, prices, near, allowed, positive=True)
        if point is not None:
            changed = (self.space.rows[rows] != point).any(axis=0)
            if int(changed.sum()) <= problem.max_changes:
                self.space.absorb(point, changed)
                self._add(Column.covering(self.space, point, changed))

    def _add(self, column: Column) -> None:
        self._columns.setdefault(column.point.tobytes() + column.changed.tobytes(), column)

    def improve(self) -> None:
        """Choose the cheapest columns of all; then better points for just the rows that go there."""
        stop = self.run.stop
        while not stop.expired():
            time = SCHEDULE.cheapest.of(stop, least=0.1)
            search = Search(time, self.run.options.table, seed=self.run.context.seed)
            needed = int(self.people.sum())
            people = self.problem.multiplicity
            found = solve_cost(self._table(), people, self.k, needed, self.best, search)
            before = self.cost, len(self.columns)
            if found.cost < self.cost:
                self.best, self.cost = found.chosen, found.cost
            for number, point in enumerate([self.columns[index].point for index in found.chosen.tolist()]):
                rows = np.flatnonzero(found.assignment[self.space.helpable] == number)
                for start in (self._middle(rows), point) if len(rows) else ():
                    self._add_near(rows, start)
            if (self.cost, len(self.columns)) == before:
                break

    def _table(self) -> ColumnTable:
        return table_of_columns(self.space, self.columns)

    def _served(self) -> tuple[IntArray, IntArray]:
        """For each row the cheapest column in use, by its index there, and what it pays."""
        owner, least = cheapest(self._table(), self.best, len(self.problem.rows))
        return owner[self.space.helpable], least[self.space.helpable]

    def answer(self) -> CostStanding:
        """The columns in use, each row where it is cheapest, and what was proved."""
        problem, helpable = self.problem, self.space.helpable
        owner = np.full(len(problem.rows), -1)
        owner[helpable] = self._served()[0]
        # Of rows that are not helpable nothing is said.
        prices, changes, savings = np.zeros((3, len(problem.rows)), dtype=np.int64)
        prices[helpable], changes[helpable], savings[helpable] = self.prices, self.changes, self.savings
        proof = cost_proof(
            problem,
            prices,
            ONE_IN_COVERS,
            self.k,
            int(self.people.sum()),
            self.bound,
            anchors=(changes, savings),
            scope=np.flatnonzero(prices + savings),
        )
        return CostStanding(self._table(), self.best, owner, self.cost, proof)
