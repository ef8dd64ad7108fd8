"""What rows could become: the points within so many changes of them, few changes first."""

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from oneformany.verify.problem import Problem
from oneformany.verify.reading import BoolArray, IntArray

NUMBERS = 2**16  # of points that are looked at together

Points = tuple[IntArray, IntArray]
"""Points, and the index of the row that could become each."""


def repeated(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Repeat each index so often: the indices, and how often each was there before."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)


class Near:
    """Points that each of some given rows could become, one level for every feature.

    Methods speak of indices of these rows. Where the score is a sum of tables or leaves, what it cannot reach
    any more is passed over.
    """

    def __init__(self, problem: Problem, rows: IntArray, may: BoolArray | None = None) -> None:
        self.problem, self.given, self.cells = problem, rows, problem.codes[rows]
        self._levels = np.array(problem.levels)
        self._starts = np.cumsum(self._levels) - self._levels
        if may is None:
            problem.limits.need(2 * len(rows) * sum(problem.levels), "the moves of all rows")
            may = np.vstack([problem.may(feature, cells).T for feature, cells in enumerate(self.cells.T)])
        self._may = may  # (levels of all features, rows)

    def may(self, feature: int) -> BoolArray:
        """Tell which cells of a feature each row may move to, or is in, ``(levels, rows)``."""
        return self._may[self._starts[feature] :][: self._levels[feature]]

    def held(self, points: IntArray, who: IntArray) -> BoolArray:
        """Tell which points their rows may become by rules on whole rows, and are positive then."""
        problem, held = self.problem, np.ones(len(points), dtype=np.bool_)
        for _, broken in problem.broken(self.given[who], points):
            held &= ~broken
        held[held] = problem.classifier.accepts(problem.followed(self.given[who[held]], points[held]))
        return held

    def reached(self, points: IntArray, who: IntArray, free: BoolArray) -> BoolArray:
        """Tell which points may become positive by features that are free, as far as that is quickly told."""
        classifier = self.problem.classifier
        if classifier.reach is None:
            return np.ones(len(points), dtype=np.bool_)
        ends = self.problem.followed(self.given[who], points)
        return np.asarray(classifier.reach(ends, free) >= classifier.threshold)

    def positive_row(self, changed: IntArray, opened: IntArray, budget: IntArray) -> int | None:
        """Find a given row that could become a positive point."""
        classifier = self.problem.classifier
        if classifier.missing and not classifier.lenient:
            return None
        for points, who in self.points(changed, opened, budget):
            for index in who[self.held(points, who)][:1]:
                return int(self.given[index])
        return None

    def points(self, changed: IntArray, opened: IntArray, budget: IntArray) -> Iterator[Points]:
        """List points in which some features have any level and so many of the open ones have changed.

        Points with few changes come first. What is taken from the budget meanwhile is not looked at any more.
        """
        rows = np.flatnonzero(budget >= 0)
        for points, who in self._at(self.cells[rows], rows, np.tile(changed, (len(rows), 1)), opened):
            some = max(1, NUMBERS // max(1, points.size))
            for size in range(int(budget.max(initial=-1)) + 1):
                sets = combinations(opened.tolist(), size)
                while chosen := list(islice(sets, some)):
                    pairs = np.repeat(np.flatnonzero(budget[who] >= size), len(chosen))
                    if not len(pairs):
                        break
                    features = np.resize(np.array(chosen, dtype=np.int64), (len(pairs), size))
                    yield from self._at(points[pairs], who[pairs], features)

    def _at(
        self, points: IntArray, who: IntArray, features: IntArray, opened: IntArray | None = None
    ) -> Iterator[Points]:
        """Let points take levels in the features of each; others than they have, unless some are open yet."""
        waiting = [(points, who, features)]
        while waiting:
            self.problem.limits.check()
            points, who, features = waiting.pop()
            free = np.zeros(points.shape, dtype=np.bool_)
            free[:, [] if opened is None else opened] = True
            free[np.arange(len(points))[:, None], features] = True
            could = self.reached(points, who, free)
            points, who, features = points[could], who[could], features[could]
            if features.shape[1] == 0:
                yield points, who
            elif len(points):
                room = np.searchsorted(np.cumsum(self._levels[features[:, 0]]), NUMBERS // points.shape[1])
                now, later = slice(max(1, room)), slice(max(1, room), None)
                waiting.append((points[later], who[later], features[later]))
                which, level = repeated(self._levels[features[now, 0]])
                feature = features[which, 0]
                may = self._may[self._starts[feature] + level, who[which]]
                may &= (opened is not None) | (level != points[which, feature])
                moved = points[which[may]]
                moved[np.arange(len(moved)), feature[may]] = level[may]
                waiting.append((moved, who[which[may]], features[which[may], 1:]))
