"""Rows that may share a point as far as their cells tell: what no classifier can make larger."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.points import slot_codes

__all__ = ["Buckets"]

SEED = 3


@dataclass(frozen=True, eq=False)
class Buckets:
    """Sets of two or more rows that agree outside of some features, each once.

    Every group of a column is part of a bucket of its features.

    Attributes
    ----------
    starts, rows : integer arrays
        The rows of bucket b are ``rows[starts[b] : starts[b + 1]]``, ascending.
    set_starts, sets : integer arrays
        The feature sets of bucket b are ``sets[set_starts[b] : set_starts[b + 1]]``.
    feature_sets : (m, size) integer array
        All sets of full size.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    set_starts: IntArray
    sets: IntArray
    feature_sets: IntArray

    @classmethod
    def of(cls, ground: Ground, rows: IntArray) -> Buckets:
        """Group some rows by what they are outside of every feature set.

        Parameters
        ----------
        ground : Ground
            The problem.
        rows : array
            Which rows.
        """
        keys, row_codes = slot_codes(ground)
        cells, row_codes = ground.cells[rows], row_codes[rows]
        chosen = list(combinations(ground.changeable.tolist(), ground.size))
        sets = np.array(chosen, dtype=np.int64).reshape(len(chosen), ground.size)
        members, sizes, owners = [np.zeros(0, dtype=np.int32)], [], []
        for number, features in enumerate(sets):
            order, bounds = kernels.buckets(cells, keys, row_codes, ground.offsets, features)
            members.append(rows[order].astype(np.int32))
            sizes.append(np.diff(bounds))
            owners.append(np.full(len(bounds) - 1, number))
        return _distinct(np.concatenate(members), _joined(sizes), _joined(owners), sets, len(ground.cells))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def group(self, bucket: int) -> NDArray[np.int32]:
        """The rows of a bucket."""
        return self.rows[self.starts[bucket] : self.starts[bucket + 1]]


def _distinct(
    rows: NDArray[np.int32], sizes: IntArray, owners: IntArray, sets: IntArray, n_rows: int
) -> Buckets:
    """Put equal buckets of several feature sets together."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    keys = np.random.default_rng(SEED).integers(2**64, size=n_rows, dtype=np.uint64)
    sums = np.concatenate([[np.uint64(0)], np.cumsum(keys[rows], dtype=np.uint64)])
    order = np.lexsort((owners, sums[starts[1:]] - sums[starts[:-1]], sizes))
    rows, starts, sizes = _taken(rows, starts, order)
    before = np.arange(len(rows)) - np.repeat(sizes, sizes)
    differs = np.flatnonzero((before < 0) | (rows != rows[before]))
    new = np.zeros(len(sizes), dtype=np.bool_)
    new[np.searchsorted(starts, differs, side="right") - 1] = True
    new[1:] |= np.diff(sizes) != 0
    first = np.flatnonzero(new)
    rows, starts, _ = _taken(rows, starts, first)
    return Buckets(starts, rows, np.append(first, len(sizes)), owners[order], sets)


def _taken(
    rows: NDArray[np.int32], starts: IntArray, which: IntArray
) -> tuple[NDArray[np.int32], IntArray, IntArray]:
    """Some of the buckets, in this order."""
    sizes = np.diff(starts)[which]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return rows[np.repeat(starts[which] - ends[:-1], sizes) + np.arange(ends[-1])], ends, sizes


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)
