"""Rows that may share a point as far as their cells tell: what no classifier can make larger."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground, word_factors

SEED = 1


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Cells of rows, also as a few integers each: sums over features, so that some are easily left out."""

    cells: IntArray
    factors: IntArray
    words: IntArray

    @classmethod
    def of(cls, ground: Ground, only: IntArray | None = None) -> CodedRows:
        """Code some rows of a problem; ``None``: all."""
        cells, factors = (
            ground.rows if only is None else ground.rows[only],
            word_factors(ground.problem.levels),
        )
        return cls(cells, factors, cells @ factors)

    def agreeing(self, features: IntArray) -> tuple[NDArray[np.int32], IntArray]:
        """Sets of two or more rows that agree outside of some features: their rows, and where each begins."""
        n, words = len(self.words), self.words - self.cells[:, features] @ self.factors[features]
        slots = np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
        bucket = np.empty(n, dtype=np.int32)
        found = kernels.number(words, np.empty_like(words), slots, 0, bucket)
        rows = np.arange(n + 1, dtype=np.int32)
        by_bucket = sparse.csc_matrix((rows[:-1], bucket, rows), shape=(found, n)).tocsr()
        sizes = np.diff(by_bucket.indptr)
        several = sizes >= 2
        starts = np.concatenate([[0], np.cumsum(sizes[several], dtype=np.int64)])
        return by_bucket.data[np.repeat(several, sizes)], starts


@dataclass(frozen=True, eq=False)
class Buckets:
    """Sets of two or more rows that agree outside of some features, each once.

    Every group of a column is part of a bucket of its features. Bucket b has the rows
    ``rows[starts[b] : starts[b + 1]]``, ascending, and ``sets[set_starts[b] : set_starts[b + 1]]`` are the
    numbers of its ``feature_sets``, of which there are all of full size.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    set_starts: IntArray
    sets: IntArray
    feature_sets: IntArray

    @classmethod
    def of(cls, ground: Ground, rows: IntArray) -> Buckets:
        """Group some rows by what they are outside of every feature set."""
        coded = CodedRows.of(ground, rows)
        chosen = list(combinations(ground.changeable.tolist(), ground.size))
        sets = np.array(chosen, dtype=np.int64).reshape(len(chosen), ground.size)
        nothing = np.zeros(0, dtype=np.int64)
        members, sizes, owners = [nothing], [nothing], [nothing]
        for number, features in enumerate(sets):
            found, bounds = coded.agreeing(features)
            members.append(rows[found])
            sizes.append(np.diff(bounds))
            owners.append(np.full(len(bounds) - 1, number))
        joined, owner = np.concatenate(members).astype(np.int32), np.concatenate(owners)
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        order, new = _beside_equals(starts, len(ground.rows), owner, joined)
        entries, begins = entries_of(starts, order[new])
        return cls(begins, joined[entries], np.append(np.flatnonzero(new), len(owner)), owner[order], sets)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def group(self, bucket: int) -> NDArray[np.int32]:
        """The rows of a bucket."""
        return self.rows[self.starts[bucket] : self.starts[bucket + 1]]

    def taken(self, which: IntArray) -> tuple[NDArray[np.int32], IntArray]:
        """The rows of some of the buckets, in this order, and where each begins."""
        entries, starts = entries_of(self.starts, which)
        return self.rows[entries], starts


def _beside_equals(
    starts: IntArray, n_rows: int, then: IntArray, rows: NDArray[np.int32]
) -> tuple[IntArray, BoolArray]:
    """Order groups so that equal ones are neighbours, and say which are not equal to the one before.

    Equal ones are in the order of ``then``.
    """
    keys = np.random.default_rng(SEED).integers(2**64, size=n_rows, dtype=np.uint64)
    sums = np.concatenate([[np.uint64(0)], np.cumsum(keys[rows], dtype=np.uint64)])
    order = np.lexsort((then, sums[starts[1:]] - sums[starts[:-1]], np.diff(starts)))
    entries, begins = entries_of(starts, order)
    sizes = np.diff(begins)
    before = np.arange(len(entries)) - np.repeat(sizes, sizes)
    differs = (before < 0) | (rows[entries] != rows[entries[before]])
    new = np.logical_or.reduceat(differs, begins[:-1])
    new[1:] |= np.diff(sizes) != 0
    return order, new
