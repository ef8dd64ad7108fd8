"""``method="cg-mip"``: the paper's column generation at the root node, with pricing by a solver.

The restricted master (15)-(17) is solved as a linear program, its duals price new columns, and when no
column violates any more, or time is up, the master is solved once in integers. Every pricing gives a lower
bound, sum of duals over the largest weight that the solver has proved possible; the best one is reported.
"""

from __future__ import annotations

from collections.abc import Callable

from oneformany.paper.methods.answer import Bound, dual_bound, make_result, one_is_needed
from oneformany.paper.methods.columns import PaperColumn
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.initial import initial_solution
from oneformany.paper.methods.log import Log
from oneformany.paper.methods.master import PaperMaster
from oneformany.paper.methods.options import CgOptions
from oneformany.paper.methods.pricing import MipPricer, scaled
from oneformany.paper.methods.solvers import make_solver
from oneformany.problem import Problem
from oneformany.result.result import Result
from oneformany.statistics import Round
from oneformany.stop import Stop

__all__ = ["CgOptions", "solve_cg_mip"]

LAST_SHARE = 0.1  # of the time, kept for the final cover


def solve_cg_mip(
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: CgOptions | None = None,
) -> Result:
    """Cover the rows by column generation as published.

    Parameters
    ----------
    problem : Problem
        What is asked; its classifier must be additive, a ReLU network or a tree ensemble.
    time_limit : float or None
        Seconds.
    progress : callable or None
        Told about every round.
    seed : int
        Seed of the solver's random choices.
    options : CgOptions or None
        Formulation, refinements and solver.

    Raises
    ------
    UnsupportedModelError
        The classifier cannot be written as constraints.
    SolverError
        The solver is not installed, or failed.
    """
    options = options or CgOptions()
    stop = Stop(time_limit)
    log = Log(stop, progress)
    solver = make_solver(options.solver)
    embedding = embed(problem.oracle)
    initial = initial_solution(problem, log.statistics, stop, merge=options.merge_initial)
    bound, best, ended_by = one_is_needed(initial.rows), initial.columns, stop
    log("start", columns=len(best), value=float(len(best)), bound=bound.value, count=len(best))
    if bound.value < len(best):
        master = PaperMaster(len(initial.rows), best)
        pricer = MipPricer(initial.rows, embedding, solver, options, seed)
        early = Stop(None if time_limit is None else (1.0 - LAST_SHARE) * stop.remaining())
        with early.on_interrupt():
            best, bound = generate_columns(master, pricer, best, bound, stop=early, log=log)
        log.statistics.counters |= pricer.statistics.counters
        if bound.value < len(best):
            with stop.on_interrupt():
                best = master.best_cover(best, solver, stop, seed)
        ended_by = early if early.expired() else stop
        log("cover", columns=len(master.columns), value=float(len(best)), bound=bound.value, count=len(best))
    return make_result(
        initial, best, bound, log.statistics, method="cg-mip", solver=solver, seed=seed, stop=ended_by
    )


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
