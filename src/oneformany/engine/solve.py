"""The front of the exact engine: composes, contains no algorithm."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.compiling import FELT
from oneformany.engine.again import accepts, hopeful_problems, until_accepted
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
from oneformany.result.build import Group, build_result, explanations_of, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.facts import Asker, Facts, TurnedDownError
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
    asker: Asker | None = None,
) -> Result:
    """Find the fewest explanations, or the best within a goal, with a proof; as ``solve`` of the package.

    ``start`` is an answer that is known, to the same question or to one with fewer changes; ``clock`` tells
    the seconds of the limit, by default those of the clock on the wall. The ``asker`` sees the answer before
    it is given out.
    """
    goal, options = goal or Goal(), options or Options()
    counted = {} if clock is None else {"clock": clock}
    stop = Stop(time_limit, memory=Memory(options.memory), **counted)
    run = Context(problem, goal, stop, options, progress=progress, seed=seed)
    with stop.on_interrupt():
        problem = prepared(problem, stop)
        answering = Answering(replace(run, problem=problem), asker, start)
        return until_accepted(problem, answering, stop)


def prepared(problem: Problem, stop: Stop) -> Problem:
    """Find out first what each row would pay alone, where there is a slack: sources rely on it."""
    if problem.slack is None or problem.alone is not None:
        return problem
    return with_ways_alone(problem, hopeful_problems(problem), SCHEDULE.alone.of(stop))


class Answering:
    """Answers a question; the next time, it begins with those explanations that were accepted."""

    def __init__(self, run: Context, asker: Asker | None = None, start: Sequence[Explanation] = ()) -> None:
        self.run, self._asker, self._start = run, asker, start
        self._shown = False  # whether the asker has seen an answer

    def __call__(self, asked: Problem) -> Result:
        """Open a source, choose from it, make that cheaper, and say so."""
        stop = self.run.stop
        if self._shown:
            stop = stop.at_least(min(SCHEDULE.telling, stop.time_limit or math.inf))
        run = replace(self.run, problem=asked, stop=stop, statistics=Statistics())
        source = open_source(run, self._start)
        first = choose(source, run, self._start)
        return told(source, run, first, cheapen(source, run, first), self)

    def confirmed(self, asked: Problem, groups: Sequence[Group]) -> Problem:
        """Let the oracle of the question itself confirm groups; return the question."""
        problem = self.run.problem
        if asked is not problem:
            explanations, _ = explanations_of(asked, groups)
            self._start = accepted(problem, explanations)
            if len(self._start) < len(explanations):
                raise TurnedDownError
        return problem

    def facts(self, answer: Result) -> Facts:
        """What the asker adds."""
        if self._asker is None:
            return Facts()
        self._shown = True
        try:
            return self._asker.facts(answer)
        except TurnedDownError:
            self._start = accepted(self.run.problem, answer.explanations)
            raise


def told(
    source: ColumnSource,
    run: Context,
    first: Standing,
    cheap: CostStanding | None = None,
    asking: Answering | None = None,
    *,
    proved: bool = False,
) -> Result:
    """State what was found and what was ``proved``, perhaps by other means."""
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
    groups = source.groups(*columns)
    return build_result(
        problem if asking is None else asking.confirmed(problem, groups),
        groups,
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
        asker=asking,
        settled=proved,
    )


def accepted(problem: Problem, explanations: Sequence[Explanation]) -> list[Explanation]:
    """Those of some explanations after which the problem's own oracle accepts each of their rows."""
    if not explanations:
        return []
    rows = np.concatenate([np.array(one.members) for one in explanations])
    ends = np.concatenate([_ends(problem, one) for one in explanations])
    refused = rows[~accepts(problem, rows, ends)]
    return [one for one in explanations if not np.isin(one.members, refused).any()]


def _ends(problem: Problem, explanation: Explanation) -> IntArray:
    """Where the rows of an explanation go."""
    if explanation.ends is not None:
        return np.array(explanation.ends, dtype=np.int64)
    ends, changed = problem.codes[list(explanation.members)].copy(), list(explanation.changed)
    ends[:, changed] = np.array(explanation.point)[changed]
    return ends
