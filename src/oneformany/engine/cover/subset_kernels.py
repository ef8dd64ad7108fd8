"""Compiled: which groups of rows are part of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import lean
from oneformany.engine.cover.incidence import Incidence, entries_of
from oneformany.stop import Stop

AT_ONCE = 2000
WORDS = 4
SEED = 0


def inside_others(
    starts: IntArray, rows: NDArray[np.int32], n_rows: int, stop: Stop, costs: IntArray | None = None
) -> BoolArray:
    """Which groups are part of another one, where with ``costs`` none of their rows pays more.

    As many as are found in time; of equal groups, all but the last. No group is empty, its rows rise.
    """
    gone = np.zeros(len(starts) - 1, dtype=np.bool_)
    order, first, owners = _by_row(starts, rows, n_rows)
    bits = _signed(starts, rows, n_rows)
    paid = np.zeros(0, dtype=np.int64) if costs is None else costs
    for begin in range(0, len(order), AT_ONCE):
        if stop.expired():
            break
        some = order[begin : begin + AT_ONCE]
        _mark(starts, rows, paid, costs is not None, first, owners, bits, some, gone)
    return gone


def inside_some(
    starts: IntArray,
    rows: NDArray[np.int32],
    which: IntArray,
    other_starts: IntArray,
    other_rows: NDArray[np.int32],
    n_rows: int,
) -> BoolArray:
    """Which groups are part of one of the others; only those in question are looked at."""
    n_others = len(other_starts) - 1
    ends = np.concatenate([other_starts, other_starts[-1] + starts[1:]])
    joined = np.concatenate([other_rows, rows])
    held = np.zeros(len(ends) - 1, dtype=np.bool_)
    _, first, owners = _by_row(other_starts, other_rows, n_rows)
    bits, free = _signed(ends, joined, n_rows), np.zeros(0, dtype=np.int64)
    _mark(ends, joined, free, False, first, owners, bits, n_others + which, held)
    return held[n_others:]


def _by_row(
    starts: IntArray, rows: NDArray[np.int32], n_rows: int
) -> tuple[IntArray, IntArray, NDArray[np.int32]]:
    """The groups, largest first; where those of each row begin in a list of them, in that order."""
    order = np.argsort(-np.diff(starts), kind="stable")
    entries, begins = entries_of(starts, order)
    incidence = Incidence.of(begins, rows[entries], n_rows)
    return order, incidence.row_starts, order.astype(np.int32)[incidence.row_columns]


def _signed(starts: IntArray, rows: NDArray[np.int32], n_rows: int) -> NDArray[np.uint64]:
    keys = np.random.default_rng(SEED).integers(2**64, size=n_rows, dtype=np.uint64)
    bits = np.zeros((len(starts) - 1, WORDS), dtype=np.uint64)
    _sign(starts, rows, keys, bits)
    return bits


@lean()
def _sign(starts, rows, row_keys, bits):
    """Set some bits per group: those of all of its rows. The bits of a part are part of the bits."""
    for c in range(len(starts) - 1):
        for index in range(starts[c], starts[c + 1]):
            key = row_keys[rows[index]] % np.uint64(64 * bits.shape[1])
            bits[c, np.int64(key // np.uint64(64))] |= np.uint64(1) << (key % np.uint64(64))


@lean(inner=True)
def _inside(rows, starts, costs, costed, small, large):
    """Whether a group's rows all belong to another one, where none of them pays more."""
    other = starts[large]
    end = starts[large + 1]
    for index in range(starts[small], starts[small + 1]):
        lowest, highest = other, end
        while lowest < highest:
            middle = (lowest + highest) // 2
            if rows[middle] < rows[index]:
                lowest = middle + 1
            else:
                highest = middle
        if lowest == end or rows[lowest] != rows[index]:
            return False
        if costed and costs[lowest] > costs[index]:
            return False
        other = lowest + 1
    return True


@lean()
def _mark(starts, rows, costs, costed, first, columns, bits, batch, gone):
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
            if other == c or gone[other]:
                continue
            fits = True
            for w in range(bits.shape[1]):
                if bits[c, w] & ~bits[other, w]:
                    fits = False
                    break
            if fits and _inside(rows, starts, costs, costed, c, other):
                gone[c] = True
                break
