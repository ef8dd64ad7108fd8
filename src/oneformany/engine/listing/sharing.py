"""The ways to share: which groups there are, as jobs of one feature set each, done beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from itertools import combinations, islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.listing.single_rows import NEVER, cheapest, cheapest_of_set
from oneformany.engine.listing.store import Found, priced
from oneformany.engine.table.table import NO_CELL
from oneformany.problem import Share
from oneformany.stop import Stop

Job = Callable[[], Iterable[Found]]
Buckets = tuple[NDArray[np.int32], IntArray]
"""Rows of all buckets, and where each begins."""

ENTRIES = 1 << 20
FEWEST_GROUPS = 256


class Sharing(Protocol):
    """A way to share: decides who can join a group, and what the classifier is asked for it."""

    def __call__(self, ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
        """Jobs that together find all groups, one feature set at a time.

        Parameters
        ----------
        ground : Ground
            What each row gains and pays by each move.
        batches : Batches
            Who accepts what, where gains do not decide it.
        costed : bool
            Find also groups that only make somebody's change cheaper.
        """
        ...


def run(jobs: Iterator[Job], stop: Stop, threads: int) -> Iterator[Found]:
    """Do jobs in order, a few at a time; end early, without the rest, when time is up."""
    if threads == 1:
        for job in jobs:
            if stop.expired():
                return
            yield from job()
        return
    with ThreadPoolExecutor(threads) as pool:
        fresh = map(_found, jobs)
        begun: deque[tuple[Iterator[Found], Future[Found | None]]] = deque()
        while not stop.expired():
            for found in islice(fresh, 2 * threads - len(begun)):
                begun.append((found, pool.submit(next, found, None)))
            if not begun:
                return
            found, future = begun.popleft()
            some = future.result()
            if some is not None:  # a job tells a part at a time: all of it may be more than fits
                begun.appendleft((found, pool.submit(next, found, None)))
                yield some
        for _, future in begun:
            if not future.cancel() and (some := future.result()) is not None:
                yield some


def _found(job: Job) -> Iterator[Found]:
    yield from job()


def point_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Rows that share a point: buckets of rows that agree outside of a full feature set.

    Groups of two or more; what a row has by itself is another question.
    """
    coded = CodedRows.of(ground)
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        features = np.array(chosen, dtype=np.int64)
        yield partial(_groups, ground, batches, features, coded.agreeing, ground.reached, 2, costed)


def action_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Rows that share an action: everybody in one bucket, for every feature set up to full size."""
    n = len(ground.rows)
    everybody = np.arange(n, dtype=np.int32), np.array([0, n])
    slots = useful_targets(ground, costed=costed)
    for size in range(ground.size + 1):
        for chosen in combinations(ground.changeable.tolist(), size):
            features = np.array(chosen, dtype=np.int64)
            yield partial(_groups, ground, batches, features, lambda _: everybody, slots, 1, costed)


def useful_targets(ground: Ground, *, costed: bool) -> BoolArray:
    """Slots that some row may go to and that no other target of the feature makes superfluous.

    With ``costed`` also those that only make an action cheaper.
    """
    useful = ground.goals.copy()
    if ground.decided:
        everybody = np.arange(len(ground.rows), dtype=np.int32)
        for feature in ground.changeable:
            alive = useful[ground.offsets[feature] : ground.offsets[feature + 1]]
            kernels.candidates(ground.tables, feature, everybody, len(everybody), costed, alive)
    return useful


def _groups(
    ground: Ground,
    batches: Batches,
    features: IntArray,
    buckets_of: Callable[[IntArray], Buckets],
    slots: BoolArray,
    least: int,
    costed: bool,
) -> Iterator[Found]:
    """Groups of ``least`` or more rows of the buckets of a feature set, with targets at some slots."""
    buckets = buckets_of(features)
    if ground.decided:
        return _groups_by_gains(ground, features, buckets, slots, least, costed)
    return _groups_by_asking(batches, features, buckets, ground.choices(features.tolist(), slots), least)


def _groups_by_gains(
    ground: Ground, features: IntArray, buckets: Buckets, slots: BoolArray, least: int, costed: bool
) -> Iterator[Found]:
    n, k, widest = len(buckets[0]), len(features), ground.problem.width
    lines = np.zeros((3, k, widest), dtype=np.int64), np.zeros((9, k + 1), dtype=np.int64)
    members = np.empty((3, n), dtype=np.int32), np.empty(n, dtype=np.int64)
    room, state = (np.zeros(widest, dtype=np.bool_), *lines, *members), np.zeros(2, dtype=np.int64)
    most, done = max(FEWEST_GROUPS, len(buckets[1]) - 1), False
    while not done:
        starts, targets = np.zeros(most + 1, dtype=np.int64), np.empty((most, k), dtype=np.int32)
        rows = np.empty(max(ENTRIES, 4 * most, n), dtype=np.int32)
        done = kernels.groups_by_gains(
            *(ground.tables, ground.problem.multiplicity, features, buckets, slots, least, costed),
            *(room, state, (starts, rows, targets)),
        )
        found = int(state[1])
        yield priced(ground, features, starts[: found + 1], rows[: starts[found]], targets[:found])
        most *= 2


def _groups_by_asking(
    batches: Batches, features: IntArray, buckets: Buckets, choices: IntArray, least: int
) -> Iterator[Found]:
    """Ask about some buckets, and some choices, at a time."""
    order, bounds = buckets
    begin = 0
    while begin < len(bounds) - 1:
        most = bounds[begin] + max(1, batches.pairs // len(choices))
        end = max(begin + 1, int(np.searchsorted(bounds, most, side="right")) - 1)
        members, within = order[bounds[begin] : bounds[end]], bounds[begin : end + 1] - bounds[begin]
        width = max(1, batches.pairs // len(members))
        for first in range(0, len(choices), width):
            some = choices[first : first + width]
            accepted = batches.accepted(features, members, some)
            yield accepted_groups(batches.ground, features, some, accepted, members, within, least)
        begin = end


def accepted_groups(
    ground: Ground,
    features: IntArray,
    choices: IntArray,
    accepted: BoolArray,
    members: Indices,
    bounds: IntArray,
    least: int,
) -> Found:
    """Groups of ``least`` or more of some members: per choice and bucket those that accept it."""
    sizes = np.add.reduceat(accepted, bounds[:-1], axis=0, dtype=np.int64)
    large = sizes >= least
    _, index = np.nonzero((accepted & np.repeat(large, np.diff(bounds), axis=0)).T)
    starts = np.concatenate([[0], np.cumsum(sizes.T[large.T])])
    return priced(ground, features, starts, members[index], choices[np.nonzero(large.T)[0]])


def feature_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Rows that share the changed features only: full sets, and each row goes where it is cheapest."""
    del costed
    least_of = cache(partial(_least_costs, ground, batches))
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        yield partial(_feature_group, ground, batches, chosen, least_of)


def _feature_group(
    ground: Ground,
    batches: Batches,
    chosen: tuple[int, ...],
    least_of: Callable[[tuple[int, ...]], IntArray],
) -> list[Found]:
    features = np.array(chosen, dtype=np.int64)
    if ground.decided:
        rows = np.flatnonzero(ground.potential[:, features].sum(axis=1) >= ground.deficit)
        costs, _ = cheapest(ground, batches, rows, features, len(features))
    else:  # a row moves in exactly one subset of the features
        subsets = (some for size in range(len(chosen) + 1) for some in combinations(chosen, size))
        costs = np.minimum.reduce([least_of(some) for some in subsets])
        rows = np.flatnonzero(costs < NEVER)
        costs = costs[rows]
    if not len(rows):
        return []
    targets = np.full((1, len(features)), NO_CELL, dtype=np.int32)
    starts = np.array([0, len(rows)])
    return [Found(starts, rows.astype(np.int32), costs, features[None].astype(np.int32), targets)]


def _least_costs(ground: Ground, batches: Batches, changed: tuple[int, ...]) -> IntArray:
    """What each row pays at least for moving in each of some features, and in no other."""
    ways = max(1, len(ground.choices(changed, ground.goals)))
    blocks = np.array_split(np.arange(len(ground.rows)), -(-len(ground.rows) * ways // batches.pairs))
    return np.concatenate([cheapest_of_set(ground, batches, rows, changed)[0] for rows in blocks])


SHARINGS: dict[Share, Sharing] = {"point": point_jobs, "action": action_jobs, "features": feature_jobs}
