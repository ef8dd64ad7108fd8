"""Set cover with a proof: is there a cover by at most so many of these columns?

Depth-first: the item with the fewest usable columns must be covered by one of them; try each, forbidding
those tried before. At a node, integer weights on the items (from the duals of the relaxation) *filter* the
columns: if no usable column weighs more than C and the items weigh S, then with k columns left to choose
each must weigh at least S - (k - 1) C. A node closes when S > k C. Weights may also sit on three items at
once (see ``cover_relaxation.py``). All weights are kept, so anyone can check the tree by addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.cover.relaxation import CoverRelaxation, Priority
from oneformany.stop import Stop

__all__ = ["Covering", "cover_within", "greedy_cover"]

SCALE = 2**20
ROUNDS_AT_ROOT = 20
ROUNDS_BELOW = 1


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
    groups: Sequence[IntArray],
    n_items: int,
    budget: int,
    stop: Stop,
    max_nodes: int = 100_000,
    *,
    cuts: bool = True,
) -> Covering:
    """Find a cover of all items by at most ``budget`` groups, or prove that there is none."""
    if not groups:
        return Covering(None, {"filters": [[[0, 1]]]}, 1) if n_items else Covering([], None, 1)
    relaxation = CoverRelaxation(groups, n_items)
    everything = np.ones(len(groups), dtype=np.bool_)
    root = _Node((), np.ones(n_items, dtype=np.bool_), everything, np.zeros(0, dtype=np.int64), {})
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
        rounds = (ROUNDS_BELOW if node.chosen else ROUNDS_AT_ROOT) if cuts else 0
        relaxed = _filter(relaxation, node, usable, left, rounds, stop)
        if relaxed is None:
            continue
        whole = np.flatnonzero(relaxed.shares > 0.5)
        if len(whole) <= left and not node.needed[_missed(relaxation, whole)].any():
            return Covering([*node.chosen, *whole.tolist()], None, nodes)
        stack.extend(reversed(_children(relaxation, node, usable, relaxed)))
    return Covering(None, root.proof, nodes)


def _filter(
    relaxation: CoverRelaxation, node: _Node, usable: BoolArray, left: int, rounds: int, stop: Stop
) -> Priority | None:
    """Drop columns that no cover of the node can use; ``None`` when that closes the node."""
    filters = node.proof.setdefault("filters", [])
    while True:
        relaxed = relaxation.solve(node.needed, usable)
        if isinstance(relaxed, int):
            filters.append([[relaxed, 1]])
            return None
        weights = np.rint(relaxed.duals * SCALE).astype(np.int64)
        loads = relaxation.matrix.T @ weights
        capacity = int(loads[usable].max())
        total = int((weights * relaxation.demands).sum())
        light = usable & (loads < total - (left - 1) * capacity)
        if total > left * capacity or light.any():
            names = [*range(relaxation.n_items), *(list(triple) for triple in relaxation.triples)]
            filters.append([[names[row], int(weights[row])] for row in np.flatnonzero(weights)])
        if total > left * capacity:
            return None
        usable &= ~light
        if light.any() and (relaxed.shares[light] > 0).any():
            continue
        if rounds == 0 or stop.expired() or not relaxation.cut(node.needed, relaxed.shares):
            return relaxed
        rounds -= 1


def _children(relaxation: CoverRelaxation, node: _Node, usable: BoolArray, relaxed: Priority) -> list[_Node]:
    """One child per usable column of the item that has the fewest, likeliest first."""
    items = relaxation.items
    counts = np.where(node.needed, items @ usable.astype(np.int64), np.iinfo(np.int64).max)
    item = int(counts.argmin())
    candidates = items.indices[items.indptr[item] : items.indptr[item + 1]]
    candidates = candidates[usable[candidates]]
    candidates = candidates[np.argsort(-relaxed.shares[candidates], kind="stable")]
    children = []
    for place, column in enumerate(candidates.tolist()):
        needed = node.needed.copy()
        needed[relaxation.members(column)] = False
        children.append(_Node((*node.chosen, column), needed, usable, candidates[: place + 1], {}))
    node.proof["item"] = item
    node.proof["columns"] = candidates.tolist()
    node.proof["parts"] = [child.proof for child in children]
    return children


def _missed(relaxation: CoverRelaxation, columns: IntArray) -> BoolArray:
    missed = np.ones(relaxation.n_items, dtype=np.bool_)
    for column in columns.tolist():
        missed[relaxation.members(column)] = False
    return missed


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
