"""Cheap points for groups of rows: where a group goes, all considered."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving.kernels import NEVER
from oneformany.engine.saving.search import move_costs
from oneformany.oracles.protocol import Question
from oneformany.problem.costs import Costs
from oneformany.stop import Stop

MOST_STEPS = 4
SWEEPS = 20
FORBIDDEN = np.iinfo(np.int64).max


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
            if not len(points):
                break
            positive = np.flatnonzero(oracle.positive(points))
            if len(positive):
                return np.asarray(points[positive[dearer[positive].argmin()]])
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

    def _cheaper(self, prices: IntArray, point: IntArray) -> IntArray:
        """Move single features of a positive point while that costs the rows less and it stays positive."""
        for _ in range(SWEEPS):
            points, dearer = self._moved(point, prices)
            points, dearer = points[dearer < 0], dearer[dearer < 0]
            if not len(points):
                break
            positive = np.flatnonzero(self.problem.oracle.positive(points))
            if not len(positive):
                break
            point = points[positive[dearer[positive].argmin()]]
        return point
