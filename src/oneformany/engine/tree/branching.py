"""Which pair of rows to decide on next.

Every subset of a group is a group, so each row may be thought of as assigned to one column only, and two
rows share that column or they do not: the branching of Ryan and Foster ("An integer programming approach to
scheduling", 1981).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import sparse

from oneformany.engine.cover.program import as_matrix
from oneformany.engine.tree.column_generation import Node

PAIRS = 20_000_000  # that are looked at; the largest groups are left out first


def pair_to_branch_on(node: Node) -> tuple[int, int] | None:
    """Pick the undecided pair that shares columns closest to half; ``None`` if all are decided."""
    if node.relaxed is None:
        return None
    support = np.flatnonzero(node.relaxed.values > 1e-9)
    sizes = np.array([len(node.groups[index]) for index in support], dtype=np.int64)
    order = np.argsort(sizes, kind="stable")
    support = np.sort(support[order[np.cumsum(sizes[order] ** 2) <= PAIRS]])
    member = as_matrix([node.groups[index] for index in support], len(node.items))
    shared = sparse.triu(member @ sparse.diags(node.relaxed.values[support]) @ member.T, 1).tocoo()
    distance = np.abs(np.minimum(shared.data, 1.0) - 0.5)
    for index in np.lexsort((shared.col, shared.row, distance)).tolist():
        pair = int(shared.row[index]), int(shared.col[index])
        if distance[index] < 0.5 and pair not in node.items.apart:
            return int(node.items.first[pair[0]]), int(node.items.first[pair[1]])
    undecided = (pair for pair in combinations(range(len(node.items)), 2) if pair not in node.items.apart)
    any_pair = next(undecided, None)
    return (
        None if any_pair is None else (int(node.items.first[any_pair[0]]), int(node.items.first[any_pair[1]]))
    )
