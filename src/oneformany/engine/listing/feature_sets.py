"""Rows that share the changed features only: every feature set of full size, own targets for each row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.cover.table import NO_CELL
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.cheapest import cheapest
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job, Piece

__all__ = ["feature_jobs"]


def feature_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:  # noqa: ARG001 - one signature for all three
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
    for chosen in combinations(ground.changeable.tolist(), ground.size):
        yield partial(_group, ground, batches, np.array(chosen, dtype=np.int64))


def _group(ground: Ground, batches: Batches, features: IntArray) -> list[Piece]:
    able = kernels.feature_groups(ground.potential, ground.deficit, features)
    costs, _ = cheapest(ground, batches, able, features, len(features))
    rows, costs = able[costs >= 0], costs[costs >= 0]
    if not len(rows):
        return []
    targets = np.full((1, len(features)), NO_CELL, dtype=np.int32)
    return [(features, (np.array([0, len(rows)]), rows, costs, targets))]
