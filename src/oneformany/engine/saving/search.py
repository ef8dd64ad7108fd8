"""Groups of rows and costs: what moves cost, cheap points for a group, and what no group saves more than."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given
from oneformany.engine.columns import Column
from oneformany.engine.pricing.kernels import DONE, LIMIT, NODE
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving import kernels as k
from oneformany.engine.saving.kernels import NEVER
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.oracles.protocol import Question, Relaxation
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop

MOST_STEPS = 4
SWEEPS = 20
FORBIDDEN = np.iinfo(np.int64).max
MOST_RANGES = 32
NODES_AT_ONCE = 50_000


def move_costs(problem: Problem) -> IntArray:
    """``(p, V, V)``: what going from a level to another costs, ``NEVER`` where that is not allowed."""
    p, width = problem.exists.shape
    costs = np.full((p, width, width), NEVER, dtype=np.int64)
    tables = (problem.costs or Costs.changes(problem.levels)).tables
    for feature, (table, moves) in enumerate(zip(tables, problem.moves, strict=True)):
        n = len(table)
        costs[feature, :n, :n] = table if moves is None else np.where(moves, table, NEVER)
    return costs


def leaving_costs(costs: IntArray) -> IntArray:
    """``(p, V)``: the least that going away from a level costs."""
    return np.asarray(np.where(np.eye(costs.shape[1], dtype=np.bool_), NEVER, costs).min(axis=2))


def meeting_costs(costs: IntArray, rows: IntArray) -> IntArray:
    """``(p, V, V)``: what rows at two levels pay at least together to meet, for levels that rows have."""
    together = np.full(costs.shape, NEVER)
    for feature, moves in enumerate(costs):
        levels = np.unique(rows[:, feature])
        for level in levels.tolist():
            together[feature, level, levels] = (moves[level] + moves[levels]).min(axis=1)
    return np.asarray(np.minimum(together, NEVER))


def fewest_changes(space: SearchSpace, stop: Stop) -> IntArray:
    """For each row of the space a number of changes below which none is proved to help."""
    problem = space.problem
    fewest = np.zeros(len(space.helpable), dtype=np.int64)
    for index, row in enumerate(space.helpable.tolist()):
        question = replace(problem.question(row), stop=stop)
        while fewest[index] < problem.max_changes and not stop.expired():
            if not problem.oracle.reach(replace(question, extra=int(fewest[index]))).proved_none:
                break
            fewest[index] += 1
    return fewest


def least_costs(problem: Problem, rows: IntArray, changes: IntArray) -> IntArray:
    """What so many changes cost each row at least: as many of its cheapest moves in different features."""
    moves = leaving_costs(move_costs(problem))[np.arange(problem.n_features), rows]
    totals = np.cumsum(np.sort(moves, axis=1), axis=1)
    every = np.concatenate((np.zeros((len(rows), 1), dtype=np.int64), totals), axis=1)
    return np.minimum(every[np.arange(len(rows)), changes], NEVER)


class CheapPoints:
    """Finds points for groups of rows of a space, and tells what they cost."""

    def __init__(self, space: SearchSpace, stop: Stop) -> None:
        self.space = space
        self.stop = stop
        self.problem = space.problem
        self.people = self.problem.multiplicity[space.helpable].astype(np.int64)
        self._costs = self.problem.costs or Costs.changes(self.problem.levels)
        self._moves = move_costs(self.problem)

    def costs(self, rows: IntArray, point: IntArray) -> IntArray:
        """What each of some rows pays for going to a point."""
        before = self.space.rows[rows]
        return self._costs.of(before, np.broadcast_to(point, before.shape))

    def middle(self, rows: IntArray) -> IntArray:
        """Where the rows pay least together, whether it is positive or not."""
        return np.asarray(self._prices(rows).argmin(axis=1))

    def column(self, rows: IntArray, start: IntArray | None = None) -> Column | None:
        """A column for the rows with a cheap positive point: the middle, or one near by; also for others.

        ``None`` where none is found, or time is up: a classifier that is only asked may take long.
        """
        if self.stop.expired():
            return None
        prices = self._prices(rows)
        point = self._positive(prices, np.asarray(prices.argmin(axis=1)) if start is None else start)
        if point is None:
            return None
        point = self._cheaper(prices, point)
        changed = (self.space.rows[rows] != point).any(axis=0)
        if int(changed.sum()) > self.problem.max_changes:
            return None
        self.space.absorb(point, changed)
        return Column.covering(self.space, point, changed)

    def _prices(self, rows: IntArray) -> IntArray:
        """``(p, V)``: what the rows pay together for each level; ``FORBIDDEN`` where one may not go there."""
        prices = np.empty(self.problem.exists.shape, dtype=np.int64)
        for feature, costs in enumerate(self._moves):
            each = costs[self.space.rows[rows, feature]]
            together = (each * self.people[rows][:, None]).sum(axis=0)
            prices[feature] = np.where((each == NEVER).any(axis=0), FORBIDDEN, together)
        return prices

    def _positive(self, prices: IntArray, start: IntArray) -> IntArray | None:
        """The point itself if it is positive, otherwise one near by that costs little more."""
        oracle = self.problem.oracle
        if (prices[np.arange(len(start)), start] == FORBIDDEN).any():
            return None
        if oracle.positive(start[None])[0]:
            return start
        point = start
        for _ in range(MOST_STEPS):
            points, dearer = self._moved(point, prices)
            near = self._cheapest_positive(points, dearer)
            if near is not None or not len(points):
                return near
            scores = np.asarray(oracle.score(np.concatenate((point[None], points))))
            gain = scores[1:] - scores[0]
            if gain.max() <= 0:
                break
            point = points[int((gain / np.maximum(dearer, 0.5)).argmax())]
        nothing = np.zeros(len(start), dtype=np.bool_)
        question = Question(start, nothing, MOST_STEPS, prices < FORBIDDEN, self.stop)
        return None if self.stop.expired() else oracle.reach(question).point

    @staticmethod
    def _moved(point: IntArray, prices: IntArray) -> tuple[IntArray, IntArray]:
        """Every point that differs from this one in one feature, and what it costs the rows more."""
        others = np.arange(prices.shape[1]) != point[:, None]
        features, levels = np.nonzero((prices < FORBIDDEN) & others)
        points = np.repeat(point[None], len(features), axis=0)
        points[np.arange(len(features)), features] = levels
        return points, prices[features, levels] - prices[features, point[features]]

    def _cheapest_positive(self, points: IntArray, dearer: IntArray) -> IntArray | None:
        positive = np.flatnonzero(self.problem.oracle.positive(points)) if len(points) else dearer
        return np.asarray(points[positive[dearer[positive].argmin()]]) if len(positive) else None

    def _cheaper(self, prices: IntArray, point: IntArray) -> IntArray:
        """Move single features of a positive point while that costs the rows less and it stays positive."""
        for _ in range(SWEEPS):
            points, dearer = self._moved(point, prices)
            cheaper = self._cheapest_positive(points[dearer < 0], dearer[dearer < 0])
            if cheaper is None:
                break
            point = cheaper
        return point


class Saving(NamedTuple):
    """What was found and proved around one anchor."""

    most: int  # no group in which the anchor pays least saves more
    group: SavingGroup | None  # the best that was found
    complete: bool  # whether it saves the most


class SavingGroup(NamedTuple):
    """A group by where it goes, but for what all must change besides."""

    point: IntArray  # (p,)
    changed: BoolArray  # (p,): the features that its rows change to get there
    extra: int  # what the rest costs each


def ranges(least: int, most: int) -> Iterator[tuple[int, int]]:
    """Part what an anchor may pay into single numbers, or, where these are many, into ranges."""
    step = max(1, -(-(most - least + 1) // MOST_RANGES))
    for low in range(least, most + 1, step):
        yield low, min(most, low + step - 1)


class SavingsSearch:
    """Searches for groups of the rows of a space that save most against prices.

    ``least`` is what the cheapest change that helps each row costs at least. Where the score is additive
    (``summed``), a stranger can add it up as well, and groups pay for becoming positive.
    """

    def __init__(self, space: SearchSpace, least: IntArray) -> None:
        problem = space.problem
        n, (p, width) = len(space.rows), problem.exists.shape
        costs = move_costs(problem)
        scores = problem.oracle.relaxation()
        if scores is None or problem.oracle.describe()["kind"] != "additive":
            scores = Relaxation(np.zeros((p, width), dtype=np.int64), 0, 0, exact=False)
        self.arrays = k.SavingArrays(
            rows=space.rows,
            rank=first_given(problem)[space.helpable],
            people=problem.multiplicity[space.helpable].astype(np.int64),
            least=least,
            levels=np.array(problem.levels, dtype=np.int64),
            costs=costs,
            meeting=meeting_costs(costs, space.rows),
            leaving=leaving_costs(costs),
            units=scores.units,
            raised=np.where(costs < NEVER, scores.units[:, None, :], scores.units[:, :, None]).max(axis=2),
            lacks=scores.threshold - scores.intercept - scores.units[np.arange(p), space.rows].sum(axis=1),
            every=problem.ruled | (problem.costs is not None),
            max_changes=problem.max_changes,
            scale=ONE_IN_COVERS,
        )
        self.nodes = 0
        self.summed = bool(scores.units.any())
        self._state = k.SavingState(
            order=np.zeros(n, dtype=np.int64),
            paid=np.zeros((p + 2, n), dtype=np.int64),
            nodes=np.zeros(p + 2, dtype=NODE),
            levels=np.zeros(p, dtype=np.int64),
            found=np.zeros(p, dtype=np.int64),
            needed=np.zeros(p, dtype=np.bool_),
            loads=np.zeros((2, p), dtype=np.int64),
            scalars=np.zeros(8, dtype=np.int64),
        )

    def around(self, anchor: int, prices: IntArray, floor: int, limit: int, stop: Stop) -> Saving:
        """Look for the group that saves most, and more than ``floor``, in which the anchor pays least.

        Prices are per person, times the scale. Where ``limit`` nodes do not suffice for a search, something
        higher is proved.
        """
        most, best, complete = floor, floor, True
        group: SavingGroup | None = None
        top = (int(prices[anchor]) - 1) // self.arrays.scale
        for low, high in ranges(int(self.arrays.least[anchor]), top):
            done, saved = self._run(anchor, prices, low, high, best, limit, stop)
            if saved > best:
                best, group = saved, self._group(anchor)
            if done:
                continue
            # No group saves more than the root's bound; perhaps none saves more than half of the way to it.
            complete = False
            above = int(self._state.nodes["bound"][0])
            middle = (best + above) // 2
            done, saved = self._run(anchor, prices, low, high, middle, limit, stop)
            if saved > middle:
                best, group = saved, self._group(anchor)
            most = max(most, saved if done else above)
        return Saving(max(most, best), group, complete)

    def _group(self, anchor: int) -> SavingGroup:
        found = self._state.found
        extra = int(self._state.scalars[k.FOUND_EXTRA])
        return SavingGroup(np.where(found >= 0, found, self.arrays.rows[anchor]), found >= 0, extra)

    def _run(
        self, anchor: int, prices: IntArray, low: int, high: int, floor: int, limit: int, stop: Stop
    ) -> tuple[bool, int]:
        """Search to the end (true) or to a limit (false); what the best group above the floor saves."""
        state, scalars = self._state, self._state.scalars
        state.order[:] = np.arange(len(state.order))
        state.paid[0], state.levels[:], scalars[:] = 0, k.OPEN, 0
        state.nodes[["alive", "rest", "child"]][0] = len(state.order), self.arrays.max_changes, -1
        scalars[[k.BEST, k.LOW, k.HIGH]] = floor, low, high
        code = LIMIT
        while code == LIMIT and scalars[k.NODES] < limit and not (scalars[k.NODES] and stop.expired()):
            chunk = min(NODES_AT_ONCE, limit - int(scalars[k.NODES]))
            code = k.advance(self.arrays, state, prices, anchor, chunk)
        self.nodes += int(scalars[k.NODES])
        return code == DONE, int(scalars[k.BEST])
