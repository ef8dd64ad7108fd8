"""The cheapest way of one row by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground, Indices

NEVER: int = np.iinfo(np.int64).max


def cheapest(
    ground: Ground, batches: Batches, rows: Indices, features: IntArray, budget: int
) -> tuple[IntArray, NDArray[np.int32]]:
    """Find the cheapest way of each row by itself that changes at most ``budget`` of some features.

    Returns what it costs, -1 where there is none, and ``(rows, p)`` cells to go to, -1 where a row stays.
    """
    cells = np.full((len(rows), ground.rows.shape[1]), -1, dtype=np.int32)
    if not ground.decided:
        return _cheapest_by_asking(ground, batches, rows, features, budget, cells), cells
    costs = np.empty(len(rows), dtype=np.int64)
    reach = np.zeros((len(features) + 1, budget + 1), dtype=np.int64)
    lines = np.zeros((5, len(features) + 1), dtype=np.int64)
    members = rows.astype(np.int32)
    kernels.cheapest_each(ground.tables, features, budget, members, cells, reach, lines, costs)
    return costs, cells


def _cheapest_by_asking(
    ground: Ground, batches: Batches, rows: Indices, features: IntArray, budget: int, cells: NDArray[np.int32]
) -> IntArray:
    """Try all changes of no feature, of one, of two; where each change costs one, the first is cheapest."""
    costs = np.full(len(rows), NEVER)
    left = np.arange(len(rows))
    for size in range(budget + 1):
        for chosen in combinations(features.tolist(), size):
            if ground.problem.costs is None:
                left = left[costs[left] == NEVER]
            if not len(left):
                break
            least, goals = cheapest_of_set(ground, batches, rows[left], chosen)
            better = least < costs[left]
            costs[left[better]] = least[better]
            cells[left[better]] = -1
            cells[left[better][:, None], chosen] = goals[better]
    return np.where(costs == NEVER, -1, costs)


def cheapest_of_set(
    ground: Ground, batches: Batches, rows: Indices, changed: Sequence[int]
) -> tuple[IntArray, IntArray]:
    """Find the cheapest way of each row that moves in each of some features, and in no other.

    Returns its cost, ``NEVER`` where no such way is accepted, and the cells that the row goes to.
    """
    choices = ground.choices(changed, ground.goals)
    if not len(choices) or not len(rows):
        return np.full(len(rows), NEVER), np.zeros((len(rows), len(changed)), dtype=np.int64)
    accepted = batches.accepted(np.array(changed, dtype=np.int64), rows, choices, moved=True)
    price = np.zeros(accepted.shape, dtype=np.int64)
    for j, feature in enumerate(changed):
        price += ground.paid(feature, rows[:, None], choices[:, j])
    price[~accepted] = NEVER
    best = price.argmin(axis=1)
    return price[np.arange(len(rows)), best], choices[best]
