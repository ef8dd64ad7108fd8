"""Groups that weigh too much, or that are part of no listed column, found in one pass over a listing."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listing import Groups, Listing

__all__ = ["ListedColumns", "check_all_listed", "check_capacity", "objection", "unproved"]

SHOWN = 10

IntArray = NDArray[np.int64]


class ListedColumns:
    """Columns, found by row: is something part of one of them.

    Parameters
    ----------
    columns : sequence of sequences of int
        Indices of rows in a listing.
    costs : sequence of sequences of int or None
        What each row pays there, if a column has to be as cheap as a group that is part of it.
    """

    def __init__(
        self, columns: Sequence[Sequence[int]] = (), costs: Sequence[Sequence[int]] | None = None
    ) -> None:
        self._columns: list[tuple[IntArray, IntArray]] = []
        self._of: dict[int, list[int]] = {}
        self._known: set[bytes] = set()
        for number, column in enumerate(columns):
            paid = np.zeros(len(column)) if costs is None else costs[number]
            self.add(np.array(column, dtype=np.int64), np.array(paid, dtype=np.int64))

    def add(self, rows: IntArray, costs: IntArray) -> None:
        """Add a column."""
        order = np.argsort(rows)
        for row in rows.tolist():
            self._of.setdefault(row, []).append(len(self._columns))
        self._columns.append((rows[order], costs[order]))

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


def check_capacity(listing: Listing, weights: IntArray, capacity: int) -> None:
    """Confirm that no group weighs more than the capacity.

    Parameters
    ----------
    listing : Listing
        The rows and how they share.
    weights : (m,) integer array
        Of each row, not negative.
    capacity : int
        What no group may exceed.
    """
    for groups in listing.groups(weights, lambda: capacity + 1, whole=False):
        sums = groups.sums(weights)
        if (sums > capacity).any():
            choice, bucket = (int(i) for i in np.unravel_index(np.argmax(sums), sums.shape))
            members = groups.members(choice, bucket)
            raise objection(listing, groups, members, f"weighs more than {capacity}")


def check_all_listed(listing: Listing, weights: IntArray, floor: int, columns: ListedColumns) -> None:
    """Confirm that every group of some weight is part of a listed column.

    Parameters
    ----------
    listing : Listing
        The rows and how they share.
    weights : (m,) integer array
        Of each row, not negative.
    floor : int
        Lighter groups do not matter.
    columns : ListedColumns
        The columns.
    """
    for groups in listing.groups(weights, lambda: floor):
        for choice, bucket in np.argwhere(groups.sums(weights) >= floor).tolist():
            listing.limits.check()
            members = groups.members(choice, bucket)
            if not columns.contain(groups.rows[members]):
                what = "weighs enough to matter, but no listed column contains it"
                raise objection(listing, groups, members, what)


def objection(listing: Listing, groups: Groups, members: IntArray, what: str) -> Exception:
    """Say that a group spoils a proof, or perhaps does."""
    rows = np.sort(listing.moves.given[groups.rows[members]]).tolist()
    named = f"a group with rows {', '.join(map(str, rows[:SHOWN]))}{', ...' if len(rows) > SHOWN else ''}"
    return unproved(listing, f"{named} {what}")


def unproved(listing: Listing, what: str) -> Exception:
    """Say that something is wrong, or open where a point was met of which rounding decides."""
    if not listing.moves.doubt:
        return CertificateError(what)
    kind = listing.problem.classifier.kind
    told = "the file does not hold" if listing.problem.classifier.judge is None else "rounding decides under"
    return NotConfirmedError(f"{what}, if it can be explained; {told} the {kind} classifier")
