"""The front of the exact engine: composes, contains no algorithm."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.engine.exact import minimise
from oneformany.engine.polish import assign, simplest_point
from oneformany.engine.pricing.classifier import Classifier
from oneformany.engine.pricing.instance import Arena
from oneformany.engine.run import Options, Run
from oneformany.engine.screening import Screened, screen
from oneformany.problem import Problem
from oneformany.result.result import Explanation, Result, Status, problem_to_dict
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

__all__ = ["solve_exact"]

PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


def solve_exact(
    problem: Problem,
    *,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
    seed: int = 0,
    options: Options | None = None,
) -> Result:
    """Find the fewest explanations by column generation, enumeration and branching, with a proof.

    Parameters
    ----------
    problem : Problem
        Rows, classifier, number of changes, allowed moves.
    time_limit : float or None
        Seconds after which the best answer so far is returned, with the bound proved by then.
    progress : callable or None
        Receives a :class:`~oneformany.statistics.Round` after each step.
    seed : int
        Recorded in the result; the method itself is deterministic.
    options : Options or None
        Switches of the method.
    """
    stop = Stop(time_limit)
    statistics = Statistics()
    with stop.on_interrupt():
        screened = screen(problem, statistics, stop)
        arena = Arena(problem, screened.places)
        classifier = Classifier(arena, statistics, stop)
        run = Run(arena, classifier, stop, statistics, options or Options(), progress)
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
