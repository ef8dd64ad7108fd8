"""Which rows a proof treats as one: equal ones, and those that it puts into one group by a decision."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import IntArray


@dataclass(frozen=True)
class Items:
    """Distinct rows, merged and separated by the decisions taken so far."""

    members: tuple[tuple[int, ...], ...]  # a group contains all rows of an item or none of them
    apart: frozenset[tuple[int, int]] = frozenset()  # items, smaller first, that no group has together

    @classmethod
    def single(cls, rows: Iterable[int]) -> "Items":
        """Each row on its own, nothing decided."""
        return cls(tuple((row,) for row in sorted(rows)))

    @property
    def first(self) -> list[int]:
        """The smallest row of each item, which stands for it in weights and listed groups."""
        return [rows[0] for rows in self.members]

    @cached_property
    def item_of(self) -> dict[int, int]:
        """The item of every row."""
        return {row: index for index, rows in enumerate(self.members) for row in rows}

    @cached_property
    def index_of(self) -> dict[int, int]:
        """The item that each of these rows stands for."""
        return {row: index for index, row in enumerate(self.first)}

    def indices(self, rows: Sequence[int]) -> list[int]:
        """Find the items of a listed column; rows behind the smallest one of an item add nothing."""
        if unknown := set(rows) - self.item_of.keys():
            raise CertificateError(
                f"a listed column names row {min(unknown)}, which is a repeat, unreachable or not covered"
            )
        return sorted({self.index_of[row] for row in rows if row in self.index_of})

    def spread(self, numbers: Sequence[int], wrong: str) -> IntArray:
        """Take one number per given row as numbers of the items; all others must be 0, or that is wrong."""
        for row, number in enumerate(numbers):
            if number and row not in self.index_of:
                raise CertificateError(wrong.format(row=row))
        return np.array([numbers[row] for row in self.first], dtype=np.int64)

    def separated(self, one: int, other: int) -> "Items":
        """Decide that no group contains both rows."""
        return Items(self.members, self.apart | {self._undecided(one, other)})

    def merged(self, one: int, other: int) -> "Items":
        """Decide that both rows are in the same group; each inherits whom the other is apart from."""
        keep, drop = self._undecided(one, other)
        new = {old: old - (old > drop) for old in range(len(self.members))} | {drop: keep}
        members = list(self.members)
        members[keep] = tuple(sorted(members[keep] + members.pop(drop)))
        apart = {(min(new[a], new[b]), max(new[a], new[b])) for a, b in self.apart}
        return Items(tuple(members), frozenset(apart))

    def _undecided(self, one: int, other: int) -> tuple[int, int]:
        for row in (one, other):
            if row not in self.item_of:
                raise CertificateError(f"the proof decides on row {row}, which is a repeat or unreachable")
        low, high = sorted((self.item_of[one], self.item_of[other]))
        if low == high or (low, high) in self.apart:
            raise CertificateError(f"the proof decides twice on rows {one} and {other}")
        return low, high
