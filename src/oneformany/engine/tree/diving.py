"""A primal heuristic: round one column after the other, generating columns for what is left."""

from __future__ import annotations

import math

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.cover.program import RelaxedCover
from oneformany.engine.scaling import integer_weights
from oneformany.engine.tree.column_generation import Node

ROUNDS_PER_STEP = 4
QUICK_NODES = 200  # of the search around an item
AS_GOOD_AS_ONE = 0.999
TOLERANCE = 1e-6


def dive(node: Node) -> None:
    """Offer a cover to the run, unless it cannot be smaller than the best; at the root only."""
    run = node.run
    needed = np.ones(len(node.items), dtype=np.bool_)
    chosen: list[int] = []
    while needed.any():
        node.program.demand(needed.astype(np.float64))
        relaxed = _relax(node)
        hopeless = relaxed is None or len(chosen) + math.ceil(relaxed.value - TOLERANCE) >= run.count
        if relaxed is None or hopeless or run.stop.expired():
            break
        node.run.statistics.count("diving steps")
        for index in _rounded_up(node, relaxed, needed):
            chosen.append(index)
            needed[node.groups[index]] = False
    node.program.demand(np.ones(len(node.items)))
    if not needed.any() or run.stop.expired():
        run.offer(greedy_cover(node.columns, len(node.items), chosen))


def _rounded_up(node: Node, relaxed: RelaxedCover, needed: BoolArray) -> list[int]:
    """Columns whose value is 1 already; at least the one with the largest, of those the largest group."""
    left = np.array([int(needed[group].sum()) for group in node.groups])
    order = np.lexsort((-left, -np.round(relaxed.values, 6)))
    ones = [index for index in order.tolist() if relaxed.values[index] >= AS_GOOD_AS_ONE and left[index]]
    return ones or order[:1].tolist()


def _relax(node: Node) -> RelaxedCover | None:
    relaxed = node.relax()
    for _ in range(ROUNDS_PER_STEP):
        if relaxed is None or node.run.stop.expired():
            break
        priced = node.pricer.price(integer_weights(relaxed.duals), node.run.stop, QUICK_NODES)
        node.run.pool.add(priced.columns)
        if not node.add(priced.columns, priced.weights):
            break
        relaxed = node.relax()
    return relaxed
