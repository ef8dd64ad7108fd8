"""Every explanation there is, and the rows that possibly follow it: one pass over all feature sets.

Where rows share a point, those that agree outside the changed features are a bucket each; a set of fewer
features than may change adds nothing, since rows may stay. Where they share an action, every row is asked
about every choice of targets for every set of features. Where they share features only, each row goes where
it can, and as cheaply as it can. A bucket whose rows together are too light is passed over. What the
classifier possibly accepts counts as accepted: groups are as large as they can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.moves import Moves
from oneformany.verify.problem import Problem

PAIRS = 2**20
NUMBERS = 2**22
MOST_COMPARED = 2**24
NEVER = 2**60
LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Groups:
    """Some groups of the same changed features: the part of a choice of targets in a bucket of rows."""

    rows: IntArray  # (r,) indices of the rows in question, bucket after bucket
    starts: IntArray  # (b,) where each bucket begins
    inside: BoolArray  # (g, r) who follows which choice
    costs: IntArray | None  # (g, r) what that costs each row, if it was asked for

    def sums(self, numbers: IntArray) -> IntArray:
        """Add up a number of each row, or of each choice and row, ``(g, b)``."""
        return np.add.reduceat(np.where(self.inside, numbers, 0), self.starts, axis=1)

    def members(self, choice: int, bucket: int) -> IntArray:
        """Tell where in ``rows`` those of one group are."""
        end = self.starts[bucket + 1] if bucket + 1 < len(self.starts) else len(self.rows)
        start = int(self.starts[bucket])
        return start + np.flatnonzero(self.inside[choice, start:end])


class Classes:
    """Rows of codes that agree outside of some features: only such rows can share a point by changing these.

    Each row has one number made of all that occurs, if it is not too large, so that agreeing is being equal.
    """

    def __init__(self, codes: IntArray) -> None:
        self._codes = codes
        self._parts: list[IntArray] | None = []
        radix = 1
        for column in codes.T:
            present, code = np.unique(column, return_inverse=True)
            self._parts.append(code.ravel() * radix)
            radix *= len(present)
            if radix > LARGEST_KEY:
                self._parts = None
                return
        self._key = np.sum(self._parts, axis=0)

    def outside(self, features: tuple[int, ...], rows: IntArray) -> tuple[IntArray, IntArray]:
        """Sort rows by what they are outside of some features; also tell where each class begins."""
        if self._parts is None:
            codes = np.delete(self._codes[rows], features, axis=1)
            key = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        else:
            key = self._key[rows] - sum(self._parts[feature][rows] for feature in features)
        order = np.argsort(key, kind="stable")
        key = key[order]
        return rows[order], np.flatnonzero(np.diff(key, prepend=key[:1] - 1))


class Listing:
    """All groups of some different given rows, which share what the problem says unless told otherwise."""

    def __init__(self, problem: Problem, rows: IntArray, share: str | None = None) -> None:
        self.problem = problem
        self.limits = problem.limits
        self.moves = Moves(problem, rows)
        self.share = problem.share if share is None else share
        may = self.moves.may
        self.changeable = [feature for feature, can in enumerate(may) if (can.sum(axis=0) > 1).any()]
        self.size = min(problem.max_changes, len(self.changeable))
        self.most = (
            {feature: self.moves.most(feature) for feature in self.changeable} if self.moves.summed else {}
        )
        self._classes = Classes(self.moves.cells)
        self._useful: dict[tuple[int, bool], IntArray] = {}
        self._pairs = min(PAIRS, max(1, NUMBERS // len(problem.levels)))
        if self.moves.summed and not problem.restrictions:
            self._pairs = PAIRS

    def groups(
        self, score: IntArray, floor: Callable[[], int], *, whole: bool = True, costed: bool = False
    ) -> Iterator[Groups]:
        """List all groups that weigh as much as the floor says at the time; parts of others may be missing.

        A row weighs at most its score, which is not negative; rows that count nothing are left out unless
        groups are ``whole``. With costs a group is part of another one only if no row pays more there.
        """
        counted = np.ones(len(score), dtype=np.bool_) if whole else score > 0
        sizes = range(self.size + 1) if self.share == "action" else (self.size,)
        for size in sizes:
            for features in combinations(self.changeable, size):
                self.limits.check()
                rows = np.flatnonzero(counted & self._able(features))
                if len(rows) and score[rows].sum() >= floor():
                    yield from self._of_set(features, rows, score, floor(), costed=costed)

    def cheapest_moves(self) -> IntArray:
        """Tell what each row pays at least: for one move, unless it is possibly positive as it is."""
        rows = np.arange(len(self.moves.cells))
        nothing = np.zeros((1, 0), dtype=np.int64)
        step = self._pairs
        done = np.concatenate(
            [self.moves.possible((), nothing, rows[i : i + step])[0] for i in range(0, len(rows), step)]
        )
        least = np.full(len(rows), NEVER, dtype=np.int64)
        for feature in self.changeable:
            np.minimum(least, self.moves.least_cost(feature), out=least)
        return np.where(done, 0, least)

    def least_costs(self, features: tuple[int, ...], rows: IntArray) -> IntArray:
        """Tell the least that each row pays for changing these features only; huge where it cannot."""
        return self._least(features, rows, self._goals(features, rows), costed=True)

    def _least(
        self, features: tuple[int, ...], rows: IntArray, goals: list[IntArray], *, costed: bool
    ) -> IntArray:
        least = np.full(len(rows), NEVER, dtype=np.int64)
        for targets in self._choices(goals, len(rows)):
            able = self.moves.possible(features, targets, rows)
            price = self.moves.costs(features, targets, rows) if costed else np.int64(0)
            least = np.minimum(least, np.where(able, price, NEVER).min(axis=0))
        return least

    def _able(self, features: tuple[int, ...]) -> BoolArray:
        """Tell which rows these features can help, as far as sums tell."""
        if not self.moves.summed:
            return np.ones(len(self.moves.cells), dtype=np.bool_)
        total = np.zeros(len(self.moves.cells), dtype=np.int64)
        for feature in features:
            total += self.most[feature]
        return np.asarray(total >= self.moves.lacking)

    def _of_set(
        self, features: tuple[int, ...], rows: IntArray, score: IntArray, floor: int, *, costed: bool
    ) -> Iterator[Groups]:
        if self.share == "features":
            yield from self._own_ways(features, rows, costed=costed)
            return
        starts = np.zeros(1, dtype=np.int64)
        if self.share == "point":
            rows, starts = self._classes.outside(features, rows)
            heavy = np.add.reduceat(score[rows], starts) >= floor
            sizes = np.diff(starts, append=len(rows))
            rows, sizes = rows[np.repeat(heavy, sizes)], sizes[heavy]
            starts = np.cumsum(sizes) - sizes
        if len(rows):
            goals = self._useful_goals(features, rows, costed=costed)
            yield from self._ways(features, rows, starts, goals, costed=costed)

    def _goals(self, features: tuple[int, ...], rows: IntArray) -> list[IntArray]:
        return [np.flatnonzero(self.moves.may[feature][:, rows].any(axis=1)) for feature in features]

    def _useful_goals(self, features: tuple[int, ...], rows: IntArray, *, costed: bool) -> list[IntArray]:
        """List targets for each feature without those that another one makes superfluous."""
        goals = self._goals(features, rows)
        if not self.moves.summed or self.problem.restrictions:
            return goals
        everybody = np.arange(len(self.moves.cells))
        for feature in features:
            if (feature, costed) not in self._useful:
                cells = self._goals((feature,), everybody)[0]
                self._useful[feature, costed] = self._undominated(feature, cells, everybody, costed=costed)
        return [self._useful[feature, costed] for feature in features]

    def _undominated(self, feature: int, cells: IntArray, rows: IntArray, *, costed: bool) -> IntArray:
        """Drop cells for which another one is as good for every row: allowed, as helpful, no dearer."""
        if len(cells) ** 2 * len(rows) > MOST_COMPARED:
            return cells
        pairs = np.ix_(cells, rows)
        may, gain = self.moves.may[feature][pairs], self.moves.gain[feature][pairs]
        price = self.moves.costs((feature,), cells[:, None], rows) if costed else None
        alive = np.ones(len(cells), dtype=np.bool_)
        for worse in range(len(cells)):
            as_good = ~may[worse] | (may & (gain >= gain[worse]))
            if price is not None:
                as_good &= ~may[worse] | (price <= price[worse])
            others = alive.copy()
            others[worse] = False
            alive[worse] = not as_good[others].all(axis=1).any()
        return cells[alive]

    def _choices(self, goals: Sequence[IntArray], rows: int) -> Iterator[IntArray]:
        """List all choices of targets, some at a time."""
        shape = tuple(len(cells) for cells in goals)
        count, step = prod(shape), max(1, self._pairs // max(1, rows))
        if not shape:
            yield np.zeros((1, 0), dtype=np.int64)
            return
        for begin in range(0, count, step):
            self.limits.check()
            index = np.unravel_index(np.arange(begin, min(begin + step, count)), shape)
            yield np.stack([cells[i] for cells, i in zip(goals, index, strict=True)], axis=1)

    def _ways(
        self,
        features: tuple[int, ...],
        rows: IntArray,
        starts: IntArray,
        goals: list[IntArray],
        *,
        costed: bool,
    ) -> Iterator[Groups]:
        """Let rows follow every choice, as many buckets at a time as there is room for."""
        ends = np.append(starts[1:], len(rows))
        count = min(prod(len(cells) for cells in goals), self._pairs)
        first = 0
        while first < len(starts):
            room = starts[first] + self._pairs // max(1, count)
            last = max(first + 1, int(np.searchsorted(ends, room, side="right")))
            part = rows[starts[first] : ends[last - 1]]
            within = starts[first:last] - starts[first]
            for targets in self._choices(goals, len(part)):
                inside = self.moves.possible(features, targets, part)
                costs = self.moves.costs(features, targets, part) if costed else None
                yield Groups(part, within, inside, costs)
            first = last

    def _own_ways(self, features: tuple[int, ...], rows: IntArray, *, costed: bool) -> Iterator[Groups]:
        """Let each row go where it can, or where it is cheapest for it."""
        goals = self._useful_goals(features, rows, costed=costed)
        least = self._least(features, rows, goals, costed=costed)
        helped = least < NEVER
        if helped.any():
            inside, starts = np.ones((1, int(helped.sum())), dtype=np.bool_), np.zeros(1, dtype=np.int64)
            costs = least[None, helped] if costed else None
            yield Groups(rows[helped], starts, inside, costs)
