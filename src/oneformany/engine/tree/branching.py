"""Which pair of rows to decide on next.

Every subset of a group is a group, so each row may be thought of as assigned to one column only, and two
rows share that column or they do not (Ryan and Foster).
"""

from __future__ import annotations

import numpy as np

from oneformany.engine.tree.column_generation import Node

__all__ = ["pair_to_branch_on"]


def pair_to_branch_on(node: Node) -> tuple[int, int] | None:
    """Pick the undecided pair that shares columns closest to half; ``None`` if all are decided."""
    if node.relaxed is None:
        return None
    size = len(node.items)
    shared = np.zeros((size, size))
    for place in np.flatnonzero(node.relaxed.shares > 1e-9).tolist():
        group = node.groups[place]
        shared[np.ix_(group, group)] += node.relaxed.shares[place]
    undecided = np.triu(np.ones((size, size), dtype=np.bool_), 1)
    for i, j in node.items.apart:
        undecided[i, j] = False
    if not undecided.any():
        return None
    distance = np.where(undecided, np.abs(np.minimum(shared, 1.0) - 0.5), np.inf)
    i, j = divmod(int(distance.argmin()), size)
    return int(node.items.first[i]), int(node.items.first[j])
