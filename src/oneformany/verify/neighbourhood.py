"""Every point that could serve a group, where these are few enough to look at each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.problem import Problem

MOST_POINTS = 2**22
BATCH = 2**18  # numbers, not points

SURELY = ""
"""The doubt about a point that is surely positive."""


class Neighbourhood:
    """Levels that each feature of a point may take: none to which one of the rows may not move.

    Features that are ``changed`` take any level, those that are ``kept`` the one of the first row; the others
    may change as long as the budget lasts, which is all that the problem allows unless told otherwise. In the
    order of looking at them, those come last that may stay as they are without being ``kept``.
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
            levels = np.flatnonzero(may)
            self.levels.append(levels[np.argsort(levels == self.home[feature], kind="stable")])
        self.may_stay = [bool(pays and self.home[f] in self.levels[f]) for f, pays in enumerate(self.paid)]
        self.order = sorted(range(len(self.levels)), key=self.may_stay.__getitem__)

    def __len__(self) -> int:
        """Count the points, up to one more than are looked at."""
        ways = np.ones(1)  # ways[k]: choices so far that spend k of the budget
        for levels, home, pays in zip(self.levels, self.home, self.paid, strict=True):
            moved = int((levels != home).sum()) if pays else 0
            ways = np.convolve(ways, [len(levels) - moved, moved])[: self.budget + 1]
            ways = np.minimum(ways, MOST_POINTS + 1)
        return int(min(ways.sum(), MOST_POINTS + 1))

    def batches(self) -> Iterator[IntArray]:
        """List the points, some at a time and depth first.

        Few wait, since each feature is kept last, and those that have nothing left to spend are done.
        """
        order, may_stay = self.order, self.may_stay
        most = max(1, BATCH // len(order))
        waiting = [(self.home[None], np.zeros(1, dtype=np.int64), 0, 0)]
        while waiting:
            points, spent, number, tried = waiting.pop()
            if number == len(order) or (may_stay[order[number]] and spent.min() == self.budget):
                yield points
                continue
            feature = order[number]
            levels = self.levels[feature][tried : tried + max(1, most // len(points))]
            if tried + len(levels) < len(self.levels[feature]):
                waiting.append((points, spent, number, tried + len(levels)))
            costs = spent[:, None] + (self.paid[feature] & (levels != self.home[feature]))
            which, level = np.nonzero(costs <= self.budget)
            if len(which):
                moved = points[which]
                moved[:, feature] = levels[level]
                waiting.append((moved, costs[which, level], number + 1, 0))


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
