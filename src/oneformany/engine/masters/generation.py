"""Choosing among columns that are generated: a relaxation asks for them, a set cover closes the gap.

The relaxation is solved to proved optimality, by HiGHS, as pricing brings column after column. Then those are
listed that a smaller cover could use, and that set cover is settled.
"""

import numpy as np

from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.cover.tree import DEEPEST_FILED, depth_of
from oneformany.engine.standing import Standing, TreeProof
from oneformany.engine.tree import CoreColumns, Node, heavy_columns

QUICK_STEPS = 50_000  # of local search, before the first complete search: a moment
MANY_COLUMNS = 5_000  # in a set cover: then a cover is first looked for among few of them
LONG_STEPS = 2_000_000  # where a complete search would take long: some seconds
PATIENCE_PER_ROW = 2  # searches around shared columns in a row that find nothing better


def bounded(node: Node) -> Standing:
    """Bound one case as well as can be without further cases; offer covers on the way."""
    run = node.run
    with run.statistics.timed("column generation"):
        node.generate()
    run.statistics.count("search nodes", node.pricer.nodes)
    standing = node.standing()
    if node.relaxed is None or standing.bound >= run.count:
        return standing
    with run.statistics.timed("heuristics"):
        likely = np.flatnonzero(node.relaxed.values > 0.5).tolist()
        if len({item for index in likely for item in node.groups[index].tolist()}) == len(node.items):
            run.offer([node.columns[index] for index in likely])  # a cover whenever the values are integers
        run.offer(greedy_cover(run.pool.columns, len(run.space.rows)))
        core = None
        if node.is_root and run.options.local_search and run.count > standing.bound:
            core = CoreColumns(node)
            core.walk(standing.bound, QUICK_STEPS)
    run.report("cover", node.relaxed.value, len(run.pool))
    while run.options.enumeration and standing.bound < run.count and not run.stop.expired():
        higher = _exclude(node, core, standing.bound)
        if higher is None:
            break
        standing = higher
        if node.is_root:
            run.raise_bound(standing.bound)
        run.report(
            "enumerate", node.relaxed.value, 0 if higher.exclusion is None else len(higher.exclusion.columns)
        )
    if core is not None and run.options.enumeration and standing.bound < run.count:
        with run.statistics.timed("heuristics"):
            core.wider().search_around_shared(standing.bound, PATIENCE_PER_ROW * len(node.items))
        run.report("cover", node.relaxed.value, len(run.pool))
    return standing


def _exclude(node: Node, core: CoreColumns | None, target: int) -> Standing | None:
    """Prove that ``target`` columns do not suffice; ``None`` when they do, or a limit was met.

    With weights summing to S and no column heavier than C, each of ``target`` columns that cover everything
    weighs at least S - (target - 1) C.
    """
    run = node.run
    floor = int(node.weights.sum()) - (target - 1) * node.capacity
    with run.statistics.timed("enumeration"):
        enumerated = heavy_columns(run, node.items, node.weights, floor, run.options.max_columns)
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
    if tree is None or depth_of(tree) > DEEPEST_FILED - node.items.decisions.depth:
        return None
    return node.standing().excluding(
        TreeProof(target, target, node.table_of(enumerated.groups), tree, node.rows)
    )
