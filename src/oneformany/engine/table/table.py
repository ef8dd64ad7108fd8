"""Many columns as a few arrays: the rows of each, what they cost there, what changes and to which cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import Incidence, gathered, joined
from oneformany.problem import Problem

NO_CELL = -1  # where a column says of no cell where its rows go


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns over the distinct rows of a problem, one after the other.

    The rows of column j, ascending, are ``rows[starts[j] : starts[j + 1]]``; ``costs`` holds what following
    the column costs each of them. It may change the features ``changed[j]``; ``targets[j]`` are their target
    cells. Elsewhere that is ``NO_CELL``, or, where rows share a point, the cell that all of the column's rows
    have there; where rows share features only, it is ``NO_CELL`` everywhere. The table is ``complete`` where
    every group of a column is a subset of some column's group here, so that a bound may rely on it; with
    costs, where in addition no row is cheaper elsewhere in the same group.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    changed: BoolArray
    targets: NDArray[np.int32]
    n_rows: int
    complete: bool

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def incidence(self) -> Incidence:
        """Which columns hold which rows."""
        return Incidence.of(self.starts, self.rows, self.n_rows)

    def group(self, column: int) -> NDArray[np.int32]:
        """Rows of one column."""
        return self.rows[self.starts[column] : self.starts[column + 1]]

    @property
    def bytes(self) -> int:
        """Memory that the columns take."""
        return len(self.rows) * 12 + len(self) * 8 + self.changed.size * 5

    def followed_by(self, *others: Self) -> Self:
        """The columns of other tables behind these."""
        tables = (self, *others)
        sizes = np.concatenate([np.diff(table.starts) for table in tables])
        return type(self)(
            np.append(0, np.cumsum(sizes)),
            np.concatenate([table.rows for table in tables]),
            np.concatenate([table.costs for table in tables]),
            np.concatenate([table.changed for table in tables]),
            np.concatenate([table.targets for table in tables]),
            self.n_rows,
            self.complete,
        )

    def take(self, columns: IntArray) -> Self:
        """Only some of the columns, in the order given; not complete any more."""
        starts = np.append(0, np.cumsum(np.diff(self.starts)[columns]))
        rows, costs = gathered(self.rows, self.starts, columns), gathered(self.costs, self.starts, columns)
        parts = rows, costs, self.changed[columns], self.targets[columns]
        return type(self)(starts, *parts, self.n_rows, complete=False)


def table_of(problem: Problem, groups: Sequence[IntArray]) -> ColumnTable:
    """Groups of distinct rows as columns of which nothing else is told."""
    starts, rows = joined(groups)
    shape = len(groups), problem.n_features
    changed, targets = np.zeros(shape, dtype=np.bool_), np.full(shape, NO_CELL, dtype=np.int32)
    costs = np.zeros(len(rows), dtype=np.int64)
    return ColumnTable(
        starts, rows.astype(np.int32), costs, changed, targets, len(problem.rows), complete=False
    )
