"""The classifier as the engine uses it: asked as rarely as possible, never asked the same thing twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.no_goods import NoGoods
from oneformany.engine.pricing.space import SearchSpace
from oneformany.oracles.protocol import Answer, Question
from oneformany.statistics import Statistics
from oneformany.stop import Stop

POINTS_KEPT = 512


class CachedOracle:
    """Answers whether a choice around a row has a positive point, from units, known points or the oracle."""

    def __init__(self, space: SearchSpace, statistics: Statistics, stop: Stop | None = None) -> None:
        self.space = space
        self.stop = stop
        self.statistics = statistics
        self._answers: dict[bytes, Answer] = {}
        self._points = np.zeros((0, space.problem.n_features), dtype=np.int64)
        self._no_goods = NoGoods(space.problem.n_features, space.problem.width)

    def ask(self, row: int, choice: IntArray) -> Answer:
        """Look for a positive point of the column around ``row`` with this choice of options."""
        if self.space.arrays.exact:
            return self.space.problem.oracle.reach(self.space.question(row, choice))
        outside = np.where(choice < 0, self.space.rows[row], -1)
        key = choice.tobytes() + outside.tobytes()
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._settle(self.space.question(row, choice))
        return known

    def column(self, row: int, choice: IntArray) -> Column | None:
        """Make a column of a choice, with every row that the changes left can take in."""
        point = self.ask(row, choice).point
        if point is None:
            return None
        changed = (choice >= 0) | (point != self.space.rows[row])
        self.space.absorb(point, changed)
        return Column.covering(self.space, point, changed)

    def learn(self, point: IntArray) -> None:
        """Remember a positive point for later questions."""
        self._points = np.vstack((point, self._points[: POINTS_KEPT - 1]))

    def _settle(self, question: Question) -> Answer:
        known = self._among_known(question)
        if known is not None:
            self.statistics.count("questions answered by known points")
            return Answer(known)
        if self._no_goods.answer(question):
            self.statistics.count("questions answered by known proofs")
            return Answer.none()
        with self.statistics.timed("oracle"):
            answer = self.space.problem.oracle.reach(replace(question, stop=self.stop))
        if answer.point is not None:
            self.learn(answer.point)
            self.statistics.count("questions answered by a point")
        elif answer.proved_none:
            self._no_goods.learn(question)
            self.statistics.count("questions answered by a proof")
        else:
            self.statistics.count("questions left open")
        return answer

    def _among_known(self, question: Question) -> IntArray | None:
        inside = question.domain[np.arange(self._points.shape[1]), self._points]
        moved = (self._points != question.anchor) & ~question.free
        fits = (inside | ~(moved | question.free)).all(axis=1) & (moved.sum(axis=1) <= question.extra)
        found = np.flatnonzero(fits)
        return self._points[found[0]].copy() if len(found) else None
