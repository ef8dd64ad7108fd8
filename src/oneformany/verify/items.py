"""Which rows a proof treats as one: equal ones, and those that it puts into one group by a decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.claims import Claims


@dataclass(frozen=True)
class Items:
    """Distinct rows, merged and separated by the decisions taken so far."""

    members: tuple[tuple[int, ...], ...]  # a group contains all rows of an item or none of them
    apart: frozenset[tuple[int, int]] = frozenset()  # items, smaller first, that no group has together

    @classmethod
    def single(cls, rows: Sequence[int]) -> Items:
        """Each row on its own, nothing decided."""
        return cls(tuple((row,) for row in sorted(rows)))

    @property
    def first(self) -> tuple[int, ...]:
        """The smallest row of each item, which stands for it in weights and listed groups."""
        return tuple(rows[0] for rows in self.members)

    def separated(self, one: int, other: int) -> Items:
        """Decide that no group contains both rows."""
        return Items(self.members, self.apart | {self._undecided(one, other)})

    def merged(self, one: int, other: int) -> Items:
        """Decide that both rows are in the same group; each inherits whom the other is apart from."""
        keep, drop = self._undecided(one, other)
        new = {old: old - (old > drop) for old in range(len(self.members))} | {drop: keep}
        members = list(self.members)
        members[keep] = tuple(sorted(members[keep] + members[drop]))
        del members[drop]
        apart = {(min(new[a], new[b]), max(new[a], new[b])) for a, b in self.apart}
        return Items(tuple(members), frozenset(apart))

    def _undecided(self, one: int, other: int) -> tuple[int, int]:
        low, high = sorted((self._index(one), self._index(other)))
        if low == high or (low, high) in self.apart:
            raise CertificateError(f"the proof decides twice on rows {one} and {other}")
        return low, high

    def _index(self, row: int) -> int:
        for index, rows in enumerate(self.members):
            if row in rows:
                return index
        raise CertificateError(f"the proof decides on row {row}, which is a repeat or unreachable")


@dataclass(frozen=True, eq=False)
class HelpableRows:
    """Different rows that are not called unreachable."""

    given: IntArray  # (m,) the first given row of each
    people: IntArray  # (m,) how many people each stands for
    index_of: dict[int, int]  # from given row to index

    @classmethod
    def of(cls, claims: Claims) -> HelpableRows:
        """Take together what the classifier cannot tell apart; rows equal to an unreachable one are none."""
        problem, distinct = claims.problem, claims.problem.distinct
        kinds = np.ones(len(distinct.first), dtype=np.bool_)
        kinds[distinct.of[list(claims.unreachable)]] = False
        people = np.zeros(len(distinct.first), dtype=np.int64)
        np.add.at(people, distinct.of, problem.people)
        given = distinct.first[kinds]
        return cls(given, people[kinds], {row: index for index, row in enumerate(given.tolist())})

    def indices(self, rows: Sequence[int], what: str) -> list[int]:
        """Find rows; only the first of equal rows stands for them, and unreachable ones are not there."""
        for row in rows:
            if row not in self.index_of:
                raise CertificateError(f"{what} names row {row}, which is a repeat or unreachable")
        return [self.index_of[row] for row in rows]

    def spread(self, numbers: Sequence[int], what: str) -> IntArray:
        """Take one number per given row as numbers of these; all others have to be 0."""
        rows = [row for row, number in enumerate(numbers) if number]
        found = np.zeros(len(self.given), dtype=np.int64)
        found[self.indices(rows, what)] = [numbers[row] for row in rows]
        return found

    def known(self, pairs: Sequence[tuple[int, int]]) -> IntArray:
        """Take numbers of some given rows as numbers of these; all others are passed over."""
        found = np.zeros(len(self.given), dtype=np.int64)
        for row, number in pairs:
            if row in self.index_of:
                found[self.index_of[row]] = number
        return found
