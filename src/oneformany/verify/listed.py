"""Listed columns, and whether every group that matters is part of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import IntArray
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listing import Groups, Listing

SHOWN = 10


class ListedColumns:
    """Columns found by row, perhaps with what each row pays there."""

    def __init__(
        self, columns: Sequence[Sequence[int]] = (), costs: Sequence[IntArray] | None = None
    ) -> None:
        self._columns: list[tuple[IntArray, IntArray]] = []
        self._of: dict[int, list[int]] = {}
        self._known: set[bytes] = set()
        for number, column in enumerate(columns):
            paid = np.zeros(len(column)) if costs is None else costs[number]
            self.add(np.array(column, dtype=np.int64), np.array(paid, dtype=np.int64))

    def __len__(self) -> int:
        return len(self._columns)

    def add(self, rows: IntArray, costs: IntArray) -> None:
        """Add a column."""
        order = np.argsort(rows)
        for row in rows.tolist():
            self._of.setdefault(row, []).append(len(self._columns))
        self._columns.append((rows[order], costs[order]))

    def with_row(self, row: int) -> list[IntArray]:
        """Find the columns that contain a row."""
        return [self._columns[number][0] for number in self._of.get(row, [])]

    def contain(self, rows: IntArray, costs: IntArray | None = None) -> bool:
        """Tell whether one column has all of these rows, at no more cost for any."""
        pays = np.zeros(len(rows), dtype=np.int64) if costs is None else costs
        key = sha256(rows.tobytes() + pays.tobytes()).digest()
        if key in self._known or not len(rows):
            return True
        for number in min((self._of.get(row, []) for row in rows.tolist()), key=len):
            members, paid = self._columns[number]
            index = np.minimum(np.searchsorted(members, rows), len(members) - 1)
            if (members[index] == rows).all() and (paid[index] <= pays).all():
                self._known.add(key)
                return True
        return False


def check_all_listed(
    listing: Listing,
    score: IntArray,
    floor: int,
    columns: ListedColumns,
    what: str,
    gains: Callable[[Groups], IntArray] | None = None,
) -> None:
    """Confirm that every group that reaches the floor is part of a listed column.

    Each row counts its score, which is not negative, or what it gains in the group, at most its score; then a
    column has to be as cheap for each row. Without columns no group may reach the floor, and rows that count
    nothing help none to do so.
    """
    whole = len(columns) > 0 or floor <= 0
    for groups in listing.groups(score, lambda: floor, whole=whole, costed=gains is not None):
        sums = groups.sums(score[groups.rows] if gains is None else gains(groups))
        for choice, bucket in np.argwhere(sums >= floor).tolist():
            listing.limits.check()
            members = groups.members(choice, bucket)
            rows = groups.rows[members]
            if not columns.contain(rows, None if groups.costs is None else groups.costs[choice, members]):
                raise unproved(listing, f"{named(listing.moves.given[rows].tolist())} {what}")


def named(rows: list[int]) -> str:
    """Name a group by some of its rows."""
    return f"a group with rows {', '.join(map(str, sorted(rows)[:SHOWN]))}{', ...' * (len(rows) > SHOWN)}"


def unproved(listing: Listing, what: str) -> Exception:
    """Say that something is wrong, or open where a point was met of which rounding decides."""
    if not listing.moves.doubt:
        return CertificateError(what)
    kind = listing.problem.classifier.kind
    told = "the file does not hold" if listing.problem.classifier.judge is None else "rounding decides under"
    return NotConfirmedError(f"{what}, if it can be explained; {told} the {kind} classifier")
