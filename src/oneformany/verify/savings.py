"""The groups that save most against given prices, each different from the others."""

from __future__ import annotations

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.limits import Limits
from oneformany.verify.listed import ListedColumns
from oneformany.verify.listing import Groups

SPARE = 100
FACTOR = 4


class BestSavings:
    """The best so many groups, without those that save nowhere more than another one.

    A group that saves no more for any row than another one adds nothing to it: what the best k groups save is
    at most what the best k different ones do. Groups that save no more than the floor may be passed over.
    """

    def __init__(self, count: int, rows: int, limits: Limits) -> None:
        self._count = count
        self._limits = limits
        self._room = FACTOR * count + SPARE
        self._pool: list[tuple[int, IntArray, IntArray]] = []
        self._reached = np.zeros(rows, dtype=np.int64)  # the most that a group seen so far saves for each row
        self.floor = 0

    def add(self, groups: Groups, gains: IntArray) -> None:
        """Look at more groups, whose rows save ``(g, r)`` so much by each choice, not negative."""
        savings = groups.sums(gains)
        picked = np.argwhere((savings > self.floor) & ~self._beaten(groups, gains, savings))
        order = np.argsort(-savings[picked[:, 0], picked[:, 1]], kind="stable")
        for choice, bucket in picked[order].tolist():
            saved = int(savings[choice, bucket])
            if saved <= self.floor:
                break
            members = groups.members(choice, bucket)
            members = members[gains[choice, members] > 0]
            members = members[np.argsort(groups.rows[members])]
            rows, gain = groups.rows[members], gains[choice, members]
            self._reached[rows] = np.maximum(self._reached[rows], gain)
            self._pool.append((saved, rows, gain))
            if len(self._pool) > 2 * self._room:
                self._prune()

    def _beaten(self, groups: Groups, gains: IntArray, savings: IntArray) -> BoolArray:
        """Tell groups that the best choice of their bucket beats, and rows alone that a seen group serves."""
        sizes = np.diff(groups.starts, append=len(groups.rows))
        best, buckets = savings.argmax(axis=0), np.arange(len(sizes))
        saved = np.where(groups.inside, gains, 0)
        most = saved[np.repeat(best, sizes), np.arange(len(groups.rows))]
        beaten = np.logical_and.reduceat(saved <= most, groups.starts, axis=1)
        known = savings[best, buckets] <= self._reached[groups.rows[groups.starts]]
        beaten[best, buckets] = known & (sizes == 1)
        return np.asarray(beaten)

    def _prune(self) -> None:
        """Drop what others beat, and what is beyond the room."""
        kept: list[tuple[int, IntArray, IntArray]] = []
        seen = ListedColumns()
        for saved, rows, gain in sorted(self._pool, key=lambda entry: -entry[0]):
            self._limits.check()
            if saved <= self.floor:
                break
            if seen.contain(rows, -gain):
                continue
            if len(kept) == self._room:
                self.floor = saved
                break
            kept.append((saved, rows, gain))
            seen.add(rows, -gain)
        self._pool = kept

    def best(self) -> list[int]:
        """Tell what the best groups save at most, greatest first."""
        self._prune()
        found = [saved for saved, _, _ in self._pool[: self._count]]
        return [*found, *[self.floor] * (self._count - len(found))]
