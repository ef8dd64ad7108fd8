"""The front of the exact engine: composes, contains no algorithm."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiling import FELT
from oneformany.engine.alone import with_ways_alone
from oneformany.engine.certificate import Proofs
from oneformany.engine.cheapen import cheapen
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.options import Options
from oneformany.engine.screening import reasons_of
from oneformany.engine.sources.opening import open_source
from oneformany.engine.sources.protocol import ColumnSource
from oneformany.engine.standing import CostStanding, Standing
from oneformany.engine.table.cost_levels import cheapest
from oneformany.memory import Memory
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.result.build import build_result, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.proof import Proof
from oneformany.result.result import Result
from oneformany.schedule import SCHEDULE
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

# Whose versions a result names: all that compute
PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


def solve_exact(
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | None = None,
    goal: Goal | None = None,
    start: Sequence[Explanation] = (),
    clock: Callable[[], float] | None = None,
) -> Result:
    """Find the fewest explanations, or the best within a goal, with a proof; as ``solve`` of the package.

    ``start`` is an answer that is known, to the same question or to one with fewer changes; ``clock`` tells
    the seconds of the limit, by default those of the clock on the wall.
    """
    goal, options = goal or Goal(), options or Options()
    counted = {} if clock is None else {"clock": clock}
    stop = Stop(time_limit, memory=Memory(options.memory), **counted)
    run = Context(problem, goal, stop, options, progress=progress, seed=seed)
    with stop.on_interrupt():
        problem = prepared(problem, stop)
        run = replace(run, problem=problem)
        for hopeful in hopeful_problems(problem):
            first = solved(replace(run, problem=hopeful, statistics=Statistics()), start)
            start = accepted_explanations(problem, first)
            if len(start) == len(first.explanations):
                # Bounds and proofs hold all the more for fewer positive points.
                return replace(first, problem={**first.problem, "oracle": problem.oracle.describe()})
            if stop.expired():
                break
        return solved(replace(run, statistics=Statistics()), start)


def prepared(problem: Problem, stop: Stop) -> Problem:
    """Find out first what each row would pay alone, where there is a slack: sources rely on it."""
    if problem.slack is None or problem.alone is not None:
        return problem
    return with_ways_alone(problem, hopeful_problems(problem), SCHEDULE.alone.of(stop))


def solved(run: Context, start: Sequence[Explanation]) -> Result:
    """Open a source, choose from it, make that cheaper, and say so."""
    source = open_source(run, start)
    first = choose(source, run, start)
    return told(source, run, first, cheapen(source, run, first))


def told(source: ColumnSource, run: Context, first: Standing, cheap: CostStanding | None = None) -> Result:
    """State what was found and what was proved."""
    problem, goal, proofs = run.problem, run.goal, Proofs(run.problem, source.unreachable)
    owner, _ = cheapest(first.table, first.chosen, first.table.n_rows)  # each row where it pays least
    columns = (first.table, first.chosen, owner) if cheap is None else cheap.columns
    proof: Proof | None = None
    fewest, most = None, None if goal.explanations is None else proofs.rows
    if goal.limited and len(first.table):
        proof = shown = proofs.people(first)
        fewest = first.bound
        if goal.explanations is not None:
            most, fewest = first.bound, 0 if shown is None else shown.fewest(proofs.rows - first.covered)
    elif len(first.table):
        proof = proofs.cover(first)
    lacks, compiling = source.shortfall, run.stop.root.compiling
    if compiling >= FELT:
        run.statistics.spend("compiling, once", compiling)
    return build_result(
        problem,
        source.groups(*columns),
        reasons=reasons_of(problem, np.flatnonzero(source.unreachable), run.stop.at_least(SCHEDULE.reasons)),
        helpable=np.flatnonzero(source.reachable),
        proof=proof,
        bound=fewest,
        covered_bound=most,
        cost_proof=None if cheap is None else cheap.proof,
        cost_open=run.cheaply and len(first.chosen) > 0 and not (cheap is not None and cheap.proved),
        notes=(lacks.cost, lacks.columns),
        by_time=lacks.by_time,
        stop=run.stop,
        statistics=run.statistics,
        versions=versions_of(PACKAGES),
        method="exact",
        seed=run.seed,
        goal=goal if goal.limited else None,
    )


def hopeful_problems(problem: Problem) -> Iterator[Problem]:
    """Ask with an oracle that calls all doubtful points positive, if there are any.

    A sum of tables decides in closed form, except within its margin, where an answer seldom has a point.
    Asked about a point, the model may settle others as well; as long as it does, that is worth another try.
    """
    hopeful = getattr(problem.oracle, "hopeful", lambda: None)
    threshold = None
    while (oracle := hopeful()) is not None and oracle.threshold != threshold:
        threshold = oracle.threshold
        yield replace(problem, oracle=oracle)


def accepted_explanations(problem: Problem, result: Result) -> list[Explanation]:
    """Take the explanations after which the problem's own oracle accepts each of their rows."""
    covered = np.flatnonzero(np.asarray(result.assignment) >= 0)
    refused = covered[~accepts(problem, covered, result.points[covered])]
    return [one for one in result.explanations if not np.isin(one.members, refused).any()]


def accepts(problem: Problem, rows: IntArray, cells: IntArray) -> BoolArray:
    """Whether the oracle accepts each of some given rows at the cells it goes to."""
    if problem.own is None:
        return problem.oracle.positive(cells)
    values = problem.own.values[rows]
    return problem.oracle.positive(problem.own.follow(values, cells, np.ones(cells.shape, dtype=np.bool_)))
