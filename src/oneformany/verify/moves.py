"""What some rows may become, feature by feature, and whether the classifier possibly accepts them then."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod

import numpy as np

from oneformany.verify.problem import NO_TARGET, Problem
from oneformany.verify.reading import BoolArray, IntArray

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
        classifier = problem.classifier
        self.problem = problem
        self.given = rows
        self.cells, self.values = problem.codes[rows], problem.values[rows]
        self.doubt = classifier.scores is None
        problem.limits.need(
            len(rows) * (sum(problem.levels) * (9 if classifier.summed else 1) + 64 * len(problem.levels)),
            "the moves of all rows",
        )
        self.may: list[BoolArray] = []  # (cells, rows) of each feature
        self.gain: list[IntArray] = []
        self.lacking = classifier.lacking(self.values)
        everybody = np.arange(len(rows))
        for feature, cells in enumerate(self.cells.T):
            rule, targets = problem.rules[feature], problem.targets[feature]
            may = np.ones((len(targets), len(rows)), dtype=np.bool_) if rule is None else rule[cells].T.copy()
            may[targets == NO_TARGET] = False
            may[cells, everybody] = True
            self.may.append(may)
            if classifier.summed:
                table = classifier.tables[classifier.starts[feature] :]
                gain = table[np.maximum(targets, 0)][:, None] - table[self.values[:, feature]]
                gain[cells, everybody] = 0
                self.gain.append(gain)

    @cached_property
    def most(self) -> list[IntArray]:
        """The most that changing each feature can add to each row's score."""
        pairs = zip(self.may, self.gain, strict=True)
        return [np.asarray(np.where(may, gain, 0).max(axis=0)) for may, gain in pairs]

    def able(self, features: Sequence[int], rows: IntArray) -> BoolArray:
        """Tell which rows changing these features can help, as far as that is quickly told."""
        classifier = self.problem.classifier
        if classifier.summed:
            gains = (self.most[feature][rows] for feature in features)
            return np.asarray(sum(gains, np.zeros(len(rows), dtype=np.int64)) >= self.lacking[rows])
        if classifier.reach is None:
            return np.ones(len(rows), dtype=np.bool_)
        free = np.isin(np.arange(len(self.problem.levels)), features)
        return np.asarray(classifier.reach(self.values[rows], free) >= classifier.threshold)

    def possible(self, features: Sequence[int], targets: IntArray, rows: IntArray) -> BoolArray:
        """Tell which rows may follow which targets, and are possibly positive then, ``(g, r)``.

        There is one row of targets for each choice, and one column for each feature that changes.
        """
        classifier, restrictions = self.problem.classifier, self.problem.restrictions
        inside = np.ones((len(targets), len(rows)), dtype=np.bool_)
        total = np.zeros(inside.shape if classifier.summed else (), dtype=np.int64)
        for feature, goals in zip(features, targets.T, strict=True):
            pairs = np.ix_(goals, rows)
            inside &= self.may[feature][pairs]
            if classifier.summed:
                total += self.gain[feature][pairs]
        if classifier.summed:
            inside &= total >= self.lacking[rows]
            self.doubt |= bool((inside & (total < self.lacking[rows] + classifier.margin)).any())
        judged = not classifier.summed and classifier.scores is not None
        if not judged and not restrictions:
            return inside
        which, who = np.nonzero(inside)
        before = self.cells[rows[who]]
        after = before.copy()
        after[:, list(features)] = targets[which]
        held = np.ones(len(who), dtype=np.bool_)
        for _, holds in restrictions:
            held &= holds(before, after)
        if judged:
            kept = np.flatnonzero(held)
            held[kept] = self._possibly(self.problem.followed(self.given[rows[who[kept]]], after[kept]))
        inside[which, who] = held
        return inside

    def costs(self, features: Sequence[int], targets: IntArray, rows: IntArray) -> IntArray:
        """Tell what each row pays for each choice of targets, ``(g, r)``."""
        total = np.zeros((len(targets), len(rows)), dtype=np.int64)
        for feature, goals in zip(features, targets.T, strict=True):
            total += self.problem.price(feature, self.cells[rows, feature], goals[:, None])
        return total

    def _possibly(self, ends: IntArray) -> BoolArray:
        """Ask about every different end once, where they are easily told apart."""
        levels = self.problem.sizes
        which: IntArray | slice = slice(None)
        if prod(levels) <= LARGEST_KEY:
            radix = np.array([prod(levels[:feature]) for feature in range(len(levels))], dtype=np.int64)
            _, first, index = np.unique(ends @ radix, return_index=True, return_inverse=True)
            ends, which = ends[first], index.ravel()
        found = np.zeros(len(ends), dtype=np.bool_)
        for begin in range(0, len(ends), BATCH):
            self.problem.limits.check()
            surely, possibly = self.problem.classifier.judge(ends[begin : begin + BATCH])
            found[begin : begin + BATCH] = possibly
            self.doubt |= bool((possibly & ~surely).any())
        return np.asarray(found[which])


class Neighbourhood:
    """Levels that each feature of a point may take: none to which one of the rows may not move.

    Features that are ``changed`` take any level, those that are ``kept`` the one of the first row; the others
    may change as long as the budget lasts. In the order of looking at them, those come last that may stay as
    they are without being ``kept``.
    """

    def __init__(
        self,
        problem: Problem,
        rows: IntArray,
        budget: int,
        changed: BoolArray | None = None,
        kept: BoolArray | None = None,
    ) -> None:
        nothing = np.zeros(len(problem.levels), dtype=np.bool_)
        changed, kept = (nothing if which is None else which for which in (changed, kept))
        self.home = rows[0]
        self.budget = budget
        self.paid = ~(changed | kept)
        self.levels = []
        for feature, (n, rule) in enumerate(zip(problem.levels, problem.rules, strict=True)):
            may = np.ones(n, dtype=np.bool_) if rule is None else rule[rows[:, feature]].all(axis=0)
            levels = np.flatnonzero(may & ((np.arange(n) == self.home[feature]) | ~kept[feature]))
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
    kind, doubt = problem.classifier.kind, None
    if problem.classifier.scores is None:
        return f"the file does not hold the {kind} classifier"
    if len(around) > MOST_POINTS:
        return f"more than {MOST_POINTS} points would have to be looked at under the {kind}"
    for points in around.batches():
        problem.limits.check()
        surely, possibly = problem.classifier.judge(points)
        if surely.any():
            return SURELY
        if possibly.any():
            doubt = f"a point is so near the threshold that rounding decides about it under the {kind}"
    return doubt
