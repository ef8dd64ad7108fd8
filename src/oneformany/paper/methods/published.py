"""What both methods of the paper share: a first solution, its improvement by one of them, and the result.

``method="mip"`` is here as well: all explanations are built at once by the paper's compact model; the number
of an initial solution bounds how many are needed, and the solver starts from that solution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, isfinite
from typing import NamedTuple

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.certificate import weights_proof
from oneformany.engine.columns import Column, assign
from oneformany.engine.listing.single_rows import Reached
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.screening import reasons_of, screen
from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.embeddings import Embedding, embed
from oneformany.paper.methods.formulation import ENTRIES, CgOptions, CompactModel, CompactOptions
from oneformany.paper.methods.model import Request
from oneformany.paper.methods.solvers import Solver, make_solver
from oneformany.problem import Problem
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.proof import Weights
from oneformany.result.result import Result
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

EMBEDDING_SHARE = 0.3  # of the time, for bounds on the units of a network
TOLERANCE = 1e-5  # far above what solvers take for equal


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
    space, best, screened = initial_solution(problem, statistics, stop, merge=options.merge_initial)
    run = PaperRun(space, best, embedding, solver, stop, statistics, progress, seed)
    # What needs no search: where there are rows, there is an explanation.
    alone = dual_proof(space, np.eye(1, len(space.rows), dtype=np.int64)[0], 1)
    proved: Weights | Word = alone
    ended_by = stop
    run.log("start", columns=len(best), value=float(len(best)), bound=proved.bound, count=len(best))
    if proved.bound < len(best):
        if isinstance(options, CgOptions):
            from oneformany.paper.methods.cg_mip import improve_by_columns

            best, proved, ended_by = improve_by_columns(run, alone, options)
        else:
            best, proved = improve_by_model(run, alone, options)
    found = zip(best, assign(problem, space.helpable, best), strict=True)
    return build_result(
        problem,
        [Group(column.point, rows) for column, rows in found if len(rows)],
        reasons=reasons_of(problem, np.flatnonzero(screened.unreachable), stop),
        helpable=screened.helpable,
        proof=proved if best and isinstance(proved, Weights) else None,
        bound=proved.bound if best else 0,
        solver=proved.solver if isinstance(proved, Word) else None,
        stop=ended_by,
        statistics=statistics,
        versions={**versions_of(["oneformany"]), solver.name: solver.version},
        method="cg-mip" if isinstance(options, CgOptions) else "mip",
        seed=seed,
    )


def check_asked(problem: Problem) -> None:
    """Refuse what the paper does not ask: its formulas would answer another question."""
    beyond = {
        f'share="{problem.share}"': problem.share != "point",
        "a slack": problem.slack is not None,
        "rows with values of their own": problem.own is not None,
        "restrictions on whole rows": bool(problem.restrictions),
        "costs": problem.costs is not None,
    }
    found = [words for words, present in beyond.items() if present]
    if found:
        raise InputError(f'the paper\'s methods do not take {" or ".join(found)}; use method="exact"')


class Word(NamedTuple):
    """What a solver says is needed: only solving again can check it."""

    solver: str
    bound: int


@dataclass(eq=False)
class PaperRun:
    """One call of a method under way, from its first solution on."""

    space: SearchSpace
    first: list[Column]  # a solution: every row is in one of them
    embedding: Embedding
    solver: Solver
    stop: Stop
    statistics: Statistics
    progress: Callable[[Round], None] | None
    seed: int
    spent: float = 0.0  # seconds that the phases so far have taken

    def log(self, phase: str, *, columns: int, value: float, bound: int, count: int) -> None:
        """Record a step and tell whoever watches; the time since the last one goes to its phase."""
        seconds = self.stop.elapsed()
        self.statistics.spend(phase, seconds - self.spent)
        self.spent = seconds
        step = Round(phase, len(self.statistics.rounds), columns, value, bound, count, seconds)
        step = self.statistics.record(step)
        if self.progress is not None:
            self.progress(step)


def dual_proof(space: SearchSpace, weights: IntArray, capacity: int) -> Weights:
    """Write down what weights prove if no column weighs more than the capacity."""
    given = np.zeros(len(space.problem.rows), dtype=np.int64)
    given[space.helpable] = weights
    return weights_proof(space.problem, given, capacity)


def initial_solution(
    problem: Problem, statistics: Statistics, stop: Stop, *, merge: bool = True
) -> tuple[SearchSpace, list[Column], Reached]:
    """Ask the classifier for one positive point per distinct row; those not asked in time are left out.

    ``merge`` lets rows share the point of another row as long as they may move there and change at most
    ``max_changes`` features together: the largest group first, while there is time. The paper leaves open
    which point a row is given, so it may be one that is there already.
    """
    screened = screen(problem, statistics, stop)
    space, waiting = SearchSpace(problem, screened.helpable), np.arange(len(screened.helpable))
    points = screened.cells[space.helpable]
    columns: list[Column] = []
    while merge and len(waiting) and not stop.expired():
        rest = SearchSpace(problem, space.helpable[waiting])
        grown = [_grown(rest, row, points[given]) for row, given in enumerate(waiting)]
        best = max(grown, key=lambda column: len(column.rows))
        columns.append(replace(best, rows=waiting[best.rows]))
        waiting = np.delete(waiting, best.rows)
    columns += [Column(points[row], space.rows[row] != points[row], np.array([row])) for row in waiting]
    return space, columns, screened


def _grown(space: SearchSpace, row: int, point: IntArray) -> Column:
    """Let a row with its point be joined by the row that changes least besides, as long as one fits."""
    changed = space.rows[row] != point
    space.absorb(point, changed)
    return Column.covering(space, point, changed)


def improve_by_model(
    run: PaperRun, proved: Weights, options: CompactOptions
) -> tuple[list[Column], Weights | Word]:
    """Improve a first solution and its bound; a model too large for the time left is not written down."""
    solver, stop, most = run.solver, run.stop, len(run.first)
    entries = ENTRIES * most * len(run.space.rows) * run.embedding.one_hot.width

    def rounded(dual: float) -> int:
        """The integer that a solver's bound proves, and 0 when there is none yet."""
        return ceil(dual - TOLERANCE) if isfinite(dual) else 0

    def watch(value: float, dual: float) -> None:
        count = min(most, round(value)) if isfinite(value) else most
        run.log("branch", columns=most, value=dual, bound=max(proved.bound, rounded(dual)), count=count)

    compact: CompactModel | None = None
    found: Weights | Word = proved
    with stop.on_interrupt():
        while stop.remaining() >= solver.entry_seconds * entries:
            compact = compact or CompactModel(run.space, run.first, run.embedding, options)
            request = Request(stop, compact.start(), seed=run.seed, watch=watch, effort=options.effort)
            outcome = solver.solve(compact.model, request)
            run.statistics.count("steps of the solver", outcome.steps)
            if outcome.status == "infeasible":
                raise SolverError(f"{solver.name} takes a feasible model for infeasible; try another solver")
            word = Word(f"{solver.name} {solver.version}", rounded(outcome.bound))
            found = word if word.bound > found.bound else found
            best = compact.columns(outcome.solutions[0]) if outcome.solutions else None
            if best is not None or stop.expired():  # otherwise again, without a point that is not positive
                return best or run.first, found
    run.statistics.count("programs too large for the time left")
    return run.first, found
