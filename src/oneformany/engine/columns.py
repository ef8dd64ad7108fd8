"""Columns: explanations as the master problem sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.instance import Arena

__all__ = ["Column", "ColumnPool"]


@dataclass(frozen=True, eq=False)
class Column:
    """A positive point, the features it may change, and all rows of the arena it covers."""

    point: IntArray
    changed: BoolArray
    rows: IntArray

    @classmethod
    def covering(cls, arena: Arena, point: IntArray, changed: BoolArray) -> Column:
        """Find every row that the point and the changed features cover."""
        same = arena.rows == point
        moves = arena.problem.may_move(arena.rows, point)
        return cls(point, changed, np.flatnonzero((same | (changed & moves)).all(axis=1)))


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
