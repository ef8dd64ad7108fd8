"""Every point that could serve a group, where these are few enough to look at each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.problem import Problem

__all__ = ["MOST_POINTS", "SURELY", "Neighbourhood", "doubt_of_point"]

MOST_POINTS = 2**22
BATCH = 2**18  # numbers, not points

SURELY = ""
"""The doubt about a point that is surely positive."""


class Neighbourhood:
    """Levels that each feature of a point may take: none to which one of the rows may not move.

    Features that are ``changed`` take any level, those that are ``kept`` the one of the first row; the others
    may change as long as the budget lasts, which is all that the problem allows unless told otherwise.
    """

    def __init__(
        self,
        problem: Problem,
        rows: IntArray,
        changed: BoolArray | None = None,
        kept: BoolArray | None = None,
        budget: int | None = None,
    ) -> None:
        nothing = np.zeros(len(problem.levels), dtype=np.bool_)
        changed, kept = (nothing if which is None else which for which in (changed, kept))
        self.home = rows[0]
        self.budget = problem.max_changes if budget is None else budget
        self.paid = ~(changed | kept)
        self.levels = []
        for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
            may = np.ones(n, dtype=np.bool_) if rule is None else rule[rows[:, feature]].all(axis=0)
            if kept[feature]:
                may = may & (np.arange(n) == self.home[feature])
            self.levels.append(np.flatnonzero(may))

    def __len__(self) -> int:
        """Count the points, or stop counting when they are too many."""
        ways = [1]  # ways[k]: choices so far that spend k of the budget
        for feature, levels in enumerate(self.levels):
            stay = int(np.count_nonzero(levels == self.home[feature])) if self.paid[feature] else len(levels)
            moved = len(levels) - stay
            ways = [
                min(
                    stay * (ways[k] if k < len(ways) else 0) + moved * (ways[k - 1] if k else 0),
                    MOST_POINTS + 1,
                )
                for k in range(min(self.budget, len(ways)) + 1)
            ]
        return min(sum(ways), MOST_POINTS + 1)

    def batches(self) -> Iterator[IntArray]:
        """List the points, a few at a time and depth first, so that few wait."""
        most = max(1, BATCH // len(self.levels))
        last = len(self.levels)
        waiting = [iter([(self.home[None].astype(np.int32), np.zeros(1, dtype=np.int32), 0)])]
        while waiting:
            part = next(waiting[-1], None)
            if part is None:
                waiting.pop()
                continue
            points, spent, feature = part
            while feature < last and len(points) and len(points) * len(self.levels[feature]) <= most:
                moved = [self._moved(points, spent, feature, int(level)) for level in self.levels[feature]]
                points = np.concatenate([points[:0], *(m[0] for m in moved)])
                spent = np.concatenate([spent[:0], *(m[1] for m in moved)])
                feature += 1
            if feature < last and len(points):
                waiting.append(self._split(points, spent, feature))
            elif len(points):
                yield points

    def _split(
        self, points: NDArray[np.int32], spent: NDArray[np.int32], feature: int
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], int]]:
        for level in self.levels[feature]:
            yield (*self._moved(points, spent, feature, int(level)), feature + 1)

    def _moved(
        self, points: NDArray[np.int32], spent: NDArray[np.int32], feature: int, level: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        costs = spent + np.int32(self.paid[feature] and level != self.home[feature])
        able = costs <= self.budget
        moved = points[able]
        moved[:, feature] = level
        return moved, costs[able]


def doubt_of_point(problem: Problem, around: Neighbourhood) -> str | None:
    """Look for a positive point: ``None`` if none is even possibly positive, otherwise why it is not known.

    ``SURELY`` if one surely is.
    """
    kind, judge = problem.classifier.kind, problem.classifier.judge
    if judge is None:
        return f"the file does not hold the {kind} classifier"
    if len(around) > MOST_POINTS:
        return f"more than {MOST_POINTS} points would have to be looked at under the {kind}"
    doubt = None
    for points in around.batches():
        problem.limits.check()
        surely, possibly = judge(points)
        if surely.any():
            return SURELY
        if possibly.any():
            doubt = f"a point is so near the threshold that rounding decides about it under the {kind}"
    return doubt
