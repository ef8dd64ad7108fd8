"""Rows that share an action: every feature set up to full size, every choice of target cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import Job, accepted_groups, priced
from oneformany.engine.listing.store.columns import Found

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
                    yield partial(_by_gains, ground, gains, features, part, costed)
                else:
                    yield partial(_by_asking, ground, batches, features, part)


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


def _by_gains(
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


def _by_asking(ground: Ground, batches: Batches, features: IntArray, choices: IntArray) -> list[Found]:
    everybody = np.arange(len(ground.rows), dtype=np.int32)
    accepted = batches.accepted(features, everybody, choices)
    bounds = np.array([0, len(everybody)])
    return [accepted_groups(ground, features, choices, accepted, everybody, bounds, 1)]
