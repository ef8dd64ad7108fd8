"""The classifier as the engine uses it: asked as rarely as possible, never asked the same thing twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import SearchSpace
from oneformany.oracles.protocol import Answer, Question
from oneformany.statistics import Statistics
from oneformany.stop import Stop

ENTRIES = 250_000  # that can be looked at while a classifier answers
NEVER = 2**40  # more than any budget of changes


class NoGoods:
    """The latest questions answered by "none", and whether a further question asks about no other points.

    A question charges a point 1 for each change that is not free, and admits it up to ``extra``. If all
    points of a further question are admitted, there is none among them either.
    """

    def __init__(self, n_features: int, n_levels: int) -> None:
        self._features = np.arange(n_features)
        self._kept = 1 + ENTRIES // (n_features * n_levels)
        self._charges = np.zeros((0, n_features, n_levels), dtype=np.int64)
        self._extra = np.zeros(0, dtype=np.int64)

    def learn(self, question: Question) -> None:
        """Remember that the question has no positive point."""
        charges = np.where(question.domain, 1 - question.free[:, None], NEVER)
        stays = self._features[~question.free]
        charges[stays, question.anchor[stays]] = 0
        self._charges = np.concatenate((charges[None], self._charges[: self._kept - 1]))
        self._extra = np.concatenate(([question.extra], self._extra[: self._kept - 1]))

    def answer(self, question: Question) -> bool:
        """Whether a known "none" covers every point of the question."""
        stay = self._charges[:, self._features, question.anchor]
        move = np.where(question.domain, self._charges, 0).max(axis=2)
        least = np.where(question.free, move, stay)
        worse = np.where(question.free, 0, np.maximum(move - stay, 0))
        worse = -np.sort(-worse, axis=1)[:, : question.extra]
        return bool((least.sum(axis=1) + worse.sum(axis=1) <= self._extra).any())


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
        if self.space.relaxation.exact:
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
