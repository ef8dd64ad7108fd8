"""Columns that are looked for only where a cover would use them.

Rows that agree outside of some features are a bucket. As long as nobody asked which of them the classifier
accepts together, a bucket counts as a column: covers only become smaller by that, so bounds hold. A bucket
that is looked at either has targets that all of its rows accept, and is a column indeed, or it gives way to
the largest groups that it holds.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import FirstOrder, RowWeights
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.subset_kernels import inside_others, inside_some
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import CodedRows, Ground, Indices
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.engine.listing.listing import accepted_groups
from oneformany.engine.listing.single_rows import reach_rows
from oneformany.engine.listing.store import Store, going_to, leading
from oneformany.engine.masters.tabled import best_of_table, cheapest_of_table
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import Shortfall
from oneformany.engine.sources.undecided import reach_undecided
from oneformany.engine.standing import Standing
from oneformany.engine.table.table import ColumnTable
from oneformany.result.build import Group
from oneformany.result.explanation import Explanation
from oneformany.schedule import SCHEDULE

STEPS_OF_A_LOOK = 200  # of a short relaxation
PARTS_LOOKED_AT = 25  # at most one of so many is looked at before the next relaxation
USED = 1e-3  # a bucket of such a value, or so near the capacity, is looked at
# Part of the capacity, from which on a bucket is looked at although the relaxation does not use it
HEAVY = 0.98
BUCKETS_AT_ONCE = 200  # that are looked at together: a classifier answers many points at once more quickly
FEWEST_WANTED = 200  # buckets that one round of settling looks at, or an eighth of the open ones
ROWS_SAMPLED = 100  # by whose mean scores targets are ordered
FIRST_CHOICES = 16  # of targets: the most promising one serves a whole bucket more often than not
GROWTH = 8  # of the choices tried next, where the first did not serve


@dataclass(frozen=True, eq=False)
class Buckets:
    """Sets of two or more rows that agree outside of some features, each once.

    Every group of a column is part of a bucket of its features. Bucket b has the rows
    ``rows[starts[b] : starts[b + 1]]``, ascending, and ``sets[set_starts[b] : set_starts[b + 1]]`` are the
    numbers of its ``feature_sets``, of which there are all of full size.
    """

    starts: IntArray
    rows: NDArray[np.int32]
    set_starts: IntArray
    sets: IntArray
    feature_sets: IntArray

    @classmethod
    def of(cls, ground: Ground, rows: IntArray) -> Self:
        """Group some rows by what they are outside of every feature set."""
        coded = CodedRows.of(ground, rows)
        chosen = list(combinations(ground.changeable.tolist(), ground.size))
        sets = np.array(chosen, dtype=np.int64).reshape(len(chosen), ground.size)
        nothing = np.zeros(0, dtype=np.int64)
        members, sizes, owners = [nothing], [nothing], [nothing]
        for number, features in enumerate(sets):
            found, bounds = coded.agreeing(features)
            members.append(rows[found])
            sizes.append(np.diff(bounds))
            owners.append(np.full(len(bounds) - 1, number))
        joined, owner = np.concatenate(members).astype(np.int32), np.concatenate(owners)
        starts = np.append(0, np.cumsum(np.concatenate(sizes)))
        same = leading(ground, starts, joined, np.zeros(len(joined), dtype=np.int64), costed=False)
        order = np.argsort(same, kind="stable")
        new = np.flatnonzero(np.diff(same[order], prepend=-1))
        entries, begins = entries_of(starts, order[new])
        return cls(begins, joined[entries], np.append(new, len(owner)), owner[order], sets)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def group(self, bucket: int) -> NDArray[np.int32]:
        """The rows of a bucket."""
        return self.rows[self.starts[bucket] : self.starts[bucket + 1]]


class Bucketed:
    """Columns that are known, at first one for each row that can be helped, and buckets.

    ``unasked`` are buckets that were not looked at and that no column holds; ``looked_at`` counts the others.
    """

    better = best_of_table
    cheaper = cheapest_of_table
    shortfall = Shortfall()

    def __init__(self, run: Context) -> None:
        """Find out which rows can be helped, and begin with a column for each of them."""
        ground, stop = Ground.of(run.problem), run.stop
        self.reached = reached = reach_rows(ground, SCHEDULE.reaching.of(stop))
        self.run, self.ground, self.batches = run, ground, Batches(ground, stop)
        self.reachable, self.unreachable = reached.reachable, reached.unreachable
        self.buckets = Buckets.of(ground, reached.helpable)
        run.statistics.count("buckets", len(self.buckets))
        self.unasked = np.ones(len(self.buckets), dtype=np.bool_)
        self.looked_at = 0
        self._store = Store(ground, costed=False)
        self._ordered = cache(self._order)
        rows = reached.helpable
        self._store.absorb(going_to(ground, rows, reached.cells[rows]))
        self._mean = _mean_scores(self.batches, rows, run.seed)
        best = np.maximum.reduceat(self._mean, ground.offsets[:-1])[self.buckets.feature_sets].sum(axis=1)
        self._helped = best / (2.1 * np.abs(best).max(initial=1e-300))  # one success counts for more
        self._until = SCHEDULE.looking.of(stop)
        self.known: RowWeights | None = None
        self._waiting = np.zeros(0, dtype=np.int64)  # buckets at the end of the table
        self._show(None)

    @property
    def usable(self) -> int:
        """Open buckets may not be chosen."""
        return len(self.table) - len(self._waiting)

    @classmethod
    def open(cls, run: Context, start: Sequence[Explanation] = ()) -> Self:
        """Try what is known to help, then look at the buckets that short relaxations use."""
        source = cls(run)
        source._begin(start)
        return source

    def _begin(self, start: Sequence[Explanation]) -> None:
        problem = self.run.problem
        with suppress(OutOfTimeError):
            for explanation in start:
                changed = np.array(explanation.changed, dtype=np.int64)
                rows = np.unique(problem.row_of[list(explanation.members)])
                self.offer(changed, rows, np.array(explanation.point, dtype=np.int64)[changed])
            self.share_targets()
            self._refine()
        self._show(None)

    def price(self, weights: IntArray) -> int | None:
        """The greatest load of columns and open buckets, as long as all rows are in these."""
        if not self.table.complete:
            return None
        return int(self.table.incidence.loads(weights).max(initial=0))

    def heavy(self, weights: IntArray, floor: int) -> ColumnTable | None:
        """The columns and open buckets of at least this load."""
        if not self.table.complete:
            return None
        return self.table.take(np.flatnonzero(self.table.incidence.loads(weights) >= floor))

    def savings(self, _prices: IntArray) -> None:
        """Unknown: nobody knows what a bucket costs."""

    def settle(self, standing: Standing, run: Context) -> IntArray | None:
        """Look at the likeliest of the buckets that a smaller cover could use; then at rows left open."""
        if not len(standing.open):
            return self._reach_others(standing, run)
        if self._until.expired():
            return None
        most = max(FEWEST_WANTED, len(self._waiting) // 8)
        with run.statistics.timed("listing"), suppress(OutOfTimeError):
            self.look_at(self._waiting[standing.open[:most] - self.usable])
            self._show(standing.columns)
            return np.arange(len(standing.chosen))
        return None

    def _reach_others(self, standing: Standing, run: Context) -> IntArray | None:
        reached = reach_undecided(run, self.reachable | self.unreachable)
        if reached is None:
            return None
        self.unreachable = self.unreachable | reached.unreachable
        rows = reached.helpable
        if not len(rows):
            return None
        self.reachable = self.reachable | reached.reachable
        more = going_to(self.ground, rows, reached.cells[rows])
        self.table = replace(standing.columns.followed_by(more), complete=False)
        self._waiting = self._waiting[:0]
        return np.arange(len(self.table))

    def split(self, _run: Context) -> None:
        """A search over the table tells its cases apart itself."""

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray) -> list[Group]:
        """Where the columns say."""
        return groups_of(self.run.problem, table, chosen, owner)

    def _show(self, best: ColumnTable | None) -> None:
        """Make the table of now, which begins with the columns of the best choice."""
        self.table, self._waiting = self.tabled(best)
        asked, counts = self.batches.asked, self.run.statistics.counters
        counts.update({"questions in batches": asked, "buckets evaluated": self.looked_at})

    def offer(self, features: IntArray, rows: Indices, goal: IntArray) -> None:
        """Add a column of those of some rows, in rising order, that accept the goals of the features."""
        rows = rows[self.reached.reachable[rows]]
        if len(rows):
            self._add(features, rows, goal[None], self.batches.accepted(features, rows, goal[None]))

    def tabled(self, before: ColumnTable | None = None) -> tuple[ColumnTable, IntArray]:
        """Some columns, all columns, then open buckets as if they were columns; and the numbers of these."""
        # What is part of a column is not needed any more.
        known, buckets, waiting = self._store.columns, self.buckets, np.flatnonzero(self.unasked)
        groups = buckets.starts, buckets.rows, waiting
        self.unasked &= ~inside_some(*groups, known.starts, known.rows, known.n_rows)
        waiting = np.flatnonzero(self.unasked)
        entries, starts = entries_of(buckets.starts, waiting)
        # Nor is what is part of another bucket, until that is looked at.
        waiting = waiting[~inside_others(starts, buckets.rows[entries], known.n_rows, self.batches.stop)]
        entries, starts = entries_of(buckets.starts, waiting)
        changed = np.zeros((len(waiting), known.changed.shape[1]), dtype=np.bool_)
        first = buckets.feature_sets[buckets.sets[buckets.set_starts[waiting]]]
        changed[np.arange(len(waiting))[:, None], first] = True
        targets = self.ground.rows[buckets.rows[buckets.starts[waiting]]].astype(np.int32)
        rows, free = buckets.rows[entries], np.zeros(len(entries), dtype=np.int64)
        open_ = ColumnTable(starts, rows, free, changed, targets, known.n_rows, complete=True)
        columns = (known, open_) if before is None else (before, known, open_)
        return replace(columns[0], complete=True).followed_by(*columns[1:]), waiting

    def look_at(self, which: IntArray) -> None:
        """Ask the classifier about some open buckets, as much as it takes to replace them by columns."""
        waiting = {bucket: self._sets(bucket) for bucket in which.tolist()}
        while waiting:
            by_set: dict[int, list[int]] = {}
            for bucket, sets in waiting.items():
                by_set.setdefault(next(sets, -1), []).append(bucket)
            done = by_set.pop(-1, [])
            for number, buckets in sorted(by_set.items()):
                done += self._look_inside(number, buckets)
            for bucket in done:
                del waiting[bucket]
        self._store.reduce(self.batches.stop)
        self.unasked[which] = False
        self.looked_at += len(which)

    def share_targets(self) -> None:
        """Offer the targets that help a row to all rows of the largest bucket in which it can take them."""
        buckets, cells = self.buckets, self.reached.cells
        outside = np.ones((len(buckets.feature_sets), cells.shape[1]), dtype=np.float32)
        np.put_along_axis(outside, buckets.feature_sets, 0.0, axis=1)
        moves_outside = outside @ (cells != self.ground.rows).T.astype(np.float32) > 0
        bucket_of = np.repeat(np.arange(len(buckets)), np.diff(buckets.set_starts))
        entries, begins = entries_of(buckets.starts, bucket_of)
        pairs, rows = np.repeat(np.arange(len(bucket_of)), np.diff(begins)), buckets.rows[entries]
        fit = np.flatnonzero(~moves_outside[buckets.sets[pairs], rows])
        fit = fit[np.lexsort((-np.diff(begins)[pairs[fit]], rows[fit]))]
        largest = fit[np.flatnonzero(np.diff(rows[fit], prepend=-1))]
        largest = largest[np.argsort(pairs[largest], kind="stable")]
        for some in np.split(largest, np.flatnonzero(np.diff(pairs[largest])) + 1) if len(largest) else ():
            pair = pairs[some[0]]
            features, group = buckets.feature_sets[buckets.sets[pair]], buckets.group(bucket_of[pair])
            choices = np.unique(cells[rows[some]][:, features], axis=0)[:FIRST_CHOICES]
            self._add(features, group, choices, self.batches.accepted(features, group, choices))

    def _sets(self, bucket: int) -> Iterator[int]:
        """The feature sets of a bucket, those first that have helped most buckets or are most promising."""
        own = self.buckets.sets[self.buckets.set_starts[bucket] : self.buckets.set_starts[bucket + 1]]
        return iter(own[np.argsort(-self._helped[own], kind="stable")].tolist())

    def _look_inside(self, number: int, buckets: Sequence[int]) -> list[int]:
        """Try the targets of a feature set on some buckets; return those that one target serves whole."""
        features, choices = self.buckets.feature_sets[number], self._ordered(number)
        groups = [self.buckets.group(bucket) for bucket in buckets]
        sizes, left = np.array([len(group) for group in groups]), np.arange(len(buckets))
        tried = [np.zeros((len(group), 0), dtype=np.bool_) for group in groups]
        done, begin, width = [], 0, FIRST_CHOICES
        while len(left) and begin < len(choices):
            some = choices[begin : begin + width]
            filled = np.cumsum(sizes[left]) // max(1, self.batches.pairs // len(some))
            for part in np.split(left, np.flatnonzero(np.diff(filled)) + 1):
                rows = np.concatenate([groups[index] for index in part])
                accepted = self.batches.accepted(features, rows, some)
                for index, mine in zip(part, np.split(accepted, np.cumsum(sizes[part])[:-1]), strict=True):
                    whole = np.flatnonzero(mine.all(axis=0))
                    if len(whole):
                        self._add(features, groups[index], some[whole], mine[:, whole])
                        done.append(index)
                    tried[index] = np.concatenate([tried[index], mine], axis=1)
            left = np.setdiff1d(left, done)
            begin, width = begin + width, width * GROWTH
        self._helped[number] += len(done)
        for index in left.tolist():
            self._add(features, groups[index], choices, tried[index])
        return [buckets[index] for index in done]

    def _add(self, features: IntArray, rows: Indices, choices: IntArray, accepted: BoolArray) -> None:
        """Add the groups of rows that accept the same choice of targets."""
        everybody = rows, np.array([0, len(rows)])
        self._store.absorb(accepted_groups(self.ground, features, choices, accepted, everybody, 1))

    def _order(self, number: int) -> IntArray:
        """The choices of targets of a feature set, most promising first.

        Those that are tried at one time are in the order that is quick to try.
        """
        features = self.buckets.feature_sets[number]
        choices = self.ground.choices(features.tolist(), self.ground.reached)
        order = np.argsort(-self._mean[self.ground.offsets[features] + choices].sum(axis=1), kind="stable")
        begin, width = 0, FIRST_CHOICES
        while begin < len(order):
            order[begin : begin + width].sort()
            begin, width = begin + width, width * GROWTH
        return choices[order]

    def _refine(self) -> None:
        """Look at buckets that short relaxations use, each from the duals of the last, until next to none."""
        duals: FloatArray | None = None
        while not self._until.expired():
            self._show(None)
            usable = self.usable
            if usable == len(self.table):
                return
            incidence = self.table.incidence
            relaxation = FirstOrder(incidence, incidence.reachable, duals=duals)
            relaxation.advance(STEPS_OF_A_LOOK, self._until)
            weights, values = relaxation.weights(), relaxation.mean_values[usable:]
            self.known, duals = weights, weights.duals
            cover = greedy_columns(self.table.take(np.arange(usable)).incidence)
            standing = len(cover), weights.fewest(spare=0)
            self.run.report("buckets", len(self.table), float(len(cover)), standing)
            used = np.flatnonzero((values > USED) | (weights.loads[usable:] >= HEAVY * weights.capacity))
            if not len(used):
                return
            most = max(BUCKETS_AT_ONCE, len(self._waiting) // PARTS_LOOKED_AT)
            used = used[np.argsort(-values[used], kind="stable")[:most]]
            for begin in range(0, len(used), BUCKETS_AT_ONCE):
                if not self._until.expired():
                    self.look_at(self._waiting[used[begin : begin + BUCKETS_AT_ONCE]])


def _mean_scores(batches: Batches, rows: IntArray, seed: int) -> FloatArray:
    """The mean score of some rows after each single move: which targets are promising, nothing more."""
    ground = batches.ground
    rows = np.random.default_rng(seed).permutation(rows)[:ROWS_SAMPLED]
    mean = np.zeros(int(ground.offsets[-1]))
    if not len(rows):
        return mean
    for feature in ground.changeable.tolist():
        gain = ground.gain(feature, rows)
        for cell in range(gain.shape[1]):
            may = rows[gain[:, cell] != NO_MOVE]
            if len(may) and not batches.stop.expired():
                after = ground.rows[may].copy()
                after[:, feature] = cell
                scores = ground.problem.oracle.score(ground.values_at(may, after))
                mean[ground.offsets[feature] + cell] = scores.mean()
    return mean
