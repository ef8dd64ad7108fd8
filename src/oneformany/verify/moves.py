"""What some rows may become, feature by feature, and whether the classifier possibly accepts them then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.classifiers import Judge
from oneformany.verify.problem import NO_TARGET, Problem

LARGEST_KEY = 2**62
BATCH = 2**15
MOST_POINTS = 2**22
NUMBERS = 2**18  # of points that are looked at together

SURELY = ""
"""The doubt about a point that is surely positive."""


class Moves:
    """Rows, the cells that each may move to or is in, what that adds to an additive score, and its cost.

    Methods speak of indices of the rows here. ``doubt`` says that something was met that is possibly, but not
    surely positive.
    """

    def __init__(self, problem: Problem, rows: IntArray) -> None:
        self.problem = problem
        self.given = rows
        self.cells, self.values = problem.codes[rows], problem.values[rows]
        self.doubt = problem.classifier.judge is None
        self.summed = problem.classifier.kind == "additive"
        problem.limits.need(
            len(rows) * (sum(problem.levels) * (9 if self.summed else 1) + 64 * len(problem.levels)),
            "the moves of all rows",
        )
        self.may: list[BoolArray] = []
        self.gain: list[IntArray] = []
        self.lacking = problem.classifier.lacking(self.values)
        for feature, cells in enumerate(self.cells.T):
            rule, targets = problem.rules[feature], problem.targets(feature)
            may = np.ones((len(targets), len(rows)), dtype=np.bool_) if rule is None else rule[cells].T.copy()
            may[targets == NO_TARGET] = False
            may[cells, np.arange(len(rows))] = True
            self.may.append(may)
            if self.summed:
                start = problem.classifier.starts[feature]
                own = problem.classifier.tables[start + self.values[:, feature]]
                gain = problem.classifier.tables[start + np.maximum(targets, 0)][:, None] - own
                gain[cells, np.arange(len(rows))] = 0
                self.gain.append(gain)

    def most(self, feature: int) -> IntArray:
        """Tell the most that changing a feature can add to each row's score."""
        return np.asarray(np.where(self.may[feature], self.gain[feature], 0).max(axis=0))

    def least_cost(self, feature: int) -> IntArray:
        """Tell the least that each row pays for moving in a feature; huge where it cannot."""
        away = self.may[feature].copy()
        away[self.cells[:, feature], np.arange(len(self.cells))] = False
        goals = np.arange(len(away))
        return np.asarray(np.where(away, self._price(feature, goals, slice(None)), 2**60).min(axis=0))

    def possible(self, features: Sequence[int], targets: IntArray, rows: IntArray) -> BoolArray:
        """Tell which rows may follow which targets, and are possibly positive then, ``(g, r)``.

        There is one row of targets for each choice, and one column for each feature that changes.
        """
        inside = np.ones((len(targets), len(rows)), dtype=np.bool_)
        for feature, goals in zip(features, targets.T, strict=True):
            inside &= self.may[feature][np.ix_(goals, rows)]
        if self.summed:
            total = np.zeros(inside.shape, dtype=np.int64)
            for feature, goals in zip(features, targets.T, strict=True):
                total += self.gain[feature][np.ix_(goals, rows)]
            inside &= total >= self.lacking[rows]
            self.doubt |= bool((inside & (total < self.lacking[rows] + self.problem.classifier.margin)).any())
        judge = None if self.summed else self.problem.classifier.judge
        if judge is None and not self.problem.restrictions:
            return inside
        which, who = np.nonzero(inside)
        before = self.cells[rows[who]]
        after = before.copy()
        after[:, list(features)] = targets[which]
        holds = np.ones(len(who), dtype=np.bool_)
        for restriction in self.problem.restrictions:
            holds &= restriction.holds(before, after)
        if judge is not None:
            kept = np.flatnonzero(holds)
            ends = self.problem.followed(self.given[rows[who[kept]]], after[kept])
            holds[kept] = self._possibly(judge, ends)
        inside[which[~holds], who[~holds]] = False
        return inside

    def costs(self, features: Sequence[int], targets: IntArray, rows: IntArray) -> IntArray:
        """Tell what each row pays for each choice of targets, ``(g, r)``."""
        total = np.zeros((len(targets), len(rows)), dtype=np.int64)
        for feature, goals in zip(features, targets.T, strict=True):
            total += self._price(feature, goals, rows)
        return total

    def _price(self, feature: int, goals: IntArray, rows: IntArray | slice) -> IntArray:
        cells = self.cells[rows, feature]
        if self.problem.costs is None:
            return np.asarray(goals[:, None] != cells).astype(np.int64)
        return self.problem.costs[feature].T[np.ix_(goals, cells)]

    def _possibly(self, judge: Judge, ends: IntArray) -> BoolArray:
        """Ask about every different end once, where they are easily told apart."""
        own = self.problem.own
        levels = self.problem.levels if own is None else tuple(len(cells) for cells in own.cell_of)
        which: IntArray | slice = slice(None)
        if prod(levels) <= LARGEST_KEY:
            radix = np.array([prod(levels[:feature]) for feature in range(len(levels))], dtype=np.int64)
            _, first, index = np.unique(ends @ radix, return_index=True, return_inverse=True)
            ends, which = ends[first], index.ravel()
        found = np.zeros(len(ends), dtype=np.bool_)
        for begin in range(0, len(ends), BATCH):
            self.problem.limits.check()
            surely, possibly = judge(ends[begin : begin + BATCH])
            found[begin : begin + BATCH] = possibly
            self.doubt |= bool((possibly & ~surely).any())
        return np.asarray(found[which])


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
        most = max(1, NUMBERS // len(order))
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
