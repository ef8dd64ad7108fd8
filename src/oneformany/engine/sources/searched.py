"""Columns that are generated while a relaxation asks for them; cases are told apart by pairs of rows.

It serves rows that share a point and are what their cells are, without rules on whole rows.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.columns import Column, level_prices, simplest_point, table_of_columns
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.cover.tree import DEEPEST_FILED
from oneformany.engine.masters.generation import bounded
from oneformany.engine.pool import Generated
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.engine.pricing.space import Decisions, Items, SearchSpace
from oneformany.engine.saving.search import SavingsSearch, fewest_changes, least_costs
from oneformany.engine.saving.stage import HIGHEST_LIMIT, cheapest_cover
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_PRICING
from oneformany.engine.screening import screen
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import NOTHING_LACKS, Halves, Shortfall
from oneformany.engine.standing import CostStanding, Standing
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.table import ColumnTable, table_of
from oneformany.engine.tree import Node, heavy_columns, pair_to_branch_on
from oneformany.problem import Problem
from oneformany.problem.problem import LARGEST_SUM
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.schedule import SCHEDULE


class Searched:
    """One case of a search; all cases share what was ``found``."""

    def __init__(self, found: Generated, unreachable: BoolArray, decisions: Decisions | None = None) -> None:
        self.found, self.problem, self.unreachable = found, found.space.problem, unreachable
        self.decisions = decisions or Decisions()
        self._node: Node | None = None
        if len(found.pool) and not found.best:
            with found.statistics.timed("start"):
                found.offer(greedy_cover(found.pool.columns, len(found.space.rows)))
            found.report("start", float(found.count), len(found.pool))

    @classmethod
    def open(cls, run: Context, start: Sequence[Explanation] = ()) -> Self:
        """Find out who can be helped, and begin with a column around each, and those that are known."""
        problem = run.problem
        ends = ((row, np.array(one.point, dtype=np.int64)) for one in start for row in one.members)
        points = {int(problem.row_of[row]): point for row, point in ends}
        screened = screen(problem, run.statistics, run.stop, points)
        space = SearchSpace(problem, screened.helpable)
        found = Generated(run, space, CachedOracle(space, run.statistics, run.stop))
        if len(space.rows):
            known = _known_columns(space, start)
            found.pool.add(found.first_columns(screened.cells[space.helpable]))
            if known:
                found.offer(greedy_cover(known + found.pool.columns, len(space.rows), range(len(known))))
                found.pool.add(known)
        return cls(found, screened.unreachable)

    @property
    def table(self) -> ColumnTable:
        """The best cover so far."""
        return table_of_columns(self.found.space, self.found.best)

    @property
    def usable(self) -> int:
        """All columns may be chosen."""
        return self.found.count

    @property
    def reachable(self) -> BoolArray:
        """The rows that have a column."""
        reachable = np.zeros(len(self.problem.rows), dtype=np.bool_)
        reachable[self.found.space.helpable] = True
        return reachable

    @property
    def known(self) -> RowWeights | None:
        """Nothing is proved before the first relaxation."""
        return None

    @property
    def shortfall(self) -> Shortfall:
        """Columns are not missing: those that are not listed are searched for."""
        return NOTHING_LACKS

    def better(self, run: Context, _before: Standing, _known: IntArray, /, **_: bool) -> Standing:
        """Generate columns for this case; list those that a smaller cover could use, and settle it."""
        found = self.found
        self._node = Node(found, Items(found.space, self.decisions))
        standing = bounded(self._node)
        run.statistics.count("branching nodes")
        return replace(standing, table=self.table, chosen=np.arange(found.count))

    def split(self, run: Context) -> Halves | None:
        """Tell apart whether two rows share a column, the pair of which the relaxation is least sure."""
        node, self._node = self._node, None  # a program is not kept for each case
        if node is None or not run.options.branching or run.stop.expired():
            return None
        pair = pair_to_branch_on(node) if self.decisions.depth < DEEPEST_FILED // 2 else None
        if pair is None:
            run.stop.met("branches")
            return None
        together, apart = (
            Searched(self.found, self.unreachable, half) for half in self.decisions.halves(pair)
        )
        one, other = self.found.space.helpable[list(pair)].tolist()
        return Halves((one, other), (together, apart))

    def price(self, weights: IntArray) -> int | None:
        """Search around every row for the heaviest column."""
        space, stop = self.found.space, self.found.stop
        unit = max(1, int(weights.max(initial=0)))
        scaled = weights[space.helpable] * (ONE_IN_PRICING // unit)  # a heavier column than one is looked for
        pricer = SearchPricer(Items(space, self.decisions), self.found.oracle)
        priced = pricer.price(scaled, stop)
        return None if priced.capacity is None else priced.capacity // (ONE_IN_PRICING // unit)

    def heavy(self, weights: IntArray, floor: int) -> ColumnTable | None:
        """List by the same search, with a floor."""
        found, items = self.found, Items(self.found.space, self.decisions)
        rows = found.space.helpable
        listed = heavy_columns(found, items, weights[rows[items.first]], floor, found.options.max_columns)
        if listed is None:
            return None
        return table_of(self.problem, [rows[items.rows_of(group)] for group in listed.groups])

    def savings(self, prices: IntArray) -> IntArray | None:
        """Search around every row for the groups in which it pays least."""
        space, stop = self.found.space, self.found.stop
        if self.decisions.depth:
            return None
        least = least_costs(self.problem, space.rows, fewest_changes(space, stop))
        search, asked = SavingsSearch(space, least), prices[space.helpable]
        around = (search.around(row, asked, 0, HIGHEST_LIMIT, stop) for row in range(len(space.rows)))
        return np.sort([saving.most for saving in around])[::-1]

    def settle(self, _standing: Standing, _run: Context) -> None:
        """Nothing is open: the classifier is asked while columns are searched for."""

    def cheaper(self, _run: Context, first: Standing) -> CostStanding | None:
        """Generate groups that save against prices; keep the first answer where that is as cheap."""
        if self.problem.most_cost * ONE_IN_COVERS >= LARGEST_SUM:  # sums could not be told exactly
            return None
        cheap = cheapest_cover(self.found)
        owner, _ = cheapest(first.table, first.chosen, first.table.n_rows)
        answers = [replace(cheap, table=first.table, chosen=first.chosen, owner=owner), cheap]
        each = [replace(one, cost=_cost(self.problem, self.groups(*one.columns))) for one in answers]
        # An undecided row might be covered instead of one that pays more.
        undecided = not (self.reachable | self.unreachable).all()
        best = min(each, key=lambda one: (len(one.chosen), one.cost))
        return replace(best, proof=None) if undecided else best

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray) -> list[Group]:
        """Points as near to their rows as time allows."""
        stop, problem = self.found.stop.at_least(SCHEDULE.polishing), self.problem
        groups = groups_of(problem, table, chosen, owner)
        simplest = (
            one.point if stop.expired() else simplest_point(problem, one.point, one.rows) for one in groups
        )
        return [replace(one, point=point) for one, point in zip(groups, simplest, strict=True)]


def _cost(problem: Problem, groups: Sequence[Group]) -> int:
    """What the rows of some groups pay together."""
    features = np.arange(problem.n_features)
    return sum(int(level_prices(problem, group.rows)[features, group.point].sum()) for group in groups)


def _known_columns(space: SearchSpace, start: Sequence[Explanation]) -> list[Column]:
    """Explanations of a known answer, with every row that they cover."""
    features = np.arange(space.problem.n_features)
    columns = (
        Column.covering(space, np.array(one.point, dtype=np.int64), np.isin(features, one.changed))
        for one in start
    )
    return [column for column in columns if len(column.rows)]
