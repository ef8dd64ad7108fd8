"""Every point that could serve a group, where these are few enough to look at each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.claims import Statement

__all__ = ["MOST_POINTS", "Places", "has_positive_point"]

MOST_POINTS = 2**22
BATCH = 2**16

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Places:
    """Levels that each feature of a point may take.

    Parameters
    ----------
    statement : Statement
        What was asked.
    rows : (n, p) integer array
        The group; it may not move to a level that one of its rows may not move to.
    changed : (p,) boolean array
        Features that change: any level, at no cost.
    kept : (p,) boolean array
        Features that keep the level of the first row; the others may change as long as ``budget`` lasts.
    budget : int
        How many others may.
    """

    def __init__(
        self, statement: Statement, rows: IntArray, changed: BoolArray, kept: BoolArray, budget: int
    ) -> None:
        self.home = rows[0]
        self.budget = budget
        self.paid = ~(changed | kept)
        self.levels = []
        for feature, n in enumerate(statement.levels):
            rule = statement.rules[feature]
            may = np.ones(n, dtype=np.bool_) if rule is None else rule[rows[:, feature]].all(axis=0)
            if kept[feature]:
                may = may & (np.arange(n) == self.home[feature])
            self.levels.append(np.flatnonzero(may))

    def __len__(self) -> int:
        """Count the points, without a limit to the number."""
        ways = [1]  # ways[k]: choices so far that spend k of the budget
        for feature, levels in enumerate(self.levels):
            stay = int(np.count_nonzero(levels == self.home[feature])) if self.paid[feature] else len(levels)
            moved = len(levels) - stay
            ways = [
                stay * (ways[k] if k < len(ways) else 0) + moved * (ways[k - 1] if k else 0)
                for k in range(min(self.budget, len(ways)) + 1)
            ]
        return sum(ways)

    def batches(self) -> Iterator[IntArray]:
        """List the points, a few at a time."""
        waiting = [(self.home[None].copy(), np.zeros(1, dtype=np.int64), 0)]
        while waiting:
            points, spent, feature = waiting.pop()
            if feature == len(self.levels):
                yield points
                continue
            parts = [self._moved(points, spent, feature, level) for level in self.levels[feature].tolist()]
            if parts and len(points) * len(parts) <= BATCH:
                parts = [(np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts]))]
            waiting += [(moved, costs, feature + 1) for moved, costs in parts if len(moved)]

    def _moved(
        self, points: IntArray, spent: IntArray, feature: int, level: int
    ) -> tuple[IntArray, IntArray]:
        costs = spent + int(self.paid[feature] and level != self.home[feature])
        able = costs <= self.budget
        moved = points[able]
        moved[:, feature] = level
        return moved, costs[able]


def has_positive_point(statement: Statement, places: Places) -> bool | None:
    """Whether one of the points is positive; ``None``: they are too many, or the file has no classifier."""
    positive = statement.classifier.positive
    if positive is None or len(places) > MOST_POINTS:
        return None
    return any(bool(positive(points).any()) for points in places.batches())
