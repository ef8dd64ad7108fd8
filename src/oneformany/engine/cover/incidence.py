"""Which columns hold which rows, both ways round: what every pass over a table of columns reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from oneformany.arrays import BoolArray, FloatArray, IntArray

Numbers = TypeVar("Numbers", IntArray, FloatArray)
ENTRIES_OF_A_PART = 1 << 20  # looked at together, 8 MB per array: larger parts were no quicker


def joined(groups: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Where each group begins, and their rows, one group after the other."""
    starts = np.cumsum([0, *(len(group) for group in groups)])
    return starts, np.concatenate([*groups, np.zeros(0, dtype=np.int64)])


def entries_of(starts: IntArray, columns: IntArray | NDArray[np.int32]) -> tuple[IntArray, IntArray]:
    """The entries of some columns, one after the other, and where each column then begins."""
    sizes = starts[columns + 1] - starts[columns]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.repeat(starts[columns] - begins[:-1], sizes) + np.arange(begins[-1]), begins


def parts_of(starts: IntArray, columns: IntArray) -> Iterator[IntArray]:
    """Some columns, a part of them at a time, so that arrays over the entries of a part stay small."""
    ends = np.cumsum(starts[columns + 1] - starts[columns])
    most = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(ENTRIES_OF_A_PART, most, ENTRIES_OF_A_PART), side="right")
    yield from (part for part in np.split(columns, np.unique(cuts)) if len(part))


def gathered(array: NDArray[Any], starts: IntArray, columns: IntArray) -> NDArray[Any]:
    """What an array over entries holds at the entries of some columns, one after the other."""
    parts = [array[entries_of(starts, some)[0]] for some in parts_of(starts, columns)]
    return parts[0] if len(parts) == 1 else np.concatenate([array[:0], *parts])


@dataclass(frozen=True, eq=False)
class Incidence:
    """A zero-one matrix of rows and columns.

    The rows of column j are ``rows[starts[j] : starts[j + 1]]``, the columns of row i are
    ``row_columns[row_starts[i] : row_starts[i + 1]]``.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    row_starts: IntArray
    row_columns: NDArray[np.int32]
    matrix: sparse.csc_matrix
    n_rows: int
    n_columns: int
    sizes: IntArray  # number of rows of each column
    reachable: BoolArray  # the rows that some column holds

    @classmethod
    def of(cls, starts: IntArray, rows: IntArray | NDArray[np.int32], n_rows: int) -> Self:
        """Sort the entries by rows as well."""
        starts, n_columns = np.ascontiguousarray(starts, dtype=np.int64), len(starts) - 1
        some = np.ascontiguousarray(rows, dtype=np.int32)
        matrix = sparse.csc_matrix(
            (np.ones(len(some), dtype=np.int8), some, starts), shape=(n_rows, n_columns)
        )
        by_rows = matrix.tocsr()
        begins, indices = by_rows.indptr.astype(np.int64), by_rows.indices.astype(np.int32, copy=False)
        sizes, reachable = np.diff(starts), np.diff(begins) > 0
        return cls(starts, some, begins, indices, matrix, n_rows, n_columns, sizes, reachable)

    @property
    def arrays(self) -> tuple[IntArray, NDArray[np.int32], IntArray, NDArray[np.int32]]:
        """The four arrays, in the order in which compiled code takes them."""
        return self.starts, self.rows, self.row_starts, self.row_columns

    def group(self, column: int) -> NDArray[np.int32]:
        """The rows of a column."""
        return self.rows[self.starts[column] : self.starts[column + 1]]

    def covered_by(self, columns: IntArray) -> BoolArray:
        """The rows that at least one of these columns holds."""
        covered = np.zeros(self.n_rows, dtype=np.bool_)
        for some in parts_of(self.starts, columns):
            covered[self.rows[entries_of(self.starts, some)[0]]] = True
        return covered

    def columns_of(self, rows: IntArray) -> IntArray:
        """The columns that hold at least one of these rows."""
        held = np.zeros(self.n_columns, dtype=np.bool_)
        for some in parts_of(self.row_starts, rows):
            held[self.row_columns[entries_of(self.row_starts, some)[0]]] = True
        return np.flatnonzero(held)

    @property
    def bytes(self) -> int:
        """Memory that it takes beside the entries by columns: the rest of the matrix, and entries by rows."""
        return 5 * len(self.rows) + 10 * (self.n_rows + self.n_columns)

    def loads(self, weights: Numbers) -> Numbers:
        """Total weight of the rows of each column."""
        if len(self.rows) <= ENTRIES_OF_A_PART:
            return np.asarray(self.matrix.T @ weights)
        parts = parts_of(self.starts, np.arange(self.n_columns))
        return np.concatenate([self.matrix[:, part[0] : part[-1] + 1].T @ weights for part in parts])

    def near(self, row: int, inside: BoolArray, most: int) -> IntArray:
        """At most so many of the columns inside, nearest to a row first: hop by hop over rows and columns."""
        near: list[int] = []
        rows, looked = np.array([row]), np.zeros(self.n_columns, dtype=np.bool_)
        while len(rows) and len(near) < most:
            columns = self.columns_of(rows)
            columns = columns[~looked[columns]]
            looked[columns] = True
            near += columns[inside[columns]].tolist()
            rows = np.flatnonzero(self.covered_by(columns))
        return np.array(near[:most], dtype=np.int64)

    def part(self, columns: IntArray, needed: BoolArray) -> tuple["Incidence", IntArray]:
        """Only these columns and the needed rows of each; also the numbers that the kept rows had."""
        number, kept = np.cumsum(needed, dtype=np.int32) - 1, np.flatnonzero(needed)
        sizes, rows = [np.zeros(1, dtype=np.int64)], [number[:0]]
        for some in parts_of(self.starts, columns):
            entries, begins = entries_of(self.starts, some)
            keep = needed[self.rows[entries]]
            sizes.append(np.diff(np.concatenate(([0], np.cumsum(keep)))[begins]))
            rows.append(number[self.rows[entries[keep]]])
        return Incidence.of(np.cumsum(np.concatenate(sizes)), np.concatenate(rows), len(kept)), kept


class Merged(NamedTuple):
    """Columns over classes of rows, with costs; the people of each class, and its rows."""

    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    people: IntArray
    members: list[list[int]]


def merged(
    starts: IntArray, rows: NDArray[np.int32], costs: IntArray, people: IntArray, *, apart: bool = False
) -> Merged:
    """Join rows that have the same costs in the same columns, unless they are to stay ``apart``."""
    column_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(rows, kind="stable")
    held, begins = np.unique(rows[order], return_index=True)
    patterns = np.split(np.stack((column_of, costs), axis=1)[order], begins)[1:]
    members: dict[bytes, list[int]] = {}
    for row, pattern in zip(held.tolist(), patterns, strict=True):
        members.setdefault(str(row).encode() if apart else pattern.tobytes(), []).append(row)
    number = np.full(len(people), -1)
    number[[some[0] for some in members.values()]] = np.arange(len(members))
    keep = number[rows] >= 0
    new_starts = np.concatenate(([0], np.cumsum(keep)))[starts]
    together = np.array([people[some].sum() for some in members.values()], dtype=np.int64)
    new_rows = number[rows[keep]].astype(np.int32)
    return Merged(new_starts, new_rows, costs[keep], together, list(members.values()))
