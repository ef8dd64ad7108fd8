"""The exact method: column generation at the root, enumeration to close the gap, branching if it must be."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from oneformany.engine.certificate import DEEPEST, branch_proof, dual_proof, enumeration_proof
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.cover.incidence import joined
from oneformany.engine.cover.program import RelaxedCover
from oneformany.engine.cover.set_cover import cover_within
from oneformany.engine.pricing.items import Decisions, Items
from oneformany.engine.run import Run
from oneformany.engine.tree.column_generation import Node, pair_to_branch_on
from oneformany.engine.tree.diving import dive
from oneformany.engine.tree.enumeration import CoreColumns, enumerate_columns
from oneformany.result.proof import EnumerationProof, Proof

QUICK_COVER_NODES = 100
FEW_COLUMNS = 200  # generated: up to so many a short walk is not worth compiling it
QUICK_STEPS = 50_000
QUICK_STEPS_PER_COLUMN = 100
MANY_COLUMNS = 5_000  # in a set cover: then a cover is first looked for among few of them
LONG_STEPS = 2_000_000
CORE_NODES = 2_000
PATIENCE_PER_ROW = 2  # searches around shared columns in a row that find nothing better


@dataclass(eq=False)
class _Part:
    """A part of the branching tree: a proof of its own, or two further parts."""

    decisions: Decisions
    proof: Proof | None = None
    node: Node | None = None
    pair: tuple[int, int] | None = None
    parts: tuple[_Part, _Part] | None = None

    def full_proof(self) -> Proof | None:
        """The proof of this part and all below: its own, unless its parts prove more."""
        if self.parts is None or self.pair is None or self.node is None or self.proof is None:
            return self.proof
        together, apart = (part.full_proof() for part in self.parts)
        if together is None or apart is None or min(together.bound, apart.bound) <= self.proof.bound:
            return self.proof
        return branch_proof(self.pair, self.node, together, apart)


def minimise(run: Run) -> Proof | None:
    """Find a smallest cover of the run's rows; return the proof, whose bound is valid at any end."""
    with run.timed("start"):
        run.offer(greedy_cover(run.pool.columns, len(run.space.rows)))
    run.report("start", float(run.count), len(run.pool))
    root = _Part(Decisions())
    open_parts: list[tuple[int, int, _Part]] = [(0, 0, root)]
    created = 0
    closed = run.count
    while open_parts:
        bound, _, part = heapq.heappop(open_parts)
        if part.node is None or part.proof is None:
            if part is not root and run.stop.expired():
                closed = min(closed, bound)
                continue
            part.node = Node(run, Items(run.space, part.decisions))
            part.proof = _settle(part.node)
            run.statistics.count("branching nodes")
        bound = max(bound, part.proof.bound)
        if bound >= run.count:
            continue
        branch = run.options.branching and part.decisions.depth < DEEPEST // 2 and not run.stop.expired()
        pair = pair_to_branch_on(part.node) if branch else None
        if pair is None:
            closed = min(closed, bound)
        else:
            part.pair = pair
            part.parts = (
                _Part(part.decisions.join(*pair)),
                _Part(part.decisions.part(*pair)),
            )
            for half in part.parts:
                created += 1
                heapq.heappush(open_parts, (bound, created, half))
        run.bound = max(run.bound, min([closed, *(entry[0] for entry in open_parts)]))
        run.report("branch", part.node.relaxed.value if part.node.relaxed else 0.0, len(run.pool))
    proof = root.full_proof()
    run.bound = 0 if proof is None else min(run.count, proof.bound)
    return proof


def _offer_rounded(node: Node, relaxed: RelaxedCover) -> None:
    """Offer the relaxation's columns when they are a cover: they are whenever its values are integers."""
    likely = np.flatnonzero(relaxed.values > 0.5).tolist()
    if len(np.unique(joined([node.groups[index] for index in likely])[1])) == len(node.items):
        node.run.offer([node.columns[index] for index in likely])


def _offer_cover_of(node: Node, target: int) -> None:
    """Look briefly for a cover of the target size among the columns generated so far."""
    run = node.run
    if run.count > target:
        found = cover_within(node.groups, len(node.items), target, run.stop, QUICK_COVER_NODES, cuts=False)
        if found.chosen is not None:
            run.offer([node.columns[index] for index in found.chosen])


def _settle(node: Node) -> Proof:
    """Bound one node as well as can be without branching; offer covers on the way."""
    run = node.run
    with run.timed("column generation"):
        node.generate()
    run.statistics.count("search nodes", node.pricer.nodes)
    proof: Proof = dual_proof(node)
    if node.relaxed is None or proof.bound >= run.count:
        return proof
    with run.timed("heuristics"):
        _offer_rounded(node, node.relaxed)
        run.offer(greedy_cover(run.pool.columns, len(run.space.rows)))
        core = _search_core(node, proof.bound) if node.is_root else None
    run.report("cover", node.relaxed.value, len(run.pool))
    while run.options.enumeration and proof.bound < run.count and not run.stop.expired():
        higher = _exclude(node, core, proof.bound)
        if higher is None:
            break
        proof = higher
        if node.is_root:
            run.bound = max(run.bound, proof.bound)
        run.report("enumerate", node.relaxed.value, len(higher.columns))
    if node.is_root and run.options.enumeration and run.options.local_search and proof.bound < run.count:
        with run.timed("heuristics"):
            patience = PATIENCE_PER_ROW * len(node.items)
            CoreColumns.wide(node).search_around_shared(proof.bound, patience)
        run.report("cover", node.relaxed.value, len(run.pool))
    return proof


def _search_core(node: Node, target: int) -> CoreColumns | None:
    """Look for covers by small moves among the likeliest columns; by rounding where these are too many."""
    run = node.run
    core = None
    if run.options.local_search and run.count > target and len(node.columns) > FEW_COLUMNS:
        core = CoreColumns(node)
        core.walk(target, min(QUICK_STEPS, QUICK_STEPS_PER_COLUMN * len(core)))
    if run.options.diving and run.count > target and not (core is not None and core.complete):
        dive(node)
        _offer_cover_of(node, target)
    return core


def _exclude(node: Node, core: CoreColumns | None, target: int) -> EnumerationProof | None:
    """Prove that ``target`` columns do not suffice; ``None`` when they do, or a limit was met."""
    run = node.run
    with run.timed("enumeration"):
        enumerated = enumerate_columns(node, target)
    if enumerated is None:
        run.statistics.count("enumerations given up")
        return None
    run.statistics.count("columns enumerated", len(enumerated.groups))
    if run.options.local_search and node.is_root and len(enumerated.groups) >= MANY_COLUMNS:
        with run.timed("heuristics"):
            core = core or CoreColumns(node)
            core.walk(target, LONG_STEPS)
            core.search(target, CORE_NODES)
        if run.count <= target:
            return None
    with run.timed("set cover"):
        found = cover_within(
            enumerated.groups, len(node.items), target, run.stop, run.options.max_nodes, cuts=run.options.cuts
        )
    run.statistics.count("set cover nodes", found.nodes)
    run.statistics.count("cuts", found.cuts)
    if found.chosen is not None:
        enumerated.offer(node, found.chosen)
    return None if found.proof is None else enumeration_proof(node, target, enumerated.groups, found.proof)
