"""``method="cg-mip"``: the paper's column generation at the root node, with pricing by a solver.

The restricted master (15)-(17) is solved as a linear program, its duals price new columns, and when no
column violates any more, or time is up, the master is solved once in integers. Every pricing gives a lower
bound, sum of duals over the largest weight that the solver has proved possible; the best one is reported.
"""

from __future__ import annotations

from oneformany.paper.methods.answer import Bound, dual_bound
from oneformany.paper.methods.columns import PaperColumn
from oneformany.paper.methods.log import Log, Start
from oneformany.paper.methods.master import PaperMaster
from oneformany.paper.methods.options import CgOptions
from oneformany.paper.methods.pricing import MipPricer, scaled
from oneformany.stop import Stop

__all__ = ["generate_columns", "improve_by_columns"]

LAST_SHARE = 0.1  # of the time, kept for the final cover


def improve_by_columns(
    start: Start, bound: Bound, options: CgOptions
) -> tuple[list[PaperColumn], Bound, Stop]:
    """Improve a first solution; return it, the best bound, and who ended the search."""
    best, stop, log = start.initial.columns, start.stop, start.log
    master = PaperMaster(len(start.initial.rows), best)
    pricer = MipPricer(start.initial.rows, start.embedding, start.solver, options, start.seed)
    early = Stop(None if stop.time_limit is None else (1.0 - LAST_SHARE) * stop.remaining())
    with early.on_interrupt():
        best, bound = generate_columns(master, pricer, best, bound, stop=early, log=log)
    log.statistics.counters |= pricer.statistics.counters
    if bound.value < len(best):
        with stop.on_interrupt():
            best = master.best_cover(best, start.solver, stop, start.seed)
    log("cover", columns=len(master.columns), value=float(len(best)), bound=bound.value, count=len(best))
    return best, bound, early if early.expired() else stop


def generate_columns(
    master: PaperMaster, pricer: MipPricer, best: list[PaperColumn], bound: Bound, *, stop: Stop, log: Log
) -> tuple[list[PaperColumn], Bound]:
    """Solve master and pricing in turn; return the best cover met and the best bound proved."""
    while (relaxed := master.solve(stop)) is not None:
        best = min(best, relaxed.cover or best, key=len)
        priced = pricer.price(scaled(relaxed.duals), stop)
        bound = max(bound, dual_bound(pricer.rows, priced), key=lambda b: b.value)
        log("columns", columns=len(master.columns), value=relaxed.value, bound=bound.value, count=len(best))
        if bound.value >= len(best) or not master.add(priced.columns):
            break
    return best, bound
