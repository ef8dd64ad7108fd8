"""Which rows a proof treats as one, and which it keeps apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oneformany.exceptions import CertificateError

__all__ = ["Items"]


@dataclass(frozen=True)
class Items:
    """Distinct rows, merged and separated by the decisions taken so far.

    Attributes
    ----------
    members : tuple of tuples of int
        The rows of each item; a group contains all of an item or nothing of it.
    apart : frozenset of pairs of int
        Items, smaller index first, that no group contains together.
    """

    members: tuple[tuple[int, ...], ...]
    apart: frozenset[tuple[int, int]] = frozenset()

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
