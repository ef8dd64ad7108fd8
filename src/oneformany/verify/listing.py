"""Every explanation there is, and the rows that possibly follow it: one pass over all feature sets.

Where rows share a point, those that agree outside the changed features are a bucket each; a set of fewer
features than may change adds nothing, since rows may stay. Where they share an action, every row is asked
about every choice of targets for every set of features. Where they share features only, each row goes where
it can, and as cheaply as it can. A bucket whose rows together are too light is passed over.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.points import Near
from oneformany.verify.problem import Problem
from oneformany.verify.reading import BoolArray, IntArray

PAIRS = 2**20
NUMBERS = 2**22
MOST_COMPARED = 2**24
BEYOND_ANY = 2**60
SHOWN = 10
BATCH = 2**15

Features = tuple[int, ...]


class Buckets(NamedTuple):
    """Rows that may be in groups together, bucket after bucket."""

    rows: IntArray  # (r,)
    bucket: IntArray  # (r,) rising

    @property
    def starts(self) -> IntArray:
        """Where each bucket begins."""
        return np.flatnonzero(np.diff(self.bucket, prepend=-1))

    def only(self, kept: BoolArray) -> "Buckets":
        """Lose some of the rows."""
        return Buckets(self.rows[kept], self.bucket[kept])

    def parted(self, told: IntArray) -> "Buckets":
        """Part rows that differ in a number of each row."""
        key = self.bucket * (told.max() + 1) + told[self.rows]
        order = np.argsort(key, kind="stable")
        return Buckets(self.rows[order], np.cumsum(np.diff(key[order], prepend=key[order[:1]]) > 0))

    def heavy(self, score: IntArray, floor: int) -> "Buckets":
        """Lose buckets whose rows together do not reach the floor."""
        if not len(self.rows):
            return self
        starts = self.starts
        enough = np.add.reduceat(score[self.rows], starts) >= floor
        return self.only(np.repeat(enough, np.diff(starts, append=len(self.rows))))


@dataclass(frozen=True, eq=False)
class Groups:
    """Some groups of the same changed features: the part of a choice of targets in a bucket of rows."""

    rows: IntArray  # (r,) indices of the rows in question, bucket after bucket
    starts: IntArray  # (b,) where each bucket begins
    inside: BoolArray  # (g, r) who follows which choice
    costs: IntArray  # (g, r) what that costs each row; 0 unless it was asked for

    def sums(self, numbers: IntArray) -> IntArray:
        """Add up a number of each row, or of each choice and row, ``(g, b)``."""
        return np.add.reduceat(np.where(self.inside, numbers, 0), self.starts, axis=1)

    def members(self, choice: int, bucket: int) -> IntArray:
        """Tell where in ``rows`` those of one group are."""
        start, *ends = self.starts[bucket : bucket + 2].tolist()
        return np.asarray(start + np.flatnonzero(self.inside[choice, start : ends[0] if ends else None]))


Gains = Callable[[Groups], IntArray]
"""What the rows of groups count there, ``(g, r)``, not negative."""
NOTHING = np.zeros((1, 0), dtype=np.int64)  # the choice of no target


class Listing(Near):
    """All groups of some different given rows, which share what the problem says."""

    def __init__(self, problem: Problem, rows: IntArray, *, costed: bool = False) -> None:
        classifier, everybody = problem.classifier, np.arange(len(rows))
        self.limits = problem.limits
        self.share = problem.share
        self.limits.need(
            len(rows) * (sum(problem.levels) * (10 if classifier.summed else 2) + 64 * len(problem.levels)),
            "the moves of all rows",
        )
        super().__init__(problem, rows)
        values = problem.values[rows]
        self._gain: list[IntArray] = []  # (cells, rows) of each feature: what moves add to an additive score
        self.lacking = classifier.lacking(values)
        for feature, cells in enumerate(self.cells.T if classifier.summed else ()):
            table = classifier.tables[classifier.starts[feature] :]
            gain = table[np.maximum(problem.targets[feature], 0)][:, None] - table[values[:, feature]]
            gain[cells, everybody] = 0
            self._gain.append(gain)
        self._costed = costed  # then a group is part of another one only if no row pays more there
        self._everybody = everybody
        features = range(len(problem.levels))
        self._changeable = [f for f in features if (self.may(f).sum(axis=0) > 1).any()]
        self._size = min(problem.max_changes, len(self._changeable))
        self._useful: dict[int, IntArray] = {}
        self._summed = classifier.summed and not problem.restricted

    def groups(
        self, score: IntArray, floor: Callable[[], int], gains: Gains | None = None, *, whole: bool = True
    ) -> Iterator[Groups]:
        """List all groups that weigh as much as the floor says at the time; parts of others may be missing.

        A row weighs its score, which is not negative, or what it gains in a group: at most its score, and
        less the more it pays there. Rows that count nothing are left out unless groups are ``whole``.
        """
        rows = self._everybody if whole else np.flatnonzero(score > 0)
        everybody = Buckets(rows, np.zeros(len(rows), dtype=np.int64))

        def is_heavy(groups: Groups) -> BoolArray:
            sums = groups.sums(score[groups.rows] if gains is None else gains(groups))
            return np.asarray((sums >= floor()).any(axis=1))

        for features, buckets in self._sets(everybody, score, floor):
            could = buckets.heavy(score, floor())
            could = could.only(self._possible(features, NOTHING, could.rows)[0]).heavy(score, floor())
            if len(could.rows):
                yield from self._of_set(features, could, is_heavy)

    def _sets(
        self, everybody: Buckets, score: IntArray, floor: Callable[[], int]
    ) -> Iterator[tuple[Features, Buckets]]:
        """List the features that may change, and buckets of rows that may be in one group then.

        It is decided feature by feature whether it changes. Where rows share a point and it does not, those
        that differ in it part; where no bucket is heavy enough any more, sets are not looked at.
        """
        point = self.share == "point"
        sizes = range(self._size + 1) if self.share == "action" else [self._size]
        names = sorted(self._changeable, key=lambda feature: -len(np.unique(self.cells[:, feature])))
        cells, rest = self.cells[:, names].T, np.delete(self.cells, names, axis=1)
        alike = [np.unique(rest, axis=0, return_inverse=True)[1].ravel()]
        for told in cells[::-1] if point else ():  # what rows are in all features from this one on
            self.limits.check()
            alike.append(np.unique(alike[-1] * (told.max() + 1) + told, return_inverse=True)[1].ravel())
        waiting: list[tuple[Features, int, int, Buckets]] = [((), 0, size, everybody) for size in sizes]
        while waiting:
            self.limits.check()
            taken, decided, wanted, buckets = waiting.pop()
            buckets = buckets.heavy(score, floor())
            left = len(names) - decided
            if not len(buckets.rows):
                continue
            if not wanted:
                yield taken, buckets.parted(alike[left]) if point else buckets
                continue
            if left > wanted:
                rest_of = buckets.parted(cells[decided]) if point else buckets
                waiting.append((taken, decided + 1, wanted, rest_of))
            waiting.append(((*taken, names[decided]), decided + 1, wanted - 1, buckets))

    def cheapest_moves(self) -> IntArray:
        """Tell what each row pays at least: for one move, unless it is possibly positive as it is."""
        least = self.least_costs((), self._everybody)
        return np.asarray(np.minimum(least, self._least_moves.min(axis=0)))

    @cached_property
    def _least_moves(self) -> IntArray:
        """What each row pays at least for changing each feature, ``(features, rows)``; huge if it may not."""
        least = np.full(self.cells.T.shape, BEYOND_ANY if self._costed else 0)
        for feature in self._changeable if self._costed else ():
            self.limits.need(24 * self.may(feature).size, "the moves of all rows")
            cells = np.arange(self.problem.levels[feature])[:, None]
            away = self.may(feature) & (cells != self.cells[:, feature])
            price = self.costs((feature,), cells, self._everybody)
            least[feature] = np.where(away, price, BEYOND_ANY).min(axis=0)
        return least

    def least_costs(self, features: Features, rows: IntArray) -> IntArray:
        """Tell the least that each row pays for changing these features only; huge where it cannot.

        What is not a matter of sums is looked at, as long as so many changes could cost less than was found.
        """
        least = np.full(len(self._everybody), BEYOND_ANY)
        open_rows = rows
        if self._summed:
            # What a sum costs that is possibly positive, and one that surely is, is mostly the same.
            lacking, margin = self.lacking[rows], self.problem.classifier.margin
            both = np.concatenate([lacking, lacking + margin])
            least[rows], sure = self._cheapest(features, np.tile(rows, 2), both).reshape(2, -1)
            open_rows = rows[least[rows] < sure]
            least[open_rows] = BEYOND_ANY
        cheapest = np.sort(self._least_moves[list(features)][:, open_rows], axis=0)
        cheapest = np.minimum(cheapest, BEYOND_ANY // max(1, len(features)))
        paid = np.cumsum(np.insert(cheapest, 0, 0, axis=0), axis=0)  # at least, for so many changes
        budget = np.full(len(least), -1)
        budget[open_rows] = len(features)
        free = np.array(features, dtype=np.int64)
        for points, who in self.points(free[:0], free, budget):
            held = self.held(points, who)
            price = self.problem.paid(self.cells[who[held]], points[held]) if self._costed else 0
            np.minimum.at(least, who[held], price)
            budget[open_rows] = (paid < least[open_rows]).sum(axis=0) - 1
        return least[rows]

    def _cheapest(self, features: Features, rows: IntArray, lacking: IntArray) -> IntArray:
        """Tell the least that each row pays to gain what it lacks; huge where it cannot.

        Feature by feature, ways are kept that pay less than any other one which gains as much.
        """
        ahead = sum((self.most[feature][rows] for feature in features), np.zeros(len(rows), dtype=np.int64))
        who = np.flatnonzero(ahead >= lacking)
        gain, paid = np.zeros((2, len(who)), dtype=np.int64)
        for feature in features:
            ahead = ahead - self.most[feature][rows]
            may = self.may(feature)
            cells = np.flatnonzero(may[:, rows].any(axis=1))
            self.limits.check()
            self.limits.need(64 * len(cells) * len(who), "the ways to change a row")
            if len(cells) * len(who) > PAIRS and len(rows) > 1:
                halves = zip(np.array_split(rows, 2), np.array_split(lacking, 2), strict=True)
                return np.concatenate([self._cheapest(features, *half) for half in halves])
            mine, price = rows[who], self.costs((feature,), cells[:, None], rows)
            gains = np.minimum(gain + self._gain[feature][np.ix_(cells, mine)], lacking[who])
            could = may[np.ix_(cells, mine)] & (gains + ahead[who] >= lacking[who])
            which, way = np.nonzero(could)
            paid, gain, who = paid[way] + price[which, who[way]], gains[could], who[way]
            order = np.lexsort((-gain, paid, who))
            paid, gain, who = paid[order], gain[order], who[order]
            rank = np.unique(gain, return_inverse=True)[1].ravel() + who * len(who)
            better = np.diff(np.maximum.accumulate(rank), prepend=-1) > 0
            paid, gain, who = paid[better], gain[better], who[better]
        least = np.full(len(rows), BEYOND_ANY)
        np.minimum.at(least, who, paid)
        return least

    def _of_set(
        self, features: Features, buckets: Buckets, is_heavy: Callable[[Groups], BoolArray]
    ) -> Iterator[Groups]:
        """List the groups of a set of features, whose targets are chosen one after the other.

        Choices are dropped as soon as no rows that could still follow them are heavy enough.
        """
        rows, starts = buckets.rows, buckets.starts
        if self.share == "features":
            least = self.least_costs(features, rows)
            helped = least < BEYOND_ANY
            if helped.any():
                inside = np.ones((1, int(helped.sum())), dtype=np.bool_)
                yield Groups(rows[helped], starts, inside, least[None, helped])
            return
        goals = self._goals(features)
        # Rows follow every choice, as many buckets at a time as there is room for.
        room = max(1, PAIRS // min(PAIRS, prod(len(cells) for cells in goals)))
        turn = starts[np.searchsorted(starts, np.arange(len(rows)), side="right") - 1] // room
        for number in np.unique(turn):
            part = buckets.only(turn == number)
            waiting = [iter([NOTHING])]
            while waiting:
                self.limits.check()
                targets = next(waiting[-1], None)
                if targets is None:
                    waiting.pop()
                    continue
                inside = self._possible(features, targets, part.rows)
                groups = Groups(part.rows, part.starts, inside, self.costs(features, targets, part.rows))
                if targets.shape[1] == len(features):
                    yield groups
                else:
                    cells, some = goals[targets.shape[1]], PAIRS // (len(part.rows) + 8 * len(features))
                    waiting.append(_extended(targets[is_heavy(groups)], cells, max(1, some)))

    def _goals(self, features: Features) -> list[IntArray]:
        """List the targets of each feature, without those that another one makes superfluous."""
        for feature in features:
            if feature not in self._useful:
                cells = np.flatnonzero(self.may(feature).any(axis=1))
                small = len(cells) ** 2 * len(self._everybody) <= MOST_COMPARED
                self._useful[feature] = self._undominated(feature, cells) if self._summed and small else cells
        return [self._useful[feature] for feature in features]

    def _undominated(self, feature: int, cells: IntArray) -> IntArray:
        """Drop cells for which another one is as good for every row: allowed, as helpful, no dearer."""
        may, gain = self.may(feature)[cells], self._gain[feature][cells]
        price = self.costs((feature,), cells[:, None], self._everybody)
        # Where points may be turned down, a better score is surely as good only beyond the margin.
        classifier = self.problem.classifier
        doubt = 0 if classifier.lenient and not classifier.rejected else classifier.margin
        alive = np.ones(len(cells), dtype=np.bool_)
        for worse in range(len(cells)):
            as_good = ~may[worse] | (may & (gain >= gain[worse] + doubt) & (price <= price[worse]))
            others = alive.copy()
            others[worse] = False
            alive[worse] = not as_good[others].all(axis=1).any()
        return cells[alive]

    @cached_property
    def most(self) -> list[IntArray]:
        """The most that changing each feature can add to each row's score."""
        pairs = ((self.may(feature), gain) for feature, gain in enumerate(self._gain))
        return [np.asarray(np.where(may, gain, 0).max(axis=0)) for may, gain in pairs]

    def _possible(self, features: Features, targets: IntArray, rows: IntArray) -> BoolArray:
        """Tell which rows may follow which targets, and are positive then, ``(g, r)``.

        There is one row of targets for each choice, and one column for each feature; where the last features
        have none yet, it is told which rows could still become positive, as far as that is quickly told.
        """
        classifier, restricted = self.problem.classifier, self.problem.restricted
        inside, opened = np.ones((len(targets), len(rows)), dtype=np.bool_), features[targets.shape[1] :]
        total = np.zeros(inside.shape if classifier.summed else (), dtype=np.int64)
        for feature, goals in zip(features, targets.T, strict=False):
            pairs = np.ix_(goals, rows)
            inside &= self.may(feature)[pairs]
            if classifier.summed:
                total += self._gain[feature][pairs]
        asked = inside  # what moves and sums alone do not tell
        if classifier.summed:
            lacking = self.lacking[rows] - sum(self.most[feature][rows] for feature in opened)
            inside &= total >= lacking
            asked = inside if restricted else inside & (total < lacking + classifier.margin)
        if opened and (classifier.summed or classifier.reach is None):
            return inside
        which, who = np.nonzero(asked)
        free = np.isin(np.arange(len(self.problem.levels)), opened)
        step = min(BATCH, max(1, NUMBERS // len(self.problem.levels)))
        for begin in range(0, len(which), step):
            self.limits.check()
            part = which[begin : begin + step], who[begin : begin + step]
            mine = rows[part[1]]
            after = self.cells[mine]
            after[:, features[: targets.shape[1]]] = targets[part[0]]
            inside[part] = self.reached(after, mine, free) if opened else self.held(after, mine)
        return inside

    def costs(self, features: Sequence[int], targets: IntArray, rows: IntArray) -> IntArray:
        """Tell what each row pays for each choice of targets, ``(g, r)``; nothing unless it was asked for."""
        if not self._costed:
            return np.broadcast_to(np.int64(0), (len(targets), len(rows)))
        total = np.zeros((len(targets), len(rows)), dtype=np.int64)
        for feature, goals in zip(features, targets.T, strict=False):
            total += self.problem.price(feature, self.cells[rows, feature], goals[:, None])
        return total


def _extended(targets: IntArray, cells: IntArray, step: int) -> Iterator[IntArray]:
    """Add a target in one more feature to each choice of targets, some choices at a time."""
    count = len(targets) * len(cells)
    for begin in range(0, count, step):
        index = np.arange(begin, min(begin + step, count))
        yield np.column_stack([targets[index // len(cells)], cells[index % len(cells)]])


class ListedColumns:
    """Columns found by row, perhaps with what each row pays there."""

    def __init__(self, columns: Sequence[Sequence[int]] = (), costs: Sequence[IntArray] = ()) -> None:
        self._columns: list[tuple[IntArray, IntArray]] = []
        self._of: dict[int, list[int]] = {}
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
        if not len(rows):
            return True
        for number in min((self._of.get(row, []) for row in rows.tolist()), key=len):
            members, paid = self._columns[number]
            index = np.minimum(np.searchsorted(members, rows), len(members) - 1)
            if (members[index] == rows).all() and (paid[index] <= costs).all():
                return True
        return False


def check_all_listed(
    listing: Listing,
    score: IntArray,
    floor: int,
    columns: ListedColumns,
    what: str,
    gains: Gains | None = None,
) -> None:
    """Confirm that every group that reaches the floor is part of a listed column.

    Each row counts its score, which is not negative, or what it gains in the group, at most its score; then a
    column has to be as cheap for each row. Without columns no group may reach the floor, and rows that count
    nothing help none to do so.
    """
    for groups in listing.groups(score, lambda: floor, gains, whole=len(columns) > 0 or floor <= 0):
        sums = groups.sums(score[groups.rows] if gains is None else gains(groups))
        for choice, bucket in np.argwhere(sums >= floor).tolist():
            listing.limits.check()
            members = groups.members(choice, bucket)
            rows = groups.rows[members]
            if not columns.contain(rows, groups.costs[choice, members]):
                raise CertificateError(f"{named(listing.given[rows].tolist())} {what}")


def named(rows: list[int]) -> str:
    """Name a group by some of its rows."""
    return f"a group with rows {', '.join(map(str, sorted(rows)[:SHOWN]))}{', ...' * (len(rows) > SHOWN)}"
