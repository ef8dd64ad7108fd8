"""Set cover with a proof: is there a cover by at most so many of these columns?

Depth-first: the item with the fewest usable columns must be covered by one of them; try each, forbidding
those tried before. At a node, integer weights on the items (from the duals of the relaxation) *filter* the
columns: if no usable column weighs more than C and the items weigh S, then with k columns left to choose
each must weigh at least S - (k - 1) C. A node closes when S > k C. Weights may also sit on three items at
once (see ``relaxation.py``). All weights are kept, so anyone can check the tree by addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.program import RelaxedCover
from oneformany.engine.cover.relaxation import CoverRelaxation
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.stop import Stop

ROUNDS_AT_ROOT = 20
ROUNDS_BELOW = 1


@dataclass(frozen=True, eq=False)
class CoverSearch:
    """Outcome of a search for a cover within a budget.

    Attributes
    ----------
    chosen : list of int or None
        The columns of a cover, if one was found.
    proof : dict or None
        The tree that excludes every cover, if it was completed.
    nodes : int
        Nodes of the tree.
    cuts : int
        Cuts that were added.
    """

    chosen: list[int] | None
    proof: dict[str, Any] | None
    nodes: int
    cuts: int = 0


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
) -> CoverSearch:
    """Find a cover of all items by at most ``budget`` groups, or prove that there is none."""
    if not groups:
        return CoverSearch(None, {"filters": [[[0, 1]]]}, 1) if n_items else CoverSearch([], None, 1)
    relaxation = CoverRelaxation(groups, n_items)
    everything = np.ones(len(groups), dtype=np.bool_)
    root = _Node((), np.ones(n_items, dtype=np.bool_), everything, np.zeros(0, dtype=np.int64), {})
    stack = [root]
    nodes = 0
    while stack:
        if nodes >= max_nodes or stop.expired():
            return CoverSearch(None, None, nodes, len(relaxation.triples))
        nodes += 1
        node = stack.pop()
        usable = node.usable.copy()
        usable[node.forbidden] = False
        left = budget - len(node.chosen)
        rounds = (ROUNDS_BELOW if node.chosen else ROUNDS_AT_ROOT) if cuts else 0
        relaxed = _filter(relaxation, node, usable, left, rounds, stop)
        if relaxed is None:
            continue
        if relaxed == "stopped":
            return CoverSearch(None, None, nodes, len(relaxation.triples))
        likely = np.flatnonzero(relaxed.values > 0.5)
        met = relaxation.items @ (relaxed.values > 0.5).astype(np.int64) > 0
        if len(likely) <= left and met[node.needed].all():
            return CoverSearch([*node.chosen, *likely.tolist()], None, nodes, len(relaxation.triples))
        stack.extend(reversed(_children(relaxation, node, usable, relaxed)))
    return CoverSearch(None, root.proof, nodes, len(relaxation.triples))


def _filter(
    relaxation: CoverRelaxation, node: _Node, usable: BoolArray, left: int, rounds: int, stop: Stop
) -> RelaxedCover | Literal["stopped"] | None:
    """Drop columns that no cover of the node can use; ``None`` when that closes the node."""
    filters = node.proof.setdefault("filters", [])
    while True:
        relaxed = relaxation.solve(node.needed, usable, stop)
        if relaxed == "stopped":
            return "stopped"
        if isinstance(relaxed, int):
            filters.append([[relaxed, 1]])
            return None
        weights = integer_weights(relaxed.duals, ONE_IN_COVERS)
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
        if light.any() and (relaxed.values[light] > 0).any():
            continue
        if rounds == 0 or stop.expired() or not relaxation.cut(node.needed, relaxed.values):
            return relaxed
        rounds -= 1


def _children(
    relaxation: CoverRelaxation, node: _Node, usable: BoolArray, relaxed: RelaxedCover
) -> list[_Node]:
    """One child per usable column of the item that has the fewest, likeliest first."""
    items = relaxation.items
    counts = np.where(node.needed, items @ usable.astype(np.int64), np.iinfo(np.int64).max)
    item = int(counts.argmin())
    candidates = items.indices[items.indptr[item] : items.indptr[item + 1]]
    candidates = candidates[usable[candidates]]
    candidates = candidates[np.argsort(-relaxed.values[candidates], kind="stable")]
    children = []
    for index, column in enumerate(candidates.tolist()):
        needed = node.needed.copy()
        needed[relaxation.members(column)] = False
        children.append(_Node((*node.chosen, column), needed, usable, candidates[: index + 1], {}))
    node.proof["item"] = item
    node.proof["columns"] = candidates.tolist()
    node.proof["parts"] = [child.proof for child in children]
    return children
