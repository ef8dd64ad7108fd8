"""Columns: explanations as the covering program sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.space import SearchSpace


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
        self.columns: list[Column] = []
        self._seen: set[bytes] = set()

    def __len__(self) -> int:
        return len(self.columns)

    def add(self, columns: list[Column]) -> list[Column]:
        """Keep what is new; return it."""
        new = []
        for column in columns:
            key = column.rows.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                new.append(column)
        self.columns.extend(new)
        return new
