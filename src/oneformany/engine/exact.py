"""The exact method: column generation at the root, enumeration to close the gap, branching if it must be."""

from dataclasses import dataclass

import numpy as np

from oneformany.engine.certificate import DEEPEST, branch_proof, dual_proof, enumeration_proof
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.run import Run
from oneformany.engine.tree import CoreColumns, Node, heavy_columns, pair_to_branch_on
from oneformany.result.proof import Proof, Weights

QUICK_STEPS = 50_000
MANY_COLUMNS = 5_000  # in a set cover: then a cover is first looked for among few of them
LONG_STEPS = 2_000_000
PATIENCE_PER_ROW = 2  # searches around shared columns in a row that find nothing better


@dataclass(eq=False)
class _Part:
    """A part of the branching tree: a proof of its own, or two further parts."""

    decisions: Decisions
    bound: int = 0  # proved so far
    proof: Proof | None = None
    pair: tuple[int, int] = (0, 0)  # of rows that are together in the first half, apart in the second
    halves: tuple["_Part", ...] = ()

    def full_proof(self, run: Run) -> Proof | None:
        """The proof of this part and all below: its own, unless its halves prove more."""
        proofs = [proof for half in self.halves if (proof := half.full_proof(run)) is not None]
        if self.proof is None or len(proofs) < 2 or min(one.bound for one in proofs) <= self.proof.bound:
            return self.proof
        return branch_proof(run.space, self.pair, *proofs)


def minimise(run: Run) -> Proof | None:
    """Find a smallest cover of the run's rows; return the proof, whose bound is valid at any end."""
    with run.statistics.timed("start"):
        run.offer(greedy_cover(run.pool.columns, len(run.space.rows)))
    run.report("start", float(run.count), len(run.pool))
    root = _Part(Decisions())
    waiting, closed = [root], run.count
    while waiting and not (root.proof and run.stop.expired()):
        part = min(waiting, key=lambda part: part.bound)
        waiting.remove(part)
        node = Node(run, Items(run.space, part.decisions))
        part.proof = _settle(node)
        part.bound = max(part.bound, part.proof.bound)
        run.statistics.count("branching nodes")
        if part.bound >= run.count:
            continue
        branch = run.options.branching and part.decisions.depth < DEEPEST // 2 and not run.stop.expired()
        pair = pair_to_branch_on(node) if branch else None
        if pair is None and run.options.branching and not run.stop.expired():
            run.stop.met("branches")
        if pair is None:
            closed = min(closed, part.bound)
        else:
            part.pair = pair
            part.halves = tuple(_Part(half, part.bound) for half in part.decisions.halves(pair))
            waiting.extend(part.halves)
        run.bound = max(run.bound, min([closed, *(part.bound for part in waiting)]))
        run.report("branch", node.relaxed.value if node.relaxed else 0.0, len(run.pool))
    proof = root.full_proof(run)
    run.bound = 0 if proof is None else min(run.count, proof.bound)
    return proof


def _settle(node: Node) -> Proof:
    """Bound one node as well as can be without branching; offer covers on the way."""
    run = node.run
    with run.statistics.timed("column generation"):
        node.generate()
    run.statistics.count("search nodes", node.pricer.nodes)
    proof: Proof = dual_proof(node)
    if node.relaxed is None or proof.bound >= run.count:
        return proof
    with run.statistics.timed("heuristics"):
        likely = np.flatnonzero(node.relaxed.values > 0.5).tolist()
        if len({item for index in likely for item in node.groups[index].tolist()}) == len(node.items):
            run.offer([node.columns[index] for index in likely])  # a cover whenever the values are integers
        run.offer(greedy_cover(run.pool.columns, len(run.space.rows)))
        core = None
        if node.is_root and run.options.local_search and run.count > proof.bound:
            core = CoreColumns(node)
            core.walk(proof.bound, QUICK_STEPS)
    run.report("cover", node.relaxed.value, len(run.pool))
    while run.options.enumeration and proof.bound < run.count and not run.stop.expired():
        higher = _exclude(node, core, proof.bound)
        if higher is None:
            break
        proof = higher
        if node.is_root:
            run.bound = max(run.bound, proof.bound)
        listed = 0 if higher.exclusion is None else len(higher.exclusion.columns)
        run.report("enumerate", node.relaxed.value, listed)
    if core is not None and run.options.enumeration and proof.bound < run.count:
        with run.statistics.timed("heuristics"):
            core.wider().search_around_shared(proof.bound, PATIENCE_PER_ROW * len(node.items))
        run.report("cover", node.relaxed.value, len(run.pool))
    return proof


def _exclude(node: Node, core: CoreColumns | None, target: int) -> Weights | None:
    """Prove that ``target`` columns do not suffice; ``None`` when they do, or a limit was met.

    With weights summing to S and no column heavier than C, each of ``target`` columns that cover everything
    weighs at least S - (target - 1) C.
    """
    run = node.run
    floor = int(node.weights.sum()) - (target - 1) * node.capacity
    with run.statistics.timed("enumeration"):
        enumerated = heavy_columns(node, floor, run.options.max_columns)
    if enumerated is None:
        run.statistics.count("enumerations given up")
        if not run.stop.expired():
            run.stop.met("columns")
        return None
    run.statistics.count("columns enumerated", len(enumerated.groups))
    if core is not None and len(enumerated.groups) >= MANY_COLUMNS:
        with run.statistics.timed("heuristics"):
            core.walk(target, LONG_STEPS)
        if run.count <= target:
            return None
    with run.statistics.timed("set cover"):
        tree = enumerated.search(node, target)
    return None if tree is None else enumeration_proof(node, target, enumerated.groups, tree)
