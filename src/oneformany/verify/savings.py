"""The groups that save most against given prices, each different from the others."""

from __future__ import annotations

import numpy as np

from oneformany.verify.arrays import IntArray
from oneformany.verify.limits import Limits
from oneformany.verify.listed import ListedColumns
from oneformany.verify.listing import Groups

__all__ = ["BestSavings"]

SPARE = 100
FACTOR = 4


class BestSavings:
    """The best so many groups, without those that save nowhere more than another one.

    A group that saves no more for any row than another one adds nothing to it: what the best k groups save is
    at most what the best k different ones do. Groups that save no more than the floor may be passed over.
    """

    def __init__(self, count: int, limits: Limits) -> None:
        self._count = count
        self._limits = limits
        self._room = FACTOR * count + SPARE
        self._pool: list[tuple[int, IntArray, IntArray]] = []
        self._seen = ListedColumns()
        self.floor = 0

    def add(self, groups: Groups, gains: IntArray) -> None:
        """Look at more groups, whose rows save ``(g, r)`` so much by each choice, not negative."""
        savings = groups.sums(gains)
        picked = np.argwhere(savings > self.floor)
        order = np.argsort(-savings[picked[:, 0], picked[:, 1]], kind="stable")
        added = 0
        for choice, bucket in picked[order].tolist():
            self._limits.check()
            saved = int(savings[choice, bucket])
            if saved <= self.floor:
                break
            if added > self._room:
                self.floor = saved
                break
            members = groups.members(choice, bucket)
            gain = gains[choice, members]
            members, gain = members[gain > 0], gain[gain > 0]
            rows = groups.rows[members]
            order_of_rows = np.argsort(rows)
            rows, gain = rows[order_of_rows], gain[order_of_rows]
            if self._seen.contain(rows, -gain):
                continue
            self._seen.add(rows, -gain)
            self._pool.append((saved, rows, gain))
            added += 1
            if len(self._pool) > 2 * self._room:
                self._prune()

    def _prune(self) -> None:
        """Drop what others beat, and what is beyond the room."""
        kept: list[tuple[int, IntArray, IntArray]] = []
        seen = ListedColumns()
        for entry in sorted(self._pool, key=lambda entry: -entry[0]):
            self._limits.check()
            saved, rows, gain = entry
            if saved <= self.floor:
                break
            if seen.contain(rows, -gain):
                continue
            if len(kept) == self._room:
                self.floor = saved
                break
            kept.append(entry)
            seen.add(rows, -gain)
        self._pool, self._seen = kept, seen

    def best(self) -> list[int]:
        """Tell what the best groups save at most, greatest first."""
        self._prune()
        found = [saved for saved, _, _ in self._pool[: self._count]]
        return [*found, *[self.floor] * (self._count - len(found))]
