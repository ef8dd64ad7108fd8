"""Every option of the paper's methods changes what the solver is asked, and no bound becomes false."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.methods.formulation import CgOptions, CompactOptions
from oneformany.paper.methods.model import Model, Request, SolverOutcome
from oneformany.paper.methods.solvers import Solver
from oneformany.problem import Problem

OTHERWISE: dict[str, tuple[CgOptions | CompactOptions, dict[str, Any]]] = {
    "cg-mip": (
        CgOptions(),
        {
            "pricing": "compact",
            "fix_point": False,
            "fix_members": False,
            "all_solutions": False,
            "pool": False,
            "stop_at": 1.1,
            "merge_initial": False,
            "solver": "scip",
        },
    ),
    "mip": (
        CompactOptions(),
        {
            "break_symmetry": True,
            "relax_implied": False,
            "merge_initial": False,
            "effort": None,
            "solver": "scip",
        },
    ),
}


def problem(n: int) -> Problem:
    rng = np.random.default_rng(4)
    levels = (3, 2, 3, 2, 2)
    tables = [rng.normal(size=count) for count in levels]
    codes = np.column_stack([rng.integers(0, count, n) for count in levels])
    return Problem(codes, levels, AdditiveOracle(tables, 0.0, 0.5 * sum(t.max() for t in tables)), 2)


PROBLEMS = {"cg-mip": problem(10), "mip": problem(4)}  # columns of the first wait in the pool


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What solvers are asked, one entry per program."""
    seen: list[tuple[object, ...]] = []
    solve_model = Solver.solve

    def noting(self: Solver, model: Model, request: Request) -> SolverOutcome:
        size = (model.size, int(model.integer.sum()), float(model.upper.sum()))
        seen.append((self.name, *size, request.target, request.keep, request.effort))
        return solve_model(self, model, request)

    monkeypatch.setattr(Solver, "solve", noting)
    return seen


@pytest.mark.parametrize("method", OTHERWISE)
def test_every_option_is_looked_at(method: str) -> None:
    options, otherwise = OTHERWISE[method]
    assert list(otherwise) == [field.name for field in fields(options)]


@pytest.mark.parametrize(
    ("method", "name"), [(method, name) for method in OTHERWISE for name in OTHERWISE[method][1]]
)
def test_an_option_changes_what_is_asked_and_no_bound_is_false(
    method: str, name: str, asked: list[tuple[object, ...]]
) -> None:
    options, otherwise = OTHERWISE[method]
    before = solve(PROBLEMS[method], method=method, options=options)
    usual = asked.copy()
    asked.clear()
    after = solve(PROBLEMS[method], method=method, options=replace(options, **{name: otherwise[name]}))
    assert usual
    assert asked != usual
    assert max(before.lower_bound, after.lower_bound) <= solve(PROBLEMS[method]).count
    assert solve(PROBLEMS[method]).count <= min(before.count, after.count)
