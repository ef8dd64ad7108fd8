"""Rows that share the changed features only: every feature set of full size, own targets for each row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.engine.cover.table import NO_CELL
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import NEVER, cheapest, cheapest_of_set
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job, Piece

__all__ = ["feature_jobs"]


def feature_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find the groups of all feature sets.

    Parameters
    ----------
    ground : Ground
        The problem.
    batches : Batches
        Who accepts what, where gains do not decide.
    costed : bool
        Makes no difference: each row goes where it is cheapest for it.
    """
    del costed
    subsets: dict[tuple[int, ...], IntArray] = {}
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        if ground.decided:
            yield partial(_by_gains, ground, batches, np.array(chosen, dtype=np.int64))
        else:
            yield partial(_by_asking, ground, batches, chosen, subsets)


def _by_gains(ground: Ground, batches: Batches, features: IntArray) -> list[Piece]:
    rows = kernels.feature_groups(ground.potential, ground.deficit, features)
    return _piece(features, rows, cheapest(ground, batches, rows, features, len(features))[0])


def _by_asking(
    ground: Ground, batches: Batches, chosen: tuple[int, ...], subsets: dict[tuple[int, ...], IntArray]
) -> list[Piece]:
    """A row moves in exactly one subset of the features; each subset is asked about once."""
    everybody = np.arange(len(ground.cells), dtype=np.int32)
    costs = np.full(len(everybody), NEVER)
    for size in range(len(chosen) + 1):
        for changed in combinations(chosen, size):
            if changed not in subsets:
                subsets[changed] = _costs_of_set(ground, batches, changed)
            np.minimum(costs, subsets[changed], out=costs)
    rows = everybody[costs < NEVER]
    return _piece(np.array(chosen, dtype=np.int64), rows, costs[rows])


def _costs_of_set(ground: Ground, batches: Batches, changed: tuple[int, ...]) -> IntArray:
    ways = max(1, len(ground.choices(changed, ground.goals)))
    blocks = np.array_split(np.arange(len(ground.cells)), -(-len(ground.cells) * ways // batches.pairs))
    return np.concatenate([cheapest_of_set(ground, batches, rows, changed)[0] for rows in blocks])


def _piece(features: IntArray, rows: NDArray[np.int32], costs: IntArray) -> list[Piece]:
    if not len(rows):
        return []
    targets = np.full((1, len(features)), NO_CELL, dtype=np.int32)
    return [(features, (np.array([0, len(rows)]), rows, costs, targets))]
