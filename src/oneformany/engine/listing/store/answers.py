"""A classifier that is not asked about the same point twice."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.store import kernels
from oneformany.oracles.protocol import Oracle
from oneformany.stop import Stop

BATCH = 1 << 14
FIRST_POINTS = 1 << 10
MOST_POINTS = 1 << 23
LARGEST_WORD = 2**62


class OutOfTimeError(Exception):
    """Time was up while a classifier was asked."""


class Answers:
    """Answers by point, as long as they fit; ends by :class:`OutOfTimeError`."""

    def __init__(self, oracle: Oracle, stop: Stop) -> None:
        self.asked = 0
        self._oracle = oracle
        self._stop = stop
        self._factors = _factors(oracle.levels)
        self._count = 0
        self._words = np.empty((FIRST_POINTS, self._factors.shape[1]), dtype=np.int64)
        self._known = np.zeros(FIRST_POINTS, dtype=np.bool_)
        self._slots = np.full(4 * FIRST_POINTS, -1, dtype=np.int32)

    def positive(self, points: IntArray) -> BoolArray:
        """Whether each point, in the codes that the classifier reads, is positive."""
        if self._count + len(points) > MOST_POINTS:
            self._forget()
        self._make_room(len(points))
        entries = np.empty(len(points), dtype=np.int32)
        before = self._count
        self._count = kernels.remember(points @ self._factors, self._words, self._slots, before, entries)
        fresh = np.empty(self._count - before, dtype=np.int64)
        new = entries >= before
        fresh[entries[new] - before] = np.flatnonzero(new)
        for begin in range(0, len(fresh), BATCH):
            if self._stop.expired():
                self._forget()  # points that were not asked about would count as negative
                raise OutOfTimeError
            batch = points[fresh[begin : begin + BATCH]]
            self._known[before + begin : before + begin + len(batch)] = self._oracle.positive(batch)
            self.asked += len(batch)
        return np.asarray(self._known[entries])

    def _forget(self) -> None:
        self._count = 0
        self._slots[:] = -1

    def _make_room(self, points: int) -> None:
        needed = self._count + points
        if needed <= len(self._known):
            return
        longer = max(needed, 2 * len(self._known))
        words, answers = self._words[: self._count], self._known[: self._count]
        self._words = np.empty((longer, words.shape[1]), dtype=np.int64)
        self._known = np.zeros(longer, dtype=np.bool_)
        self._known[: self._count] = answers
        self._slots = np.full(1 << (2 * longer).bit_length(), -1, dtype=np.int32)
        kernels.remember(words, self._words, self._slots, 0, np.empty(self._count, dtype=np.int32))


def _factors(levels: tuple[int, ...]) -> IntArray:
    """Factors ``(p, words)`` that turn a point into integers, different for different points."""
    columns = [np.zeros(len(levels), dtype=np.int64)]
    size = 1
    for feature, n in enumerate(levels):
        if size * n > LARGEST_WORD:
            columns.append(np.zeros(len(levels), dtype=np.int64))
            size = 1
        columns[-1][feature] = size
        size *= n
    return np.stack(columns, axis=1)
