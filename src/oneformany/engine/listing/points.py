"""Rows that share a point: every feature set, every bucket of rows that agree outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import cheapest
from oneformany.engine.listing.cost.kernels import entry_costs
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.listing.jobs import Job, Piece
from oneformany.engine.listing.store.columns import Store
from oneformany.stop import Stop

__all__ = ["add_single_rows", "point_jobs", "rows_in_buckets", "slot_codes"]

SEED = 1
ROWS_AT_ONCE = 256


def point_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find all groups of two or more rows.

    Parameters
    ----------
    ground : Ground
        The problem.
    batches : Batches
        Who accepts what, where gains do not decide.
    costed : bool
        Also targets that only make a group cheaper.
    """
    keys, row_codes = slot_codes(ground)
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        features = np.array(chosen, dtype=np.int64)
        if ground.decided:
            yield partial(_by_gains, ground, features, keys, row_codes, costed)
        else:
            yield partial(_by_asking, ground, batches, features, keys, row_codes)


def rows_in_buckets(ground: Ground, features: IntArray) -> tuple[Indices, int]:
    """Rows that some other row agrees with outside of some features, and how many buckets they form.

    Parameters
    ----------
    ground : Ground
        The problem.
    features : array
        Where they may differ.
    """
    order, bounds = kernels.buckets(ground.cells, *slot_codes(ground), ground.offsets, features)
    return order, len(bounds) - 1


def slot_codes(ground: Ground) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """A random number per slot, and their sum per row."""
    random = np.random.default_rng(SEED)
    keys = random.integers(2**64, size=int(ground.offsets[-1]), dtype=np.uint64)
    return keys, keys[ground.offsets[:-1] + ground.cells].sum(axis=1, dtype=np.uint64)


def _by_gains(
    ground: Ground, features: IntArray, keys: NDArray[np.uint64], row_codes: NDArray[np.uint64], costed: bool
) -> list[Piece]:
    order, bounds = kernels.buckets(ground.cells, keys, row_codes, ground.offsets, features)
    starts, rows, targets = kernels.point_groups(
        ground.gain,
        ground.price,
        ground.deficit,
        ground.potential,
        ground.offsets,
        ground.problem.multiplicity,
        features,
        order,
        bounds,
        ground.simple,
        costed,
    )
    costs = entry_costs(ground.price, ground.offsets, features, starts, rows, targets)
    return [(features, (starts, rows, costs, targets))]


def _by_asking(
    ground: Ground,
    batches: Batches,
    features: IntArray,
    keys: NDArray[np.uint64],
    row_codes: NDArray[np.uint64],
) -> list[Piece]:
    order, bounds = kernels.buckets(ground.cells, keys, row_codes, ground.offsets, features)
    choices = ground.choices(features.tolist(), ground.reached)
    pieces: list[Piece] = []
    begin = 0
    while begin < len(bounds) - 1:
        most = bounds[begin] + max(1, batches.pairs // len(choices))
        end = max(begin + 1, int(np.searchsorted(bounds, most, side="right")) - 1)
        members = order[bounds[begin] : bounds[end]]
        accepted = batches.accepted(features, members, choices)
        within = bounds[begin : end + 1] - bounds[begin]
        starts, rows, targets = kernels.groups_of(accepted, members, within, choices, 2)
        costs = entry_costs(ground.price, ground.offsets, features, starts, rows, targets)
        pieces.append((features, (starts, rows, costs, targets)))
        begin = end
    return pieces


def add_single_rows(store: Store, batches: Batches, rows: IntArray, stop: Stop) -> BoolArray:
    """Add for each of some rows the cheapest column it has by itself; return which rows were settled.

    Parameters
    ----------
    store : Store
        Where the columns go.
    batches : Batches
        Who accepts what, where gains do not decide.
    rows : array
        Which rows.
    stop : Stop
        When to end; then the rest is not settled.
    """
    settled = np.zeros(len(rows), dtype=np.bool_)
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        if stop.expired():
            break
        members = rows[begin : begin + ROWS_AT_ONCE]
        costs, cells = cheapest(store.ground, batches, members, store.ground.changeable, store.ground.size)
        for row, cost, cell in zip(members, costs, cells, strict=True):
            if cost >= 0:
                changed = np.flatnonzero(cell >= 0)
                group = (
                    np.array([0, 1]),
                    np.array([row], dtype=np.int32),
                    np.array([cost]),
                    cell[None, changed],
                )
                store.absorb(changed, group)
        settled[begin : begin + len(members)] = True
    return settled
