"""From chosen columns and a bound to a :class:`oneformany.Result`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.screening import Screened
from oneformany.paper.methods.columns import PaperColumn, PaperRows
from oneformany.paper.methods.initial import Initial
from oneformany.paper.methods.model import Solver
from oneformany.paper.methods.pricing import PaperPriced
from oneformany.result.result import Explanation, Result, Status, problem_to_dict
from oneformany.statistics import Statistics

__all__ = ["Bound", "dual_bound", "make_result", "one_is_needed", "solver_bound"]


@dataclass(frozen=True)
class Bound:
    """A lower bound on the number of explanations, and what it rests on."""

    value: int
    proof: dict[str, Any] | None


def dual_bound(rows: PaperRows, priced: PaperPriced) -> Bound:
    """Tell what the weights of a pricing prove; 0 when it proved no capacity."""
    if priced.capacity is None:
        return Bound(0, None)
    weights = _on_given_rows(rows, priced.weights)
    proof = {"kind": "dual", "weights": weights, "capacity": priced.capacity, "bound": priced.bound}
    return Bound(priced.bound, proof)


def one_is_needed(rows: PaperRows) -> Bound:
    """Start with what needs no proof: where there are rows, there is an explanation."""
    if len(rows) == 0:
        return Bound(0, None)
    weights = np.zeros(len(rows), dtype=np.int64)
    weights[0] = 1
    return dual_bound(rows, PaperPriced([], weights, 1))


def solver_bound(solver: Solver, value: int) -> Bound:
    """Report a bound that rests on the word of a solver and cannot be checked without solving again."""
    return Bound(value, {"kind": "solver", "name": f"{solver.name} {solver.version}", "bound": value})


def make_result(
    initial: Initial,
    columns: Sequence[PaperColumn],
    bound: Bound,
    statistics: Statistics,
    *,
    method: str,
    solver: Solver,
    seed: int,
) -> Result:
    """Assign every row once and state what is proved."""
    problem = initial.rows.problem
    owner = np.full(len(problem.rows), -1, dtype=np.int64)
    kept: list[PaperColumn] = []
    for column in columns:
        places = initial.rows.index[column.group]
        places = places[owner[places] < 0]
        if len(places):
            owner[places] = len(kept)
            kept.append(column)
    assignment = owner[problem.row_of]
    explanations = tuple(
        Explanation(
            tuple(column.point.tolist()),
            tuple(np.flatnonzero(column.changed).tolist()),
            tuple(np.flatnonzero(assignment == number).tolist()),
        )
        for number, column in enumerate(kept)
    )
    return Result(
        status=_status(initial.screened, optimal=len(kept) == bound.value),
        count=len(kept),
        lower_bound=bound.value,
        explanations=explanations,
        assignment=tuple(assignment.tolist()),
        unreachable=initial.screened.unreachable,
        certificate={"bound": bound.value, "proof": bound.proof},
        problem=problem_to_dict(problem),
        statistics=statistics,
        versions={"oneformany": version("oneformany"), solver.name: solver.version},
        seed=seed,
        method=method,
    )


def _status(screened: Screened, *, optimal: bool) -> Status:
    if not screened.proved:
        return "feasible"
    if screened.unreachable:
        return "infeasible"
    return "optimal" if optimal else "feasible"


def _on_given_rows(rows: PaperRows, weights: IntArray) -> list[int]:
    """Weights on the first occurrences of the distinct rows."""
    row_of = rows.problem.row_of
    first = np.unique(row_of, return_index=True)[1]
    given = np.zeros(len(row_of), dtype=np.int64)
    given[first[rows.index]] = weights
    return [int(weight) for weight in given]
