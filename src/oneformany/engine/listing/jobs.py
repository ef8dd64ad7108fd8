"""Work cut into pieces that can run beside each other: groups of one feature set at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.kernels import entry_costs
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.listing.store.columns import Found
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
    entry_costs(ground.price, ground.offsets, features, starts, rows, targets, costs)
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
