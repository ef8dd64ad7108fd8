"""What rows could become: every point that is within so many changes of them, until one is positive."""

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from oneformany.verify.problem import Problem
from oneformany.verify.reading import BoolArray, IntArray, NotConfirmedError

MOST_POINTS = 2**22
NUMBERS = 2**16  # of points that are looked at together

Points = tuple[IntArray, IntArray]
"""Points, and the index of the row that could become each."""


def helped_row(problem: Problem, rows: IntArray, budget: IntArray) -> int | None:
    """Find one of some given rows that becomes positive by so many changes; ``None`` if none does."""
    problem.limits.need(2 * len(rows) * sum(problem.levels), "the moves of all rows")
    may = [problem.may(feature, cells) for feature, cells in enumerate(problem.codes[rows].T)]
    every = np.arange(len(may))
    return Near(problem, rows, np.hstack(may)).positive_row(every[:0], every, budget)


def is_group_helped(
    problem: Problem, rows: IntArray, changed: IntArray, opened: IntArray, budget: int
) -> bool:
    """Tell whether there is a positive point of cells that all of some given rows could become.

    Features that are changed take any level, and of the open ones so many may; the others stay.
    """
    codes = problem.codes[rows]
    # Without a rule all may go where the first one may.
    given = (codes[:1] if rule is None else codes for rule in problem.rules)
    may = [problem.may(feature, cells[:, feature]).all(axis=0) for feature, cells in enumerate(given)]
    near = Near(problem, rows[:1], np.concatenate(may)[None])
    return near.positive_row(changed, opened, np.array([budget])) is not None


def repeated(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Repeat each index so often: the indices, and how often each was there before."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)


class Near:
    """Points that each of some given rows could become, one level for every feature.

    Where the score is a sum of tables or leaves, what it cannot reach any more is passed over.
    """

    def __init__(self, problem: Problem, rows: IntArray, may: BoolArray) -> None:
        self._problem, self._levels = problem, np.array(problem.levels)
        self._starts = np.cumsum(self._levels) - self._levels
        self._rows, self._may = rows, may  # (r, levels of all features)

    def positive_row(self, changed: IntArray, opened: IntArray, budget: IntArray) -> int | None:
        """Find a row that could become a positive point, until there are too many to look at."""
        problem, classifier, seen = self._problem, self._problem.classifier, 0
        if classifier.scores is None and not classifier.lenient:
            return None
        for points, who in self.points(changed, opened, budget):
            seen += len(points)
            rows, held = self._rows[who], np.ones(len(points), dtype=np.bool_)
            if seen > MOST_POINTS * len(self._rows):
                told = (
                    f"more than {MOST_POINTS} points would have to be looked at under the {classifier.kind}"
                )
                raise NotConfirmedError(f"row {rows[0]}: {told}")
            for _, holds in problem.restrictions:
                held &= holds(problem.codes[rows], points)
            ends = problem.followed(rows[held], points[held])
            for row in rows[held][classifier.accepts(ends)][:1]:
                return int(row)
        return None

    def points(self, changed: IntArray, opened: IntArray, budget: IntArray) -> Iterator[Points]:
        """List points in which some features have any level and so many of the open ones have changed."""
        home, everybody = self._problem.codes[self._rows], np.arange(len(self._rows))
        for points, who in self._at(home, everybody, np.tile(changed, (len(everybody), 1)), stay=True):
            some = max(1, NUMBERS // max(1, points.size))
            for size in range(int(budget.max()) + 1):
                able, sets = np.flatnonzero(budget[who] >= size), combinations(opened.tolist(), size)
                while chosen := list(islice(sets, some)):
                    pairs = np.repeat(able, len(chosen))
                    features = np.tile(np.array(chosen, dtype=np.int64), (len(able), 1))
                    yield from self._at(points[pairs], who[pairs], features, stay=False)

    def _at(self, points: IntArray, who: IntArray, features: IntArray, *, stay: bool) -> Iterator[Points]:
        """Let points take levels in the features of each, others than they have unless they may stay."""
        problem, reach, waiting = self._problem, self._problem.classifier.reach, [(points, who, features)]
        while waiting:
            problem.limits.check()
            points, who, features = waiting.pop()
            if reach is not None and not stay:
                free = np.zeros(points.shape, dtype=np.bool_)
                free[np.arange(len(points))[:, None], features] = True
                could = reach(problem.followed(self._rows[who], points), free) >= problem.classifier.threshold
                points, who, features = points[could], who[could], features[could]
            if features.shape[1] == 0:
                yield points, who
            elif len(points):
                room = np.searchsorted(np.cumsum(self._levels[features[:, 0]]), NUMBERS // points.shape[1])
                now, later = slice(max(1, room)), slice(max(1, room), None)
                waiting.append((points[later], who[later], features[later]))
                which, level = repeated(self._levels[features[now, 0]])
                feature = features[which, 0]
                may = self._may[who[which], self._starts[feature] + level]
                may &= stay | (level != points[which, feature])
                moved = points[which[may]]
                moved[np.arange(len(moved)), feature[may]] = level[may]
                waiting.append((moved, who[which[may]], features[which[may], 1:]))
