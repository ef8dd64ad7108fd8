"""Which columns hold which rows, both ways round: what every pass over a table of columns reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from oneformany.arrays import BoolArray, IntArray


def joined(groups: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Where each group begins, and their rows, one group after the other."""
    starts = np.cumsum([0, *(len(group) for group in groups)])
    return starts, np.concatenate([*groups, np.zeros(0, dtype=np.int64)])


def entries_of(starts: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """The entries of some columns, one after the other, and where each column then begins."""
    sizes = np.diff(starts)[columns]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.repeat(starts[columns] - begins[:-1], sizes) + np.arange(begins[-1]), begins


@dataclass(frozen=True, eq=False)
class Incidence:
    """A zero-one matrix of rows and columns, by columns and by rows.

    Attributes
    ----------
    starts, rows : integer arrays
        The rows of column j are ``rows[starts[j] : starts[j + 1]]``.
    row_starts, row_columns : integer arrays
        The columns of row i are ``row_columns[row_starts[i] : row_starts[i + 1]]``.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    row_starts: IntArray
    row_columns: NDArray[np.int32]

    @classmethod
    def of(cls, starts: IntArray, rows: NDArray[np.int32], n_rows: int) -> Incidence:
        """Sort the entries by rows as well."""
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        ones = np.ones(len(rows), dtype=np.int8)
        matrix = sparse.csc_matrix((ones, rows, starts), shape=(n_rows, len(starts) - 1)).tocsr()
        return cls(starts, rows, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_starts) - 1

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[IntArray, NDArray[np.int32], IntArray, NDArray[np.int32]]:
        """The four arrays, in the order in which compiled code takes them."""
        return self.starts, self.rows, self.row_starts, self.row_columns

    @property
    def reachable(self) -> BoolArray:
        """The rows that some column holds."""
        return np.diff(self.row_starts) > 0

    def group(self, column: int) -> NDArray[np.int32]:
        """The rows of a column."""
        return self.rows[self.starts[column] : self.starts[column + 1]]

    def covered_by(self, columns: IntArray) -> BoolArray:
        """The rows that at least one of these columns holds."""
        covered = np.zeros(self.n_rows, dtype=np.bool_)
        for column in columns.tolist():
            covered[self.group(column)] = True
        return covered

    def columns_of(self, rows: IntArray) -> IntArray:
        """The columns that hold at least one of these rows."""
        touched = [self.row_columns[self.row_starts[row] : self.row_starts[row + 1]] for row in rows.tolist()]
        return np.unique(np.concatenate(touched)).astype(np.int64)

    def first_within(self, columns: IntArray, entries: int) -> IntArray:
        """As many of these columns, in their order, as have so many entries together."""
        return columns[np.cumsum(np.diff(self.starts)[columns]) <= entries]

    def part(self, columns: IntArray, needed: BoolArray) -> tuple[Incidence, IntArray]:
        """Only these columns and the needed rows of each; also the numbers that the kept rows had."""
        entries, begins = entries_of(self.starts, columns)
        rows = self.rows[entries]
        keep = needed[rows]
        starts = np.concatenate(([0], np.cumsum(keep)))[begins]
        number, kept = np.cumsum(needed) - 1, np.flatnonzero(needed)
        return Incidence.of(starts, number[rows[keep]].astype(np.int32), len(kept)), kept
