"""Rows that share a point: every feature set, every bucket of rows that agree outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.cost.cheapest import cheapest
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job, accepted_groups, priced
from oneformany.engine.listing.store.columns import Found, Store
from oneformany.stop import Stop

ROWS_AT_ONCE = 256
FEWEST_GROUPS = 256


def point_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find all groups of two or more rows; ``costed``: also targets that only are cheaper."""
    coded = CodedRows.of(ground)
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        features = np.array(chosen, dtype=np.int64)
        if ground.decided:
            yield partial(_by_gains, ground, coded, features, costed)
        else:
            yield partial(_by_asking, ground, batches, coded, features)


def _by_gains(ground: Ground, coded: CodedRows, features: IntArray, costed: bool) -> list[Found]:
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


def _by_asking(ground: Ground, batches: Batches, coded: CodedRows, features: IntArray) -> list[Found]:
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
