"""Columns: explanations as the covering program sees them."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.problem.sharing import joins

__all__ = ["Column", "ColumnPool"]


@dataclass(frozen=True, eq=False)
class Column:
    """A positive point, the features it may change, all rows of the space it covers, and what it costs."""

    point: IntArray
    changed: BoolArray
    rows: IntArray
    cost: int = 1

    @classmethod
    def covering(cls, space: SearchSpace, point: IntArray, changed: BoolArray) -> Column:
        """Find every row that the point and the changed features cover."""
        return cls(point, changed, joins(space.problem, changed, point, space.helpable))


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
