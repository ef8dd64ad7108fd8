"""Listed columns, whether every group that matters is part of one, and the groups that save most."""

from collections.abc import Callable, Sequence
from hashlib import sha256

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.listing import Groups, Listing
from oneformany.verify.reading import BoolArray, IntArray

SHOWN = 10
SPARE = 100
FACTOR = 4


class ListedColumns:
    """Columns found by row, perhaps with what each row pays there."""

    def __init__(self, columns: Sequence[Sequence[int]] = (), costs: Sequence[IntArray] = ()) -> None:
        self._columns: list[tuple[IntArray, IntArray]] = []
        self._of: dict[int, list[int]] = {}
        self._known: set[bytes] = set()
        for number, column in enumerate(columns):
            paid = costs[number] if costs else np.zeros(len(column), dtype=np.int64)
            self.add(np.array(column, dtype=np.int64), paid)

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

    def contain(self, rows: IntArray, costs: IntArray) -> bool:
        """Tell whether one column has all of these rows, at no more cost for any."""
        key = sha256(rows.tobytes() + costs.tobytes()).digest()
        if key in self._known or not len(rows):
            return True
        for number in min((self._of.get(row, []) for row in rows.tolist()), key=len):
            members, paid = self._columns[number]
            index = np.minimum(np.searchsorted(members, rows), len(members) - 1)
            if (members[index] == rows).all() and (paid[index] <= costs).all():
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
    for groups in listing.groups(score, lambda: floor, whole=len(columns) > 0 or floor <= 0):
        sums = groups.sums(score[groups.rows] if gains is None else gains(groups))
        for choice, bucket in np.argwhere(sums >= floor).tolist():
            listing.limits.check()
            members = groups.members(choice, bucket)
            rows = groups.rows[members]
            if not columns.contain(rows, groups.costs[choice, members]):
                raise unproved(listing, f"{named(listing.moves.given[rows].tolist())} {what}")


def named(rows: list[int]) -> str:
    """Name a group by some of its rows."""
    return f"a group with rows {', '.join(map(str, sorted(rows)[:SHOWN]))}{', ...' * (len(rows) > SHOWN)}"


def unproved(listing: Listing, what: str) -> Exception:
    """Say that something is wrong, or open where a point was met of which rounding decides."""
    if not listing.moves.doubt:
        return CertificateError(what)
    classifier = listing.problem.classifier
    told = "the file does not hold" if classifier.scores is None else "rounding decides under"
    return NotConfirmedError(f"{what}, if it can be explained; {told} the {classifier.kind} classifier")


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
