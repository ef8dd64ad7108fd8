"""List all columns of a problem, by what rows share, and say of every row whether it can be helped."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations, islice

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import CodedRows, Ground, Indices
from oneformany.engine.listing.single_rows import cheapest, cheapest_of_set
from oneformany.engine.listing.store import Store, columns_of, going_to
from oneformany.engine.scaling import UNPAYABLE
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem, Share
from oneformany.stop import Stop

Job = Iterator[ColumnTable]
Sharing = Callable[[Batches, bool], Iterator[Job]]
"""A way to share: who can join a group, and what the classifier is asked for it.

Of who accepts what, and whether groups count that only make somebody's change cheaper, it makes jobs that
together find all groups, one feature set at a time.
"""
Buckets = tuple[Indices, IntArray]
"""Rows of all buckets, and where each begins."""

THREADS = 2  # cores that most machines have; jobs are taken in the same order with one
ROWS_OF_A_JOB = 256  # that are judged for all choices together, as few as leave room for many choices
ENTRIES = 1 << 20  # rows of groups that a pass writes before they are taken over: 4 MB
GROUPS = 1 << 12  # that a pass writes before they are taken over
LISTED = 0.3  # of the memory left, for columns: sorting them and choosing take up to twice as much beside
FULL = 0.75  # of that, after columns inside others are dropped: then the next ones would not fit


def run(jobs: Iterator[Job], stop: Stop, threads: int) -> Iterator[ColumnTable]:
    """Do jobs in order, a few at a time; end early, without the rest, when time is up."""
    if threads == 1:
        for job in jobs:
            if stop.expired():
                return
            yield from job
        return
    with ThreadPoolExecutor(threads) as pool:
        begun: deque[tuple[Job, Future[ColumnTable | None]]] = deque()
        while not stop.expired():
            for job in islice(jobs, 2 * threads - len(begun)):
                begun.append((job, pool.submit(next, job, None)))
            if not begun:
                return
            job, future = begun.popleft()
            some = future.result()
            if some is not None:  # a job tells a part at a time: all of it may be more than fits
                begun.appendleft((job, pool.submit(next, job, None)))
                yield some
        for _, future in begun:
            if not future.cancel() and (some := future.result()) is not None:
                yield some


def point_jobs(batches: Batches, costed: bool) -> Iterator[Job]:
    """Rows that share a point: two or more that agree outside of a full feature set."""
    ground = batches.ground
    coded = CodedRows.of(ground)
    for features in combinations(ground.changeable.tolist(), ground.size):
        yield _groups(batches, features, coded.agreeing, ground.reached, 2, costed)


def action_jobs(batches: Batches, costed: bool) -> Iterator[Job]:
    """Rows that share an action: everybody in one bucket, for every feature set up to full size."""
    ground, n = batches.ground, len(batches.ground.rows)
    everybody = np.arange(n, dtype=np.int32), np.array([0, n])
    slots = useful_targets(ground, costed)
    for size in range(ground.size + 1):
        for features in combinations(ground.changeable.tolist(), size):
            yield _groups(batches, features, lambda _: everybody, slots, 1, costed)


def useful_targets(ground: Ground, costed: bool) -> BoolArray:
    """Slots that some row may go to and that no other makes superfluous, nor, ``costed``, is as cheap."""
    useful = ground.goals.copy()
    if ground.decided:
        everybody = np.arange(len(ground.rows), dtype=np.int32)
        for feature in ground.changeable:
            alive = useful[ground.offsets[feature] : ground.offsets[feature + 1]]
            kernels.candidates(ground.gains, feature, everybody, costed, alive)
    return useful


def _groups(
    batches: Batches,
    chosen: tuple[int, ...],
    buckets_of: Callable[[IntArray], Buckets],
    slots: BoolArray,
    least: int,
    costed: bool,
) -> Job:
    """Groups of ``least`` or more rows of the buckets of a feature set, with targets at some slots."""
    features = np.array(chosen, dtype=np.int64)
    if batches.ground.decided:
        yield from _groups_by_gains(batches.ground, features, buckets_of(features), slots, least, costed)
        return
    (order, bounds), choices = buckets_of(features), batches.ground.choices(chosen, slots)
    begin = 0
    while begin < len(bounds) - 1:  # some buckets, and some choices, at a time
        most = bounds[begin] + max(1, batches.pairs // len(choices))
        end = max(begin + 1, int(np.searchsorted(bounds, most, side="right")) - 1)
        members, within = order[bounds[begin] : bounds[end]], bounds[begin : end + 1] - bounds[begin]
        width = max(1, batches.pairs // len(members))
        for first in range(0, len(choices), width):
            some = choices[first : first + width]
            accepted = batches.accepted(features, members, some)
            yield accepted_groups(batches.ground, features, some, accepted, (members, within), least)
        begin = end


def _groups_by_gains(
    ground: Ground, features: IntArray, buckets: Buckets, slots: BoolArray, least: int, costed: bool
) -> Job:
    order, k, widest = buckets[0], len(features), ground.problem.width
    able = (ground.potential[:, features].sum(axis=1) >= ground.deficit)[order]
    order, bounds = order[able], np.append(0, np.cumsum(able))[buckets[1]]
    room, state = _room(k, widest, order), np.zeros(2, dtype=np.int64)
    done = False
    while not done:
        starts, targets = np.zeros(GROUPS + 1, dtype=np.int64), np.empty((GROUPS, k), dtype=np.int32)
        rows = np.empty(max(ENTRIES, len(order)), dtype=np.int32)
        done = kernels.groups_by_gains(
            *(ground.gains, ground.problem.multiplicity, features, (order, bounds), slots, least, costed),
            *(room, state, (starts, rows, targets)),
        )
        found = int(state[1])
        if found:
            yield columns_of(ground, features, starts[: found + 1], rows[: starts[found]], targets[:found])


def _room(k: int, widest: int, order: IntArray) -> kernels.Room:
    """Arrays to work in."""
    wide, lines = np.zeros((3, k, widest), dtype=np.int64), np.zeros((9, k + 1), dtype=np.int64)
    return kernels.Room(
        alive=np.zeros(widest, dtype=np.bool_),
        choice=wide[0],
        counts=lines[0],
        digit=lines[1],
        target=lines[2],
        near=np.empty_like(order),
        lacks=np.empty(len(order), dtype=np.int64),
        goals=wide[1],
        burdens=wide[2],
        affordable=lines[3],
        tried=lines[4],
        trial=lines[5],
        paid=lines[6],
        rest=lines[7],
        lack=lines[8],
    )


def accepted_groups(
    ground: Ground, features: IntArray, choices: IntArray, accepted: BoolArray, buckets: Buckets, least: int
) -> ColumnTable:
    """Groups of ``least`` or more rows of buckets: per choice and bucket those that accept it."""
    members, bounds = buckets
    sizes = np.add.reduceat(accepted, bounds[:-1], axis=0, dtype=np.int64)
    large = sizes >= least
    _, index = np.nonzero((accepted & np.repeat(large, np.diff(bounds), axis=0)).T)
    starts = np.append(0, np.cumsum(sizes.T[large.T]))
    return columns_of(ground, features, starts, members[index], choices[np.nonzero(large.T)[0]])


def feature_jobs(batches: Batches, _: bool) -> Iterator[Job]:
    """Rows that share the changed features only: full sets, and each row goes where it is cheapest."""
    ground = batches.ground
    most = int(LISTED * batches.stop.memory.left) // (8 * max(1, len(ground.rows)))
    least_of = lru_cache(max(1, most))(partial(_least_costs, batches))
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        yield _feature_group(batches, chosen, least_of)


def _feature_group(
    batches: Batches, chosen: tuple[int, ...], least_of: Callable[[tuple[int, ...]], IntArray]
) -> Job:
    ground, features = batches.ground, np.array(chosen, dtype=np.int64)
    if ground.decided:
        rows = np.flatnonzero(ground.potential[:, features].sum(axis=1) >= ground.deficit)
        costs, _ = cheapest(ground, batches, rows, features, len(features))
    else:  # a row moves in exactly one subset of the features
        subsets = (some for size in range(len(chosen) + 1) for some in combinations(chosen, size))
        costs = np.minimum.reduce([least_of(some) for some in subsets])
        rows = np.flatnonzero(costs < UNPAYABLE)
        costs = costs[rows]
    if len(rows):
        anywhere = np.zeros((1, len(features)), dtype=np.int64)
        yield replace(columns_of(ground, features, np.array([0, len(rows)]), rows, anywhere), costs=costs)


def _least_costs(batches: Batches, changed: tuple[int, ...]) -> IntArray:
    """What each row pays at least for moving in each of some features, and in no other."""
    ground = batches.ground
    ways = max(1, len(ground.choices(changed, ground.goals)))
    blocks = np.array_split(np.arange(len(ground.rows)), -(-len(ground.rows) * ways // batches.pairs))
    return np.concatenate([cheapest_of_set(ground, batches, rows, changed)[0] for rows in blocks])


# What is listed, by what rows share
SHARINGS: dict[Share, Sharing] = {"point": point_jobs, "action": action_jobs, "features": feature_jobs}


@dataclass(frozen=True, eq=False)
class FullListing:
    """The columns, the distinct rows that are proved to be in none, and how many points were asked about."""

    table: ColumnTable
    unreachable: BoolArray
    asked: int

    @property
    def reachable(self) -> BoolArray:
        """Distinct rows that are in a column."""
        return self.table.incidence.reachable


def list_columns(
    problem: Problem,
    *,
    costed: bool = False,
    stop: Stop | None = None,
    threads: int = THREADS,
) -> FullListing:
    """List the columns of a problem; the table is not complete where time or memory do not suffice.

    With ``costed`` only columns are dropped whose rows are all in another column and pay no more there.
    Otherwise all whose rows are in another column; of columns with the same rows the one stays that costs
    them least together. ``threads`` look at feature sets where the classifier need not be asked.
    """
    ground, stop = Ground.of(problem), stop or Stop()
    store, batches = Store(ground, costed=costed), Batches(ground, stop)
    complete, settled = False, np.zeros(len(ground.rows), dtype=np.bool_)
    try:
        complete = _fill(store, batches, stop, threads if ground.decided else 1)
        settled[:] = complete
        if problem.share == "point":
            single = np.flatnonzero(~store.covered() & ~ground.hopeless() | store.costed)
            settled[:] = True
            settled[single] = add_single_rows(store, batches, single, stop)
            complete = complete and bool(settled.all())
    except OutOfTimeError:
        complete, settled = False, np.zeros(len(ground.rows), dtype=np.bool_)
    store.reduce(stop)
    unreachable = ~store.covered() & (settled | ground.hopeless()) & ~problem.unasked
    stop.memory.keep(store.columns.rows, store.bytes)
    return FullListing(replace(store.columns, complete=complete), unreachable, batches.asked)


def _fill(store: Store, batches: Batches, stop: Stop, threads: int) -> bool:
    """Look at all feature sets; return whether none was left out."""
    most = LISTED * stop.memory.left
    jobs = SHARINGS[store.ground.problem.share](batches, store.costed)
    for found in run(jobs, stop, threads):
        store.absorb(found)
        if store.bytes > most and store.columns.bytes > FULL * most:
            store.reduce(stop)
            if store.bytes > FULL * most:
                stop.met("memory")
                return False
    return not stop.expired()


def add_single_rows(store: Store, batches: Batches, rows: IntArray, stop: Stop) -> BoolArray:
    """Add for each of some rows the cheapest column it has by itself; return which rows were settled."""
    ground, settled = store.ground, np.zeros(len(rows), dtype=np.bool_)
    alone = ground.problem.alone
    if alone is not None:  # known already
        known = rows[alone.known[rows]]
        store.absorb(going_to(ground, known, alone.ends[known]))
        return np.ones(len(rows), dtype=np.bool_)
    for begin in range(0, len(rows), ROWS_OF_A_JOB):
        if stop.expired():
            break
        some = rows[begin : begin + ROWS_OF_A_JOB]
        costs, cells = cheapest(ground, batches, some, ground.changeable, ground.size)
        ends = np.where(cells >= 0, cells, ground.rows[some])
        store.absorb(going_to(ground, some[costs >= 0], ends[costs >= 0]))
        settled[begin : begin + len(some)] = True
    return settled
