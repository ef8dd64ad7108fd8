"""Rows that share an action: every feature set up to full size, every choice of target cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cost.kernels import entry_costs
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job, Piece

__all__ = ["action_jobs", "useful_targets"]

ENTRIES = 1 << 22


def action_jobs(ground: Ground, batches: Batches, *, costed: bool) -> Iterator[Job]:
    """Jobs that find the groups of all actions.

    Parameters
    ----------
    ground : Ground
        The problem.
    batches : Batches
        Who accepts what, where gains do not decide.
    costed : bool
        Also targets that only make an action cheaper.
    """
    slots = useful_targets(ground, costed=costed)
    gains = np.ascontiguousarray(ground.gain.T) if ground.decided else None
    width = max(1, (ENTRIES if ground.decided else batches.pairs) // len(ground.cells))
    for size in range(ground.size + 1):
        for chosen in combinations(ground.changeable.tolist(), size):
            features = np.array(chosen, dtype=np.int64)
            choices = ground.choices(chosen, slots)
            for begin in range(0, len(choices), width):
                part = choices[begin : begin + width]
                if gains is not None:
                    yield partial(_by_gains, ground, gains, features, part, costed)
                else:
                    yield partial(_by_asking, ground, batches, features, part)


def useful_targets(ground: Ground, *, costed: bool) -> BoolArray:
    """Places that some row may go to and that no other target of the feature makes superfluous.

    Parameters
    ----------
    ground : Ground
        The problem.
    costed : bool
        Also slots that only make an action cheaper.
    """
    if not ground.decided:
        return ground.goals
    useful = np.zeros_like(ground.goals)
    everybody = np.arange(len(ground.cells), dtype=np.int32)
    for feature in ground.changeable:
        begin, end = ground.offsets[feature], ground.offsets[feature + 1]
        alive = useful[begin:end]
        kernels.candidates(ground.gain, ground.price, begin, end - begin, everybody, costed, alive)
        alive &= ground.goals[begin:end]
    return useful


def _by_gains(
    ground: Ground, gains: IntArray, features: IntArray, choices: IntArray, costed: bool
) -> list[Piece]:
    starts, rows, targets = kernels.action_groups(
        gains,
        ground.gain,
        ground.price,
        ground.deficit,
        ground.offsets,
        ground.problem.multiplicity,
        features,
        choices,
        False,
        costed,
    )
    costs = entry_costs(ground.price, ground.offsets, features, starts, rows, targets)
    return [(features, (starts, rows, costs, targets))]


def _by_asking(ground: Ground, batches: Batches, features: IntArray, choices: IntArray) -> list[Piece]:
    everybody = np.arange(len(ground.cells), dtype=np.int32)
    accepted = batches.accepted(features, everybody, choices)
    bounds = np.array([0, len(everybody)])
    starts, rows, targets = kernels.groups_of(accepted, everybody, bounds, choices, 1)
    costs = entry_costs(ground.price, ground.offsets, features, starts, rows, targets)
    return [(features, (starts, rows, costs, targets))]
