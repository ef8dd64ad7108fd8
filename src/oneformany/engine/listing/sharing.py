"""The ways to share: which groups there are, as jobs of one feature set each, done beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.cheapest import NEVER, cheapest, cheapest_of_set
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.listing.store import Found, Store
from oneformany.engine.table.table import NO_CELL
from oneformany.stop import Stop

Job = Callable[[], list[Found]]


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


def run(jobs: Iterator[Job], stop: Stop, threads: int) -> Iterator[list[Found]]:
    """Do jobs in order, a few at a time; end early, without the rest, when time is up."""
    if threads == 1:
        for job in jobs:
            if stop.expired():
                return
            yield job()
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[list[Found]]] = deque()
        for job in jobs:
            if stop.expired():
                break
            waiting.append(pool.submit(job))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        for future in waiting:
            if not (stop.expired() and future.cancel()):
                yield future.result()


def priced(
    ground: Ground, features: IntArray, starts: IntArray, rows: NDArray[np.int32], targets: NDArray[np.int32]
) -> Found:
    """Groups, with what each of their rows pays for going to the group's targets."""
    costs = np.zeros(len(rows), dtype=np.int64)
    kernels.entry_costs(ground.price, ground.offsets, features, starts, rows, targets, costs)
    return Found(features, starts, rows, costs, targets)


def accepted_groups(
    ground: Ground,
    features: IntArray,
    choices: IntArray,
    accepted: BoolArray,
    members: Indices,
    bounds: IntArray,
    least: int,
) -> Found:
    """Groups of ``least`` or more of some members: per bucket and choice those that accept it."""
    most = (len(bounds) - 1) * len(choices)
    starts, rows = np.zeros(most + 1, dtype=np.int64), np.empty(np.count_nonzero(accepted), dtype=np.int32)
    targets = np.empty((most, len(features)), dtype=np.int32)
    joined = np.empty(len(members), dtype=np.int32)
    found = kernels.groups_of(accepted, members, bounds, choices, least, joined, (starts, rows, targets))
    return priced(ground, features, starts[: found + 1], rows[: starts[found]], targets[:found])


ROWS_AT_ONCE = 256
FEWEST_GROUPS = 256


def point_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find all groups of two or more rows; ``costed``: also targets that only are cheaper."""
    coded = CodedRows.of(ground)
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        features = np.array(chosen, dtype=np.int64)
        if ground.decided:
            yield partial(_point_groups, ground, coded, features, costed)
        else:
            yield partial(_asked_point_groups, ground, batches, coded, features)


def _point_groups(ground: Ground, coded: CodedRows, features: IntArray, costed: bool) -> list[Found]:
    order, bounds = coded.agreeing(features)
    able, joined = np.empty((2, len(order)), dtype=np.int32)
    state = np.zeros(2, dtype=np.int64)
    room = ground.room(features)
    most = max(FEWEST_GROUPS, len(bounds) - 1)
    found, done = [], False
    while not done:
        starts = np.zeros(most + 1, dtype=np.int64)
        rows = np.empty(max(4 * most, len(order)), dtype=np.int32)
        targets = np.empty((most, len(features)), dtype=np.int32)
        done = kernels.point_groups(
            *(ground.tables, ground.potential, ground.problem.multiplicity, features, order, bounds),
            *(ground.simple, costed, room, able, joined, state, (starts, rows, targets)),
        )
        count = int(state[1])
        found.append(priced(ground, features, starts[: count + 1], rows[: starts[count]], targets[:count]))
        most *= 2
    return found


def _asked_point_groups(
    ground: Ground, batches: Batches, coded: CodedRows, features: IntArray
) -> list[Found]:
    order, bounds = coded.agreeing(features)
    choices = ground.choices(features.tolist(), ground.reached)
    found = []
    begin = 0
    while begin < len(bounds) - 1:
        most = bounds[begin] + max(1, batches.pairs // len(choices))
        end = max(begin + 1, int(np.searchsorted(bounds, most, side="right")) - 1)
        members = order[bounds[begin] : bounds[end]]
        accepted = batches.accepted(features, members, choices)
        within = bounds[begin : end + 1] - bounds[begin]
        found.append(accepted_groups(ground, features, choices, accepted, members, within, 2))
        begin = end
    return found


def add_single_rows(store: Store, batches: Batches, rows: IntArray, stop: Stop) -> BoolArray:
    """Add for each of some rows the cheapest column it has by itself; return which rows were settled."""
    settled = np.zeros(len(rows), dtype=np.bool_)
    one = np.array([0, 1])
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        if stop.expired():
            break
        members = rows[begin : begin + ROWS_AT_ONCE]
        costs, cells = cheapest(store.ground, batches, members, store.ground.changeable, store.ground.size)
        for row in np.flatnonzero(costs >= 0).tolist():
            changed = np.flatnonzero(cells[row] >= 0)
            member = members[row : row + 1].astype(np.int32)
            store.absorb(Found(changed, one, member, costs[row : row + 1], cells[row : row + 1, changed]))
        settled[begin : begin + len(members)] = True
    return settled


ENTRIES = 1 << 22


def action_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find the groups of all actions; ``costed``: also targets that only make one cheaper."""
    slots = useful_targets(ground, costed=costed)
    gains = np.ascontiguousarray(ground.gain.T) if ground.decided else None
    width = max(1, (ENTRIES if ground.decided else batches.pairs) // len(ground.rows))
    for size in range(ground.size + 1):
        for chosen in combinations(ground.changeable.tolist(), size):
            features = np.array(chosen, dtype=np.int64)
            choices = ground.choices(chosen, slots)
            for begin in range(0, len(choices), width):
                part = choices[begin : begin + width]
                if gains is not None:
                    yield partial(_action_groups, ground, gains, features, part, costed)
                else:
                    yield partial(_asked_action_groups, ground, batches, features, part)


def useful_targets(ground: Ground, *, costed: bool) -> BoolArray:
    """Slots that some row may go to and that no other target of the feature makes superfluous.

    With ``costed`` also those that only make an action cheaper.
    """
    if not ground.decided:
        return ground.goals
    useful = np.zeros_like(ground.goals)
    n = len(ground.rows)
    everybody = np.arange(n, dtype=np.int32)
    for feature in ground.changeable:
        begin, end = ground.offsets[feature], ground.offsets[feature + 1]
        kernels.candidates(
            ground.gain, ground.price, begin, end - begin, everybody, n, costed, useful[begin:end]
        )
    return useful & ground.goals


def _action_groups(
    ground: Ground, gains: IntArray, features: IntArray, choices: IntArray, costed: bool
) -> list[Found]:
    m, n, k = len(choices), len(ground.rows), len(features)
    starts, rows = np.zeros(m + 1, dtype=np.int64), np.empty(m * n, dtype=np.int32)
    targets = np.empty((m, k), dtype=np.int32)
    needed, joined = np.empty(k, dtype=np.bool_), np.empty(n, dtype=np.int32)
    found = kernels.action_groups(
        *(ground.tables, gains, ground.problem.multiplicity, features, choices, costed),
        *(needed, ground.room(features), joined, (starts, rows, targets)),
    )
    used = rows[: starts[found]].copy()
    return [priced(ground, features, starts[: found + 1], used, targets[:found])]


def _asked_action_groups(
    ground: Ground, batches: Batches, features: IntArray, choices: IntArray
) -> list[Found]:
    everybody = np.arange(len(ground.rows), dtype=np.int32)
    accepted = batches.accepted(features, everybody, choices)
    bounds = np.array([0, len(everybody)])
    return [accepted_groups(ground, features, choices, accepted, everybody, bounds, 1)]


def feature_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find the groups of all feature sets; each row goes where it is cheapest, costed or not."""
    del costed
    subsets: dict[tuple[int, ...], IntArray] = {}
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        if ground.decided:
            yield partial(_feature_groups, ground, batches, np.array(chosen, dtype=np.int64))
        else:
            yield partial(_asked_feature_groups, ground, batches, chosen, subsets)


def _feature_groups(ground: Ground, batches: Batches, features: IntArray) -> list[Found]:
    rows = np.flatnonzero(ground.potential[:, features].sum(axis=1) >= ground.deficit)
    return _found(features, rows, cheapest(ground, batches, rows, features, len(features))[0])


def _asked_feature_groups(
    ground: Ground, batches: Batches, chosen: tuple[int, ...], subsets: dict[tuple[int, ...], IntArray]
) -> list[Found]:
    """A row moves in exactly one subset of the features; each subset is asked about once."""
    costs = np.full(len(ground.rows), NEVER)
    for size in range(len(chosen) + 1):
        for changed in combinations(chosen, size):
            if changed not in subsets:
                subsets[changed] = _costs_of_set(ground, batches, changed)
            np.minimum(costs, subsets[changed], out=costs)
    rows = np.flatnonzero(costs < NEVER)
    return _found(np.array(chosen, dtype=np.int64), rows, costs[rows])


def _costs_of_set(ground: Ground, batches: Batches, changed: tuple[int, ...]) -> IntArray:
    ways = max(1, len(ground.choices(changed, ground.goals)))
    blocks = np.array_split(np.arange(len(ground.rows)), -(-len(ground.rows) * ways // batches.pairs))
    return np.concatenate([cheapest_of_set(ground, batches, rows, changed)[0] for rows in blocks])


def _found(features: IntArray, rows: IntArray, costs: IntArray) -> list[Found]:
    if not len(rows):
        return []
    targets = np.full((1, len(features)), NO_CELL, dtype=np.int32)
    return [Found(features, np.array([0, len(rows)]), rows.astype(np.int32), costs, targets)]
