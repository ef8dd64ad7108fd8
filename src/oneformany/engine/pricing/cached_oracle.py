"""The classifier as the engine uses it: asked as rarely as possible, never asked the same thing twice."""

from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import SearchSpace
from oneformany.oracles.protocol import Answer, Question
from oneformany.statistics import Statistics
from oneformany.stop import Stop

# The latest positive ones, tried before the classifier is asked; a pass over more takes as long as asking
POINTS_KEPT = 512


class CachedOracle:
    """Answers whether a choice around a row has a positive point, from units, known points or the oracle."""

    def __init__(self, space: SearchSpace, statistics: Statistics, stop: Stop | None = None) -> None:
        self.space = space
        self.stop = stop
        self.statistics = statistics
        self._answers: dict[bytes, Answer] = {}
        self._points = np.zeros((0, space.problem.n_features), dtype=np.int64)

    def ask(self, row: int, choice: IntArray) -> Answer:
        """Look for a positive point of the column around ``row`` with this choice of options."""
        question = self.space.question(row, choice)
        if self.space.relaxation.exact:
            return self.space.problem.oracle.reach(question)
        outside = np.where(choice < 0, self.space.rows[row], -1)
        key = choice.tobytes() + outside.tobytes()
        if key not in self._answers:
            self._answers[key] = self._settle(question)
        return self._answers[key]

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
        """Look among the known points first."""
        inside = question.domain[np.arange(self._points.shape[1]), self._points]
        moved = (self._points != question.anchor) & ~question.free
        fits = (inside | ~(moved | question.free)).all(axis=1) & (moved.sum(axis=1) <= question.extra)
        if fits.any():
            self.statistics.count("questions answered by known points")
            return Answer(self._points[fits.argmax()].copy())
        with self.statistics.timed("oracle"):
            answer = self.space.problem.oracle.reach(replace(question, stop=self.stop))
        if answer.point is not None:
            self.learn(answer.point)
            self.statistics.count("questions answered by a point")
        else:
            how = "answered by a proof" if answer.proved_none else "left open"
            self.statistics.count(f"questions {how}")
            if not answer.proved_none and self.stop is not None and not self.stop.expired():
                spare = getattr(self.space.problem.oracle, "max_calls", None)
                self.stop.met("questions" if spare is None else "calls")
        return answer
