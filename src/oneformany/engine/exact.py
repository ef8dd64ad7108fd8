"""The exact method: column generation at the root, enumeration to close the gap, branching if it must be."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from oneformany.engine.certificate import branch_proof, dual_proof, enumeration_proof, trivial_proof
from oneformany.engine.cover.master import Relaxed
from oneformany.engine.cover.set_cover import cover_within, greedy_cover
from oneformany.engine.pricing.enumeration import list_columns
from oneformany.engine.pricing.items import Decisions, Items
from oneformany.engine.run import Run
from oneformany.engine.tree.branching import pair_to_branch_on
from oneformany.engine.tree.column_generation import Node
from oneformany.engine.tree.diving import dive
from oneformany.result.proof import Proof

__all__ = ["minimise"]

QUICK_COVER_NODES = 100


@dataclass(eq=False)
class _Leaf:
    """A part of the branching tree: a proof of its own, or two further parts."""

    decisions: Decisions
    proof: Proof | None = None
    node: Node | None = None
    pair: tuple[int, int] | None = None
    parts: tuple[_Leaf, _Leaf] | None = None

    def whole_proof(self) -> Proof | None:
        """The proof of this part and all below: its own, unless its parts prove more."""
        if self.parts is None or self.pair is None or self.node is None or self.proof is None:
            return self.proof
        together, apart = (part.whole_proof() for part in self.parts)
        if together is None or apart is None or min(together.bound, apart.bound) <= self.proof.bound:
            return self.proof
        return branch_proof(self.pair, self.node, together, apart)


def minimise(run: Run) -> Proof | None:
    """Find a smallest cover of the run's rows; return the proof, whose bound is valid at any end."""
    with run.timed("start"):
        run.offer(greedy_cover(run.pool.columns, len(run.arena.rows)))
    run.report("start", float(run.count), len(run.pool))
    root = _Leaf(Decisions())
    open_leaves: list[tuple[int, int, _Leaf]] = [(0, 0, root)]
    created = 0
    closed = run.count
    while open_leaves:
        bound, _, leaf = heapq.heappop(open_leaves)
        if leaf.node is None or leaf.proof is None:
            if leaf is not root and run.stop.expired():
                closed = min(closed, bound)
                continue
            leaf.node = Node(run, Items(run.arena, leaf.decisions))
            leaf.proof = _settle(leaf.node)
            run.statistics.count("branching nodes")
        bound = max(bound, leaf.proof.bound)
        if bound >= run.count:
            continue
        pair = pair_to_branch_on(leaf.node) if run.options.branching and not run.stop.expired() else None
        if pair is None:
            closed = min(closed, bound)
        else:
            leaf.pair = pair
            leaf.parts = (
                _Leaf(leaf.decisions.join(*pair)),
                _Leaf(leaf.decisions.part(*pair)),
            )
            for part in leaf.parts:
                created += 1
                heapq.heappush(open_leaves, (bound, created, part))
        run.bound = max(run.bound, min([closed, *(entry[0] for entry in open_leaves)]))
        run.report("branch", leaf.node.relaxed.value if leaf.node.relaxed else 0.0, len(run.pool))
    proof = root.whole_proof()
    run.bound = 0 if proof is None else min(run.count, proof.bound)
    return proof


def _offer_whole(node: Node, relaxed: Relaxed) -> None:
    """Offer the relaxation's columns when they are a cover: they are whenever its shares are whole."""
    whole = np.flatnonzero(relaxed.shares > 0.5)
    covered = np.zeros(len(node.items), dtype=np.bool_)
    for place in whole:
        covered[node.groups[place]] = True
    if covered.all():
        node.run.offer([node.columns[place] for place in whole])


def _offer_cover_of(node: Node, target: int) -> None:
    """Look briefly for a cover of the target size among the columns generated so far."""
    run = node.run
    if run.count > target:
        covering = cover_within(node.groups, len(node.items), target, run.stop, QUICK_COVER_NODES, cuts=False)
        if covering.chosen is not None:
            run.offer([node.columns[place] for place in covering.chosen])


def _settle(node: Node) -> Proof:
    """Bound one node as well as can be without branching; offer covers on the way."""
    run = node.run
    with run.timed("column generation"):
        node.generate()
    run.statistics.count("search nodes", node.pricer.nodes)
    proof: Proof = (
        trivial_proof(node) if node.priced is None or node.bound < 1 else dual_proof(node, node.priced)
    )
    is_root = node.items.decisions == Decisions()
    if node.relaxed is None or node.priced is None or proof.bound >= run.count:
        return proof
    with run.timed("heuristics"):
        _offer_whole(node, node.relaxed)
        run.offer(greedy_cover(run.pool.columns, len(run.arena.rows)))
        if run.options.diving and is_root:
            dive(node)
            _offer_cover_of(node, proof.bound)
    run.report("cover", node.relaxed.value, len(run.pool))
    while run.options.enumeration and proof.bound < run.count and not run.stop.expired():
        target = proof.bound
        with run.timed("enumeration"):
            listing = list_columns(node, node.priced, target)
        if listing is None:
            run.statistics.count("enumerations given up")
            break
        run.statistics.count("columns enumerated", len(listing.groups))
        with run.timed("set cover"):
            covering = cover_within(listing.groups, len(node.items), target, run.stop, run.options.max_nodes)
        run.statistics.count("set cover nodes", covering.nodes)
        if covering.chosen is not None:
            columns = [listing.column(node, place) for place in covering.chosen]
            real = [column for column in columns if column is not None]
            if len(real) < len(columns):
                break
            run.offer(real)
        elif covering.proof is not None:
            proof = enumeration_proof(node, node.priced, target, listing.groups, covering.proof)
        else:
            break
        if is_root:
            run.bound = max(run.bound, proof.bound)
        run.report("enumerate", node.relaxed.value, len(listing.groups))
    return proof
