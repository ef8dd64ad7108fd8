"""Rows that share the changed features only: every feature set of full size, own targets for each row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import NEVER, cheapest, cheapest_of_set
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job
from oneformany.engine.listing.store.columns import Found
from oneformany.engine.table.table import NO_CELL


def feature_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find the groups of all feature sets; each row goes where it is cheapest, costed or not."""
    del costed
    subsets: dict[tuple[int, ...], IntArray] = {}
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        if ground.decided:
            yield partial(_by_gains, ground, batches, np.array(chosen, dtype=np.int64))
        else:
            yield partial(_by_asking, ground, batches, chosen, subsets)


def _by_gains(ground: Ground, batches: Batches, features: IntArray) -> list[Found]:
    rows = np.flatnonzero(ground.potential[:, features].sum(axis=1) >= ground.deficit)
    return _found(features, rows, cheapest(ground, batches, rows, features, len(features))[0])


def _by_asking(
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
