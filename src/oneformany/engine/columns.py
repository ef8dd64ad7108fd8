"""Columns: explanations as the covering program sees them, and how they become explanations again.

Then every row is assigned once, and as few and as common features as possible change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.problem import Problem


@dataclass(frozen=True, eq=False)
class Column:
    """A positive point, the features it may change, and all rows of the space it covers."""

    point: IntArray
    changed: BoolArray
    rows: IntArray

    @classmethod
    def covering(cls, space: SearchSpace, point: IntArray, changed: BoolArray) -> Column:
        """Find every row that the point and the changed features cover.

        These agree with the point outside of the changed features, and may move there inside. Whoever makes
        the column has asked the classifier about the point, which serves all of them.
        """
        problem = space.problem
        agree = np.ones(len(problem.rows), dtype=np.bool_)
        for feature in np.flatnonzero(~changed).tolist():
            agree &= problem.by_feature[feature] == point[feature]
        covered = np.flatnonzero(agree[space.helpable])
        if problem.ruled.any():
            covered = covered[problem.may_move(space.rows[covered], point).all(axis=1)]
        return cls(point, changed, covered)


class ColumnPool:
    """Columns without repetition: of columns with the same rows the first stays."""

    def __init__(self) -> None:
        self._by_rows: dict[bytes, Column] = {}

    def __len__(self) -> int:
        return len(self._by_rows)

    @property
    def columns(self) -> list[Column]:
        """All of them, in the order in which they came."""
        return list(self._by_rows.values())

    def add(self, columns: Iterable[Column]) -> list[Column]:
        """Keep what is new; return it."""
        before = len(self)
        for column in columns:
            self._by_rows.setdefault(column.rows.tobytes(), column)
        return self.columns[before:]


def assign(problem: Problem, helpable: IntArray, cover: Sequence[Column]) -> list[IntArray]:
    """Assign each row to the column that changes fewest of its features; return the rows of each column."""
    fewest = np.full(len(helpable), problem.n_features + 1)
    nearest = np.full(len(helpable), len(cover))
    for index, column in enumerate(cover):
        changes = (problem.rows[helpable[column.rows]] != column.point).sum(axis=1)
        better = changes < fewest[column.rows]
        fewest[column.rows[better]] = changes[better]
        nearest[column.rows[better]] = index
    return [helpable[nearest == index] for index in range(len(cover))]


def simplest_point(problem: Problem, point: IntArray, rows: IntArray) -> IntArray:
    """Move a positive point towards what most of its rows already have, while it stays positive."""
    votes = np.full(problem.exists.shape, -1.0)
    for feature, (n, moves) in enumerate(zip(problem.levels, problem.moves, strict=True)):
        levels = problem.rows[rows, feature]
        votes[feature, :n] = np.bincount(levels, weights=problem.multiplicity[rows], minlength=n)
        if moves is not None:
            votes[feature, :n][~moves[levels].all(axis=0)] = -1
    every, common = np.arange(len(point)), votes.argmax(axis=1)
    simpler = point
    for _ in every:
        more = votes[every, common] - votes[every, simpler]
        features = np.argsort(-more, kind="stable")[: int((more > 0).sum())]
        trials = np.repeat(simpler[None], len(features), axis=0)
        trials[np.arange(len(features)), features] = common[features]
        positive = np.flatnonzero(problem.oracle.positive(trials)) if len(features) else every[:0]
        if not len(positive):
            break
        simpler = trials[positive[0]]
    return simpler
