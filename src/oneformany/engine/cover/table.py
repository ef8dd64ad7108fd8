"""Many columns as a few arrays: the rows of each, what they cost there, what changes and to which cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray

__all__ = ["NO_CELL", "ColumnTable", "entries_of"]

NO_CELL = -1


def entries_of(starts: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """The entries of some columns, one after the other, and where each column then begins."""
    sizes = np.diff(starts)[columns]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.repeat(starts[columns] - begins[:-1], sizes) + np.arange(begins[-1]), begins


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns over the distinct rows of a problem, one after the other.

    Attributes
    ----------
    starts : (m + 1,) integer array
        Where the rows of each column begin in ``rows`` and ``costs``.
    rows : (nnz,) array of int32
        Indices of distinct rows, ascending inside each column.
    costs : (nnz,) integer array
        What following the column costs that row.
    changed : (m, p) boolean array
        The features that a column may change.
    targets : (m, p) array of int32
        The target cell of each changed feature. Elsewhere ``NO_CELL``, or, where rows share a point, the cell
        that all of the column's rows have there. Where rows share features only, ``NO_CELL`` everywhere.
    n_rows : int
        Number of distinct rows of the problem.
    complete : bool
        Whether every group of a column is a subset of some column's group here, so that a bound may rely on
        it; with costs, whether in addition no row is cheaper elsewhere in the same group.
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

    @property
    def sizes(self) -> IntArray:
        """Number of rows of each column."""
        return np.diff(self.starts)

    @property
    def column_of(self) -> IntArray:
        """For each entry of ``rows`` the column that it belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def group(self, column: int) -> NDArray[np.int32]:
        """Rows of one column."""
        return self.rows[self.starts[column] : self.starts[column + 1]]

    def covered_by(self, columns: IntArray) -> BoolArray:
        """Rows that at least one of these columns holds."""
        covered = np.zeros(self.n_rows, dtype=np.bool_)
        for column in columns.tolist():
            covered[self.group(column)] = True
        return covered

    def take(self, columns: IntArray) -> ColumnTable:
        """Only some of the columns, in the order given; not complete any more."""
        entries, starts = entries_of(self.starts, columns)
        return ColumnTable(
            starts,
            self.rows[entries],
            self.costs[entries],
            self.changed[columns],
            self.targets[columns],
            self.n_rows,
            complete=False,
        )
