"""What some rows may become, feature by feature, and whether the classifier possibly accepts them then."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.classifiers import Judge
from oneformany.verify.problem import NO_TARGET, Problem

LARGEST_KEY = 2**62
BATCH = 2**15


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
