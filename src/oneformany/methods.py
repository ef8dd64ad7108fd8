"""One door to all methods: this project's own, and the paper's two."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from oneformany.arrays import usual_arithmetic
from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.problem import checked_problem
from oneformany.result.facts import Asker
from oneformany.result.result import Result
from oneformany.statistics import Round
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.engine.options import Options
    from oneformany.paper.methods.formulation import CgOptions, CompactOptions

Kind = TypeVar("Kind")

METHODS = ("exact", "cg-mip", "mip")


def solve(
    problem: Problem,
    *,
    method: str = "exact",
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | CgOptions | CompactOptions | None = None,
    explanations: int | None = None,
    coverage: float | None = None,
) -> Result:
    """Find the fewest explanations that cover every row, or the best within a goal, with a proof.

    Without a goal: the fewest explanations, then the least cost. With ``explanations``: the most rows, then
    the least cost. With ``coverage``: the fewest explanations for that share, then the least cost.

    Parameters
    ----------
    problem : Problem
        Rows, classifier, number of changes, allowed moves.
    method : {"exact", "cg-mip", "mip"}
        This project's method, or one of the paper's two.
    time_limit : float or None
        Seconds after which the best answer so far is returned, with the bound proved by then. Ctrl-C does
        the same.
    progress : callable or None
        Receives a :class:`~oneformany.statistics.Round` after each step.
    seed : int
        For every random choice: the same seed gives the same answer, unless time runs out.
    options : Options or None
        Switches of the method.
    explanations : int or None
        Use at most this many.
    coverage : float or None
        Cover at least this share of the rows. Further rows whose change would cost something are left
        out, equal rows together or not at all. Beside ``explanations``, which come first, it is only a wish.

    Returns
    -------
    Result
        Explanations, assignment, status, bound and certificate.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    >>> problem = ofm.Problem([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (2, 2, 2), oracle, max_changes=2)
    >>> result = ofm.solve(problem)
    >>> result.status, result.count
    ('optimal', 1)
    """
    with Stop().on_interrupt(), usual_arithmetic():  # compiled parts are loaded when they are needed
        goal = _goal_of(problem, explanations, coverage, progress)
        if goal.limited and method != "exact":
            raise InputError(f"explanations and coverage are goals of the method 'exact', not of {method!r}")
        if method not in METHODS:
            raise InputError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")
        if method == "exact":
            from oneformany.engine.options import Options
            from oneformany.engine.solve import solve_exact

            own = _of(Options, options)
            return solve_exact(
                problem, time_limit=time_limit, progress=progress, seed=seed, options=own, goal=goal
            )
        from oneformany.paper.methods.formulation import CgOptions, CompactOptions
        from oneformany.paper.methods.published import solve_published

        paper = _of(CgOptions, options) if method == "cg-mip" else _of(CompactOptions, options)
        return solve_published(problem, paper, time_limit=time_limit, progress=progress, seed=seed)


def solve_for(
    asker: Asker,
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    options: Options | None = None,
    explanations: int | None = None,
    coverage: float | None = None,
) -> Result:
    """Find what :func:`solve` finds by default, for one who looks at the answer and adds to it."""
    with Stop().on_interrupt(), usual_arithmetic():  # compiled parts are loaded when they are needed
        goal = _goal_of(problem, explanations, coverage, progress)
        from oneformany.engine.solve import solve_exact

        return solve_exact(
            problem, time_limit=time_limit, progress=progress, options=options, goal=goal, asker=asker
        )


def _goal_of(problem: Problem, explanations: int | None, coverage: float | None, progress: object) -> Goal:
    """Check what is asked, and who is told."""
    checked_problem(problem)
    goal = Goal(explanations, coverage)
    if progress is not None and not callable(progress):
        raise InputError(f"progress is {progress!r}; give a function, or `with Progress() as progress:`")
    return goal


def _of(kind: type[Kind], options: object) -> Kind:
    if options is None:
        return kind()
    if not isinstance(options, kind):
        raise InputError(f"options must be a {kind.__name__} for this method, not a {type(options).__name__}")
    return options
