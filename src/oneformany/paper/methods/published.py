"""What both methods of the paper share: a first solution, its improvement by one of them, and the result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oneformany.paper.methods.cg_mip import improve_by_columns
from oneformany.paper.methods.compact_mip import improve_by_model
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.options import CgOptions, CompactOptions
from oneformany.paper.methods.solvers import make_solver
from oneformany.paper.methods.start import PaperRun, check_asked, initial_solution, one_is_needed
from oneformany.problem import Problem
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

EMBEDDING_SHARE = 0.3  # of the time, for bounds on the units of a network


def solve_published(
    problem: Problem,
    options: CgOptions | CompactOptions,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
) -> Result:
    """Cover the rows as published, by column generation or with the compact model, whichever has options."""
    check_asked(problem)
    stop, statistics = Stop(time_limit), Statistics()
    solver = make_solver(options.solver)
    embedding = embed(problem.oracle, stop.part(EMBEDDING_SHARE * stop.remaining()))
    initial = initial_solution(problem, statistics, stop, merge=options.merge_initial)
    run = PaperRun(initial, embedding, solver, stop, statistics, progress, seed)
    proof: Proof = one_is_needed(initial.rows)
    best, ended_by = initial.columns, stop
    run.log("start", columns=len(best), value=float(len(best)), bound=proof.bound, count=len(best))
    if proof.bound < len(best):
        if isinstance(options, CgOptions):
            best, proof, ended_by = improve_by_columns(run, proof, options)
        else:
            best, proof = improve_by_model(run, proof, options)
    waiting = np.ones(len(initial.rows), dtype=np.bool_)
    groups: list[Group] = []
    for column in best:  # every row is assigned once
        group = column.rows[waiting[column.rows]]
        if len(group):
            waiting[group] = False
            groups.append(Group(column.point, initial.rows.index[group], column.changed))
    return build_result(
        problem,
        groups,
        reasons=initial.screened.reasons,
        helpable=initial.screened.helpable,
        proof=proof if best else None,
        stop=ended_by,
        statistics=statistics,
        versions={**versions_of(["oneformany"]), solver.name: solver.version},
        method="cg-mip" if isinstance(options, CgOptions) else "mip",
        seed=seed,
    )
