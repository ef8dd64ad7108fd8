"""A primal heuristic: round one column after the other, generating columns for what is left."""

from __future__ import annotations

import math

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.master import Relaxed
from oneformany.engine.pricing.pricer import scaled
from oneformany.engine.tree.column_generation import QUICK_NODES, Node

__all__ = ["dive"]

ROUNDS_PER_STEP = 4
AS_GOOD_AS_ONE = 0.999
TOLERANCE = 1e-6


def dive(node: Node) -> None:
    """Offer a cover to the run, unless it cannot be smaller than the best."""
    run = node.run
    needed = np.ones(len(node.items), dtype=np.bool_)
    chosen: list[Column] = []
    while needed.any():
        node.master.need(needed)
        relaxed = _relax(node)
        hopeless = relaxed is None or len(chosen) + math.ceil(relaxed.value - TOLERANCE) >= run.count
        if relaxed is None or hopeless or run.stop.expired():
            break
        for place in _rounded_up(node, relaxed, needed):
            chosen.append(node.columns[place])
            needed[node.groups[place]] = False
    node.master.need(np.ones(len(node.items), dtype=np.bool_))
    if not needed.any():
        run.offer(chosen)


def _rounded_up(node: Node, relaxed: Relaxed, needed: BoolArray) -> list[int]:
    """Columns that are whole already; at least the one with the largest share, of those the largest group."""
    left = np.array([int(needed[group].sum()) for group in node.groups])
    order = np.lexsort((-left, -np.round(relaxed.shares, 6)))
    whole = [place for place in order.tolist() if relaxed.shares[place] >= AS_GOOD_AS_ONE and left[place]]
    return whole or order[:1].tolist()


def _relax(node: Node) -> Relaxed | None:
    relaxed = node.master.solve()
    for _ in range(ROUNDS_PER_STEP):
        if relaxed is None or node.run.stop.expired():
            break
        priced = node.pricer.price(scaled(relaxed.duals), node.run.stop, QUICK_NODES)
        node.run.pool.add(priced.columns)
        if not node.add(priced.columns, priced.weights):
            break
        relaxed = node.master.solve()
    return relaxed
