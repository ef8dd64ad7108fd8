"""Set cover with a proof: is there a cover by at most so many of these columns?

Depth-first: the item with the fewest usable columns must be covered by one of them; try each, forbidding
those tried before. At a node, integer weights on the items (from the duals of the relaxation) *filter* the
columns: if no usable column weighs more than C and the items weigh S, then with k columns left to choose
each must weigh at least S - (k - 1) C. A node closes when S > k C. The weights are kept, so anyone can check
the tree by addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from oneformany.engine.columns import Column
from oneformany.engine.master import Master, Relaxed
from oneformany.oracles.protocol import BoolArray, IntArray
from oneformany.stop import Stop

__all__ = ["Covering", "cover_within", "greedy_cover"]

SCALE = 2**20
WORTH_SOLVING_AGAIN = 0.1


@dataclass(frozen=True, eq=False)
class Covering:
    """Outcome of a search for a cover within a budget.

    Attributes
    ----------
    chosen : list of int or None
        The columns of a cover, if one was found.
    proof : dict or None
        The tree that excludes every cover, if it was completed.
    nodes : int
        Nodes of the tree.
    """

    chosen: list[int] | None
    proof: dict[str, Any] | None
    nodes: int


@dataclass(frozen=True, eq=False)
class _Node:
    chosen: tuple[int, ...]
    needed: BoolArray
    usable: BoolArray
    forbidden: IntArray
    proof: dict[str, Any]


def cover_within(
    groups: Sequence[IntArray], n_items: int, budget: int, stop: Stop, max_nodes: int = 100_000
) -> Covering:
    """Find a cover of all items by at most ``budget`` groups, or prove that there is none."""
    if not groups:
        return Covering(None, {"filters": [[[0, 1]]]}, 1) if n_items else Covering([], None, 1)
    ends = np.cumsum([len(group) for group in groups])
    matrix = sparse.csc_matrix(
        (np.ones(ends[-1], dtype=np.int64), np.concatenate(groups), np.concatenate(([0], ends))),
        shape=(n_items, len(groups)),
    )
    columns_of = sparse.csr_matrix(matrix)
    master = Master(n_items)
    master.add(groups)
    root = _Node(
        (), np.ones(n_items, dtype=bool), np.ones(len(groups), dtype=bool), np.zeros(0, dtype=int), {}
    )
    stack = [root]
    nodes = 0
    while stack:
        if nodes >= max_nodes or stop.expired():
            return Covering(None, None, nodes)
        nodes += 1
        node = stack.pop()
        usable = node.usable.copy()
        usable[node.forbidden] = False
        left = budget - len(node.chosen)
        relaxed = _filter(master, matrix, columns_of, node, usable, left)
        if relaxed is None:
            continue
        whole = np.flatnonzero(relaxed.shares > 0.5)
        if len(whole) <= left and _covers(matrix, whole, node.needed):
            return Covering([*node.chosen, *whole.tolist()], None, nodes)
        stack.extend(reversed(_children(matrix, columns_of, node, usable, relaxed)))
    return Covering(None, root.proof, nodes)


def _filter(
    master: Master,
    matrix: sparse.csc_matrix,
    columns_of: sparse.csr_matrix,
    node: _Node,
    usable: BoolArray,
    left: int,
) -> Relaxed | None:
    """Drop columns that no cover of the node can use; ``None`` when that closes the node."""
    filters = node.proof.setdefault("filters", [])
    while True:
        master.need(node.needed)
        master.use(usable)
        relaxed = master.solve()
        if relaxed is None:
            counts = columns_of @ usable.astype(np.int64)
            filters.append([[int(np.flatnonzero(node.needed & (counts == 0))[0]), 1]])
            return None
        weights = np.where(node.needed, np.rint(relaxed.duals * SCALE), 0).astype(np.int64)
        loads = matrix.T @ weights
        capacity = int(loads[usable].max())
        total = int(weights.sum())
        light = usable & (loads < total - (left - 1) * capacity)
        if total > left * capacity or light.any():
            filters.append([[int(i), int(weights[i])] for i in np.flatnonzero(weights)])
        if total > left * capacity:
            return None
        usable &= ~light
        if light.sum() <= WORTH_SOLVING_AGAIN * usable.sum() and not (relaxed.shares[light] > 0).any():
            return relaxed


def _children(
    matrix: sparse.csc_matrix,
    columns_of: sparse.csr_matrix,
    node: _Node,
    usable: BoolArray,
    relaxed: Relaxed,
) -> list[_Node]:
    """One child per usable column of the item that has the fewest, likeliest first."""
    counts = np.where(node.needed, columns_of @ usable.astype(np.int64), np.iinfo(np.int64).max)
    item = int(counts.argmin())
    candidates = columns_of.indices[columns_of.indptr[item] : columns_of.indptr[item + 1]]
    candidates = candidates[usable[candidates]]
    candidates = candidates[np.argsort(-relaxed.shares[candidates], kind="stable")]
    children = []
    for place, column in enumerate(candidates.tolist()):
        needed = node.needed.copy()
        needed[matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]] = False
        forbidden = candidates[: place + 1]
        children.append(_Node((*node.chosen, column), needed, usable, forbidden, {}))
    node.proof["item"] = item
    node.proof["columns"] = candidates.tolist()
    node.proof["parts"] = [child.proof for child in children]
    return children


def _covers(matrix: sparse.csc_matrix, columns: IntArray, needed: BoolArray) -> bool:
    return bool((np.asarray(matrix[:, columns].sum(axis=1)).ravel()[needed] > 0).all())


def greedy_cover(columns: Sequence[Column], n_rows: int) -> list[Column]:
    """Cover by the largest remainder first, then drop columns that the others make superfluous."""
    masks = [sum(1 << row for row in column.rows.tolist()) for column in columns]
    left = (1 << n_rows) - 1
    chosen: list[int] = []
    while left:
        best = max(range(len(masks)), key=lambda c: ((masks[c] & left).bit_count(), -c))
        if not masks[best] & left:
            raise AssertionError("every row has a column of its own")
        chosen.append(best)
        left &= ~masks[best]
    for c in sorted(chosen, key=lambda c: masks[c].bit_count()):
        others = 0
        for other in chosen:
            if other != c:
                others |= masks[other]
        if others == (1 << n_rows) - 1:
            chosen.remove(c)
    return [columns[c] for c in chosen]
