"""The front of the engine: composes, contains no algorithm."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.exact import minimise
from oneformany.engine.polish import assign, simplest_point
from oneformany.engine.pricing.classifier import Classifier
from oneformany.engine.pricing.instance import Arena
from oneformany.engine.run import Options, Run
from oneformany.engine.screening import Screened, screen
from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.result.result import Explanation, Result, Status, problem_to_dict
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

if TYPE_CHECKING:
    from oneformany.paper.methods.cg_mip import CgOptions
    from oneformany.paper.methods.compact_mip import CompactOptions

__all__ = ["METHODS", "solve"]

Kind = TypeVar("Kind")

METHODS = ("exact", "cg-mip", "mip")
PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


def solve(
    problem: Problem,
    *,
    method: str = "exact",
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | CgOptions | CompactOptions | None = None,
) -> Result:
    """Find the fewest explanations that cover every row, with a proof.

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
        Recorded in the result; the exact method itself is deterministic.
    options : Options or None
        Switches of the method.

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
    if method == "exact":
        return _solve_exact(problem, time_limit, progress, seed, _of(Options, options))
    if method == "cg-mip":
        from oneformany.paper.methods.cg_mip import CgOptions, solve_cg_mip

        return solve_cg_mip(
            problem, time_limit=time_limit, progress=progress, seed=seed, options=_of(CgOptions, options)
        )
    if method == "mip":
        from oneformany.paper.methods.compact_mip import CompactOptions, solve_compact_mip

        return solve_compact_mip(
            problem, time_limit=time_limit, progress=progress, seed=seed, options=_of(CompactOptions, options)
        )
    raise InputError(f"method is {method!r}; it must be one of {', '.join(METHODS)}")


def _of(kind: type[Kind], options: object) -> Kind:
    if options is None:
        return kind()
    if not isinstance(options, kind):
        raise InputError(f"options must be a {kind.__name__} for this method, not a {type(options).__name__}")
    return options


def _solve_exact(
    problem: Problem,
    time_limit: float | None,
    progress: Callable[[Round], None] | None,
    seed: int,
    options: Options,
) -> Result:
    stop = Stop(time_limit)
    statistics = Statistics()
    with stop.on_interrupt():
        screened = screen(problem, statistics, stop)
        arena = Arena(problem, screened.places)
        run = Run(arena, Classifier(arena, statistics, stop), stop, statistics, options, progress)
        proof: dict[str, Any] | None = None
        if len(screened.places):
            for point in screened.points:
                run.classifier.learn(point)
            run.pool.add(
                [
                    column
                    for row in range(len(arena.rows))
                    if (column := run.classifier.column(row, np.full(problem.n_features, -1))) is not None
                ]
            )
            proof = minimise(run)
    explanations, assignment = _explanations(problem, screened.places, run.best)
    return Result(
        status=_status(screened, run),
        count=run.count,
        lower_bound=run.bound,
        explanations=explanations,
        assignment=assignment,
        unreachable=screened.unreachable,
        statistics=statistics,
        versions=_versions(),
        seed=seed,
        method="exact",
        certificate={"bound": run.bound, "proof": proof},
        problem=problem_to_dict(problem),
    )


def _status(screened: Screened, run: Run) -> Status:
    if not screened.proved:
        return "feasible"
    if screened.unreachable:
        return "infeasible"
    return "optimal" if run.bound == run.count else "feasible"


def _explanations(
    problem: Problem, places: IntArray, cover: list[Column]
) -> tuple[tuple[Explanation, ...], tuple[int, ...]]:
    groups = assign(problem, places, cover) if cover else []
    order = sorted(
        range(len(cover)), key=lambda c: (-int(problem.multiplicity[groups[c]].sum()), int(groups[c].min()))
    )
    explanations = []
    assignment = np.full(len(problem.codes), -1)
    for number, c in enumerate(order):
        point = simplest_point(problem, cover[c].point, groups[c])
        members = np.flatnonzero(np.isin(problem.row_of, groups[c]))
        changed = np.flatnonzero((problem.rows[groups[c]] != point).any(axis=0))
        explanations.append(Explanation(tuple(point), tuple(changed), tuple(members)))
        assignment[members] = number
    return tuple(explanations), tuple(int(number) for number in assignment)


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
