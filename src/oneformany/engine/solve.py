"""The front of the exact engine: composes, contains no algorithm."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.columns import Column, assign, level_prices, simplest_point
from oneformany.engine.context import Context
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.exact import minimise
from oneformany.engine.few.run import serves, solve_by_few_rows
from oneformany.engine.listed import PACKAGES, ListedRun
from oneformany.engine.options import Options
from oneformany.engine.plan import needs_listing, worth_listing
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.run import Run
from oneformany.engine.saving.stage import cheapest_cover
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.screening import reasons_of, screen
from oneformany.exceptions import InputError
from oneformany.memory import Memory
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.problem import LARGEST_SUM
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

POLISHING = 0.5  # seconds beyond the limit, for simpler points and for reasons


def solve_exact(
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | None = None,
    goal: Goal | None = None,
    start: Sequence[Explanation] = (),
) -> Result:
    """Find the fewest explanations, or the best within a goal, with a proof; as ``solve`` of the package.

    Where all columns can be listed, or only a listing can answer, the answer is chosen from the list;
    otherwise columns are generated, enumerated and branched on. ``start`` is an answer that is known, to the
    same question or to one with fewer changes.
    """
    goal, options = goal or Goal(), options or Options()
    stop = Stop(time_limit, memory=Memory(options.memory))
    run = Context(problem, goal, stop, options, progress=progress, seed=seed)

    def solved(asked: Problem) -> Result:
        """List all columns, or search for them, whichever serves."""
        this = replace(run, problem=asked, statistics=Statistics())
        way, only = run.options.way, needs_listing(asked, run.goal)
        if way == "auto" and serves(this):
            return solve_by_few_rows(this)
        if way == "listing" or (way == "auto" and (only or worth_listing(this))):
            listed = ListedRun(this)
            listed.list_all(run.goal)
            listed.choose(run.goal, start)
            listed.cheapen(run.goal)
            listed.decide(run.goal)
            return listed.result(run.goal)
        if only:
            raise InputError("only a listing serves goals, own values and ways to share: way='search' cannot")
        return _searched(this, start)

    with run.stop.on_interrupt():
        for hopeful in hopeful_problems(problem):
            first = solved(hopeful)
            start = accepted_explanations(problem, first)
            if len(start) == len(first.explanations):
                # Bounds and proofs hold all the more for fewer positive points.
                return replace(first, problem={**first.problem, "oracle": problem.oracle.describe()})
            if run.stop.expired():
                break
        return solved(problem)


def _searched(asked: Context, start: Sequence[Explanation]) -> Result:
    """Generate columns for all rows that can be helped, then make the answer cheaper if that is asked for."""
    problem, stop, statistics, cheaply = asked.problem, asked.stop, asked.statistics, asked.cheaply
    proof, cheap, groups = None, None, list[Group]()
    ends = ((row, np.array(one.point, dtype=np.int64)) for one in start for row in one.members)
    points = {int(problem.row_of[row]): point for row, point in ends}
    screened = screen(problem, statistics, stop, points)
    space = SearchSpace(problem, screened.helpable)
    run = Run(asked, space, CachedOracle(space, statistics, stop))
    if len(space.rows):
        known = _known_columns(space, start)
        run.pool.add(run.first_columns(screened.cells[space.helpable]))
        if known:
            run.offer(greedy_cover(known + run.pool.columns, len(space.rows), range(len(known))))
            run.pool.add(known)
        proof = minimise(run)
        groups = _simplest(run)
        addable = problem.most_cost * ONE_IN_COVERS < LARGEST_SUM
        if cheaply and addable and groups and not stop.expired():
            cheap = cheapest_cover(run)
            groups = min(cheap.groups, groups, key=lambda chosen: (len(chosen), _cost(problem, chosen)))
    # An undecided row might be covered instead of one that pays more.
    undecided = not (screened.reachable | screened.unreachable).all()
    proved = cheap is not None and cheap.proof.bound >= _cost(problem, groups)
    return build_result(
        problem,
        groups,
        reasons=reasons_of(problem, np.flatnonzero(screened.unreachable), stop.at_least(POLISHING)),
        helpable=space.helpable,
        proof=proof,
        cost_proof=None if cheap is None or undecided else cheap.proof,
        cost_open=cheaply and bool(groups) and not proved,
        stop=stop,
        statistics=statistics,
        versions=versions_of(PACKAGES),
        method="exact",
        seed=asked.seed,
    )


def _simplest(run: Run) -> list[Group]:
    """The best cover of a run: each row in one group, at points as near to their rows as time allows."""
    problem, helpable = run.space.problem, run.space.helpable
    stop = run.stop.at_least(POLISHING)
    return [
        Group(column.point if stop.expired() else simplest_point(problem, column.point, rows), rows)
        for column, rows in zip(run.best, assign(problem, helpable, run.best), strict=True)
    ]


def _cost(problem: Problem, groups: Sequence[Group]) -> int:
    """What the rows of some groups pay together."""
    features = np.arange(problem.n_features)
    return sum(int(level_prices(problem, group.rows)[features, group.point].sum()) for group in groups)


def _known_columns(space: SearchSpace, start: Sequence[Explanation]) -> list[Column]:
    """Explanations of a known answer, with every row that they cover."""
    features = np.arange(space.problem.n_features)
    columns = (
        Column.covering(space, np.array(one.point, dtype=np.int64), np.isin(features, one.changed))
        for one in start
    )
    return [column for column in columns if len(column.rows)]


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
