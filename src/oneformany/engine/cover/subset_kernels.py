"""Compiled: which groups of rows are part of others."""

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import lean
from oneformany.engine.cover.incidence import Incidence, gathered
from oneformany.stop import Stop

GROUPS_AT_ONCE = 2000  # between two looks at the clock
Rows = NDArray[np.int32]


def inside_others(
    starts: IntArray, rows: Rows, n_rows: int, stop: Stop, costs: IntArray | None = None
) -> BoolArray:
    """Which groups are part of another one, where with ``costs`` none of their rows pays more.

    As many as are found in time; of equal groups, all but the last. No group is empty, its rows rise.
    """
    order = np.argsort(-np.diff(starts), kind="stable")
    return _inside_any(starts, rows, costs, n_rows, order, order, stop)


def inside_some(
    starts: IntArray, rows: Rows, which: IntArray, other_starts: IntArray, other_rows: Rows, n_rows: int
) -> BoolArray:
    """Which groups are part of one of the others; only those in question are looked at."""
    n_others = len(other_starts) - 1
    ends = np.concatenate([other_starts, other_starts[-1] + starts[1:]])
    joined = np.concatenate([other_rows, rows])
    largest = np.argsort(-np.diff(other_starts), kind="stable")
    return _inside_any(ends, joined, None, n_rows, n_others + which, largest, Stop())[n_others:]


def _inside_any(
    starts: IntArray,
    rows: Rows,
    costs: IntArray | None,
    n_rows: int,
    which: IntArray,
    others: IntArray,
    stop: Stop,
) -> BoolArray:
    """Which groups in question are part of one of the others, which come largest first."""
    begins = np.append(0, np.cumsum(np.diff(starts)[others]))
    by_row = Incidence.of(begins, gathered(rows, starts, others), n_rows)
    first, owners = by_row.row_starts, others.astype(np.int32)[by_row.row_columns]
    del by_row  # its arrays are as large as those of the groups
    paid = np.zeros(len(rows), dtype=np.int64) if costs is None else costs
    held = np.zeros(len(starts) - 1, dtype=np.bool_)
    for begin in range(0, len(which), GROUPS_AT_ONCE):
        if stop.expired():
            break
        _mark(starts, rows, paid, first, owners, which[begin : begin + GROUPS_AT_ONCE], held)
    return held


@lean(inner=True)
def _inside(rows, starts, costs, small, large):
    """Whether a group's rows all belong to another one, where none of them pays more."""
    other = starts[large]
    end = starts[large + 1]
    if rows[other] > rows[starts[small]] or rows[end - 1] < rows[starts[small + 1] - 1]:
        return False
    for index in range(starts[small], starts[small + 1]):
        lowest, highest = other, end
        while lowest < highest:
            middle = (lowest + highest) // 2
            if rows[middle] < rows[index]:
                lowest = middle + 1
            else:
                highest = middle
        if lowest == end or rows[lowest] != rows[index] or costs[lowest] > costs[index]:
            return False
        other = lowest + 1
    return True


@lean()
def _mark(starts, rows, costs, first, columns, batch, gone):
    """Mark the groups of a batch whose rows all belong to another one, and pay no more there.

    ``columns[first[i] : first[i + 1]]`` are the groups of row i that may hold others, largest first.
    """
    for turn in range(len(batch)):
        c = batch[turn]
        size = starts[c + 1] - starts[c]
        rarest = rows[starts[c]]
        for index in range(starts[c], starts[c + 1]):
            i = rows[index]
            if first[i + 1] - first[i] < first[rarest + 1] - first[rarest]:
                rarest = i
        for index in range(first[rarest], first[rarest + 1]):
            other = columns[index]
            if starts[other + 1] - starts[other] < size:
                break
            if other != c and not gone[other] and _inside(rows, starts, costs, c, other):
                gone[c] = True
                break
