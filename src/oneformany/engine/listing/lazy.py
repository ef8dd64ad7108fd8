"""Columns that are looked for only where a cover would use them.

Rows that agree outside of some features are a bucket. As long as nobody asked which of them the classifier
accepts together, a bucket counts as a column: covers only become smaller by that, so bounds hold. A bucket
that is looked at either has targets that all of its rows accept, and is a column indeed, or it gives way to
the largest groups that it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import Buckets
from oneformany.engine.listing.ground import FORBIDDEN, Ground, Indices
from oneformany.engine.listing.listing import FullListing
from oneformany.engine.listing.single_rows import REACHING_TIME, Reached, reach_rows
from oneformany.engine.listing.store import Store, alone, priced
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.stop import Stop

SAMPLE = 100
FIRST_CHOICES = 16
GROWTH = 8
SEED = 4
TINY = 1e-300


class LazyListing:
    """Columns that are known, and buckets of which nobody knows what the classifier makes of them.

    Rows share a point. It begins with a column for each row that can be helped. ``open`` are the buckets that
    were not looked at and are not part of a column, ``looked_at`` counts those that were.
    """

    def __init__(self, batches: Batches, reached: Reached) -> None:
        ground = batches.ground
        self.ground, self.batches, self.reached = ground, batches, reached
        self.buckets = Buckets.of(ground, np.flatnonzero(reached.reachable))
        self.open = np.ones(len(self.buckets), dtype=np.bool_)
        self.looked_at = 0
        self._store = Store(ground, costed=False)
        self._ordered = cache(self._order)
        rows = np.flatnonzero(reached.reachable)
        self._store.absorb(alone(ground, rows, reached.cells[rows]))
        self._mean = _mean_scores(batches, rows)
        best = np.maximum.reduceat(self._mean, ground.offsets[:-1])[self.buckets.feature_sets].sum(axis=1)
        self._helped = best / (2.1 * np.abs(best).max(initial=TINY))  # one success counts for more

    def listing(self) -> FullListing:
        """What there is now, as a listing."""
        return FullListing(self.table()[0], self.reached.unreachable, self.batches.asked)

    def offer(self, features: IntArray, rows: Indices, goal: IntArray) -> None:
        """Add a column of those of some rows that accept it, as in :meth:`add`."""
        rows = rows[self.reached.reachable[rows]]
        joined = rows[self.batches.accepted(features, rows, goal[None])[:, 0]]
        if len(joined):
            self.add(features, joined, goal)

    def add(self, features: IntArray, rows: Indices, goal: IntArray) -> None:
        """Add a column that these rows, in rising order, accept: to the goals of the features."""
        self._store.absorb(priced(self.ground, features, np.array([0, len(rows)]), rows, goal[None]))

    def table(self) -> tuple[ColumnTable, IntArray]:
        """All columns, then the open buckets as if they were columns; and the numbers of these."""
        # What is part of a column is not needed any more.
        self.open &= ~self._store.hold(self.buckets.starts, self.buckets.rows, np.flatnonzero(self.open))
        waiting = np.flatnonzero(self.open)
        known = self._store.table(complete=True)
        buckets = self.buckets
        rows, starts = buckets.taken(waiting)
        changed = np.zeros((len(waiting), known.changed.shape[1]), dtype=np.bool_)
        first = buckets.feature_sets[buckets.sets[buckets.set_starts[waiting]]]
        changed[np.arange(len(waiting))[:, None], first] = True
        targets = self.ground.rows[buckets.rows[buckets.starts[waiting]]].astype(np.int32)
        free = np.zeros(len(rows), dtype=np.int64)
        return known.followed_by(starts, rows, free, changed, targets), waiting

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
        self.open[which] = False
        self.looked_at += len(which)

    def _sets(self, bucket: int) -> Iterator[int]:
        """The feature sets of a bucket, those first that have helped most buckets or are most promising."""
        own = self.buckets.sets[self.buckets.set_starts[bucket] : self.buckets.set_starts[bucket + 1]]
        return iter(own[np.argsort(-self._helped[own], kind="stable")].tolist())

    def _look_inside(self, number: int, buckets: Sequence[int]) -> list[int]:
        """Try the targets of a feature set on some buckets; return those that one target serves whole."""
        features = self.buckets.feature_sets[number]
        choices = self._ordered(number)
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
                        price = self._prices(features, groups[index], some[whole])
                        best = int(whole[price.argmin()])
                        self.add(features, groups[index], some[best])
                        done.append(index)
                    tried[index] = np.concatenate([tried[index], mine], axis=1)
            left = np.setdiff1d(left, done)
            begin, width = begin + width, width * GROWTH
        self._helped[number] += len(done)
        for index in left.tolist():
            size = tried[index].sum(axis=0)
            order = np.lexsort((self._prices(features, groups[index], choices), -size))
            order = order[: np.count_nonzero(size >= 2)]
            largest = np.empty(len(order), dtype=np.int64)
            largest = largest[: kernels.largest_groups(tried[index], order, largest)]
            _, which = np.nonzero(tried[index].T[largest])
            starts = np.concatenate([[0], np.cumsum(size[largest])])
            self._store.absorb(priced(self.ground, features, starts, groups[index][which], choices[largest]))
        return [buckets[index] for index in done]

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

    def _prices(self, features: IntArray, rows: Indices, choices: IntArray) -> IntArray:
        """What each choice costs all of these rows together."""
        total = np.zeros(len(choices), dtype=np.int64)
        people = self.ground.problem.multiplicity[rows]
        for feature, cells in zip(features, choices.T, strict=True):
            every = np.arange(self.ground.problem.levels[feature])
            total += (people @ self.ground.paid(feature, rows[:, None], every))[cells]
        return total


def lazy_listing(problem: Problem, stop: Stop) -> LazyListing:
    """Find out which rows can be helped, and begin with a column for each of them."""
    ground = Ground.of(problem)
    part = stop.part(REACHING_TIME * stop.remaining())
    everybody = np.arange(len(ground.rows))
    reached = reach_rows(ground, Batches(ground, part), everybody, part)
    return LazyListing(Batches(ground, stop), reached)


def _mean_scores(batches: Batches, rows: IntArray) -> FloatArray:
    """The mean score of some rows after each single move: which targets are promising, nothing more."""
    ground = batches.ground
    rows = np.random.default_rng(SEED).permutation(rows)[:SAMPLE]
    mean = np.zeros(int(ground.offsets[-1]))
    if not len(rows):
        return mean
    for feature in ground.changeable.tolist():
        gain = ground.gain(feature, rows)
        for cell in range(gain.shape[1]):
            may = rows[gain[:, cell] != FORBIDDEN]
            if len(may):
                after = ground.rows[may].copy()
                after[:, feature] = cell
                scores = ground.problem.oracle.score(batches.values(may, after))
                mean[ground.offsets[feature] + cell] = scores.mean()
    return mean
