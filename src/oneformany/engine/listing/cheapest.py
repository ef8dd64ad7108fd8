"""The cheapest way of one row by itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing import kernels
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground

__all__ = ["cheapest"]


def cheapest(
    ground: Ground, batches: Batches, rows: IntArray, features: IntArray, budget: int
) -> tuple[IntArray, IntArray]:
    """Find the cheapest way of each row by itself: its cost, -1 where there is none, and its cells.

    Parameters
    ----------
    ground : Ground
        The problem.
    batches : Batches
        Who accepts what, where gains do not decide.
    rows : array
        Which rows.
    features : array
        What they may change.
    budget : int
        How many of these.

    Returns
    -------
    costs : (rows,) array
        What it costs.
    cells : (rows, p) array of int32
        Where each row goes, -1 where it stays.
    """
    cells = np.full((len(rows), ground.cells.shape[1]), -1, dtype=np.int32)
    if ground.decided:
        costs = kernels.cheapest_each(
            ground.gain,
            ground.price,
            ground.deficit,
            ground.potential,
            ground.offsets,
            features,
            budget,
            rows,
            cells,
        )
        return costs, cells
    return _cheapest_by_asking(ground, batches, rows, features, budget, cells), cells


def _cheapest_by_asking(
    ground: Ground, batches: Batches, rows: IntArray, features: IntArray, budget: int, cells: IntArray
) -> IntArray:
    """Try all changes of one feature, of two, and so on; without prices of their own, the first is cheapest."""
    costs = np.full(len(rows), -1, dtype=np.int64)
    for size in range(budget + 1):
        open_rows = np.arange(len(rows)) if ground.problem.costs is not None else np.flatnonzero(costs < 0)
        for chosen in combinations(features.tolist(), size):
            if ground.problem.costs is None:
                open_rows = open_rows[costs[open_rows] < 0]
            if not len(open_rows):
                break
            changed = np.array(chosen, dtype=np.int64)
            choices = ground.choices(chosen, ground.goals)
            accepted = batches.accepted(changed, rows[open_rows], choices, moved=True)
            price = np.zeros(accepted.shape, dtype=np.int64)
            for j, feature in enumerate(chosen):
                price += ground.price[rows[open_rows][:, None], ground.offsets[feature] + choices[:, j]]
            price[~accepted] = np.iinfo(np.int64).max
            best = price.argmin(axis=1) if price.shape[1] else np.zeros(len(open_rows), dtype=np.int64)
            for place, row in enumerate(open_rows):
                choice = best[place]
                if accepted[place, choice] and (costs[row] < 0 or price[place, choice] < costs[row]):
                    costs[row] = price[place, choice]
                    cells[row] = -1
                    cells[row, changed] = choices[choice]
    return costs
