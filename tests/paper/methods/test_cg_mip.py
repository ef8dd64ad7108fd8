"""Column generation as published: what it finds is never too small, what it proves never too large."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.paper.methods.formulation import CgOptions, Pricing
from oneformany.paper.methods.solvers import SOLVERS, make_solver
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.problem.own import OwnValues
from oneformany.result.result import Result
from oneformany.schema.rules.rows import NotTogether
from oneformany.statistics import Round
from oneformany.verify import verify
from reference import brute_force
from strategies import SmallProblem, random_problem

solve_cg_mip = partial(solve, method="cg-mip")
MOST_ROWS = 6

SWITCHES: list[dict[str, Any]] = [
    {},
    {"pricing": "compact"},
    {"fix_point": False},
    {"fix_members": False},
    {"all_solutions": False},
    {"pool": False},
    {"stop_at": 1.1},
    {"merge_initial": False},
    {"pricing": "compact", "stop_at": 1.001, "fix_point": False, "fix_members": False},
    {"fix_point": False, "fix_members": False, "all_solutions": False, "pool": False, "merge_initial": False},
]


def as_problem(small: SmallProblem) -> Problem:
    oracle = AdditiveOracle(small.tables, small.intercept, small.threshold)
    return Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)


def check_against_brute_force(result: Result, small: SmallProblem) -> None:
    count, unreachable = brute_force(**small.arguments())
    assert result.lower_bound <= count <= result.count
    assert tuple(entry.row for entry in result.unreachable) == unreachable
    assert (result.status == "infeasible") == (len(unreachable) == len(small.codes))
    if result.status == "optimal":
        assert result.count == count
    verify(result.to_json()).raise_if_rejected()


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_count_and_bound_enclose_the_optimum_with_every_switch(switches: dict[str, Any], seed: int) -> None:
    small = random_problem(np.random.default_rng(seed))
    small = replace(small, codes=small.codes[:MOST_ROWS])
    check_against_brute_force(solve_cg_mip(as_problem(small), options=CgOptions(**switches)), small)


def grid(max_changes: int = 2, n: int = 6) -> Problem:
    rng = np.random.default_rng(1)
    levels = (3, 2, 3, 2, 2)
    tables = [rng.normal(size=n_levels) for n_levels in levels]
    best = sum(table.max() for table in tables)
    codes = np.column_stack([rng.integers(0, n_levels, n) for n_levels in levels])
    return Problem(codes, levels, AdditiveOracle(tables, 0.0, 0.5 * best), max_changes)


def test_all_switches_prove_the_same_optimum_where_the_root_suffices() -> None:
    outcomes = {
        (result.status, result.count, result.lower_bound)
        for result in (solve_cg_mip(grid(), options=CgOptions(**switches)) for switches in SWITCHES)
    }
    assert len(outcomes) == 1
    assert outcomes.pop()[0] == "optimal"


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_solvers_prove_the_same_optimum(solver: str) -> None:
    result = solve_cg_mip(grid(), options=CgOptions(solver=solver))
    assert (result.status, result.count) == ("optimal", solve_cg_mip(grid()).count)
    assert result.versions[solver] == make_solver(solver).version


def test_rounds_are_told_and_bounds_only_rise() -> None:
    rounds: list[Round] = []
    result = solve_cg_mip(grid(), progress=rounds.append)
    assert rounds[0].phase == "start"
    assert rounds[-1].phase == "cover"
    assert {record.phase for record in rounds[1:-1]} == {"columns"}
    assert result.statistics.rounds == rounds
    bounds = [record.bound for record in rounds]
    assert bounds == sorted(bounds)
    assert rounds[-1].count == result.count


def test_a_network_is_explained_with_proof() -> None:
    rng = np.random.default_rng(11)
    levels = (3, 2, 3, 2)
    network = Network(
        tuple(rng.normal(size=(n, 4)) for n in levels),
        rng.normal(size=4),
        ((rng.normal(size=(4, 3)), rng.normal(size=3)), (rng.normal(size=(3, 1)), rng.normal(size=1))),
    )
    codes = np.column_stack([rng.integers(0, n, 6) for n in levels])
    scores = NetworkOracle(network).score(codes)
    problem = Problem(codes, levels, NetworkOracle(network, float(np.quantile(scores, 0.7))), 2)
    published = solve_cg_mip(problem)
    compact = solve_cg_mip(problem, options=CgOptions(pricing="compact"))
    assert published.status == compact.status
    assert (published.count, published.lower_bound) == (compact.count, compact.lower_bound)
    assert problem.oracle.positive(np.array([e.point for e in published.explanations])).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_unit_that_is_hardly_ever_off_leads_no_solver_astray(solver: str) -> None:
    """A unit that may be 0 but not below has no binary variable, which SCIP 10 takes for decisive."""
    tables = (
        [[3, 2, 1, 1], [-2, 2, 1, 2]],
        [[1, -3, 1, -2], [-2, 1, 3, 1], [-3, -2, 1, 2]],
        [[3, -1, -2, 0], [3, 0, 0, 2], [2, 1, 1, 3], [-1, -2, 3, 2]],
        [[1, 0, -1, -1], [1, 1, -1, 1], [-1, -3, 1, 0]],
    )
    last = np.array([[-2.0], [-1.0], [1.0], [-2.0]]), np.zeros(1)
    network = Network(
        tuple(np.array(table, dtype=float) for table in tables), np.array([-2.0, 0, 2, 2]), (last,)
    )
    codes = np.array([[1, 1, 2, 2], [1, 2, 0, 2], [1, 2, 0, 1], [1, 0, 3, 1], [0, 0, 0, 2]])
    problem = Problem(codes, (2, 3, 4, 3), NetworkOracle(network, -9.0), 1)
    result = solve_cg_mip(problem, options=CgOptions(solver=solver, merge_initial=False))
    assert (result.status, result.count) == ("optimal", solve(problem).count)


def test_without_time_nothing_is_claimed_about_any_row() -> None:
    result = solve_cg_mip(grid(), time_limit=0.0)
    assert (result.status, result.count, result.lower_bound) == ("feasible", 0, 0)
    assert result.undecided == tuple(range(len(result.assignment)))
    assert not result.unreachable


def test_a_single_explanation_needs_no_pricing() -> None:
    problem = Problem(np.array([[0, 0], [0, 0]]), (2, 2), AdditiveOracle([[0, 0], [0, 1]], threshold=1), 1)
    result = solve_cg_mip(problem)
    assert (result.status, result.count, result.lower_bound) == ("optimal", 1, 1)
    assert "programs solved" not in result.statistics.counters


def test_rows_nobody_can_help_are_named() -> None:
    problem = Problem(np.array([[0, 0], [1, 0]]), (2, 2), AdditiveOracle([[0, 1], [0, 1]], threshold=2), 1)
    result = solve_cg_mip(problem)
    assert result.status == "optimal"
    assert [entry.row for entry in result.unreachable] == [0]
    assert result.assignment == (-1, 0)
    nobody = solve_cg_mip(
        Problem(np.array([[0, 0]]), (2, 2), AdditiveOracle([[0, 1], [0, 1]], threshold=3), 1)
    )
    assert (nobody.status, nobody.count, nobody.lower_bound) == ("infeasible", 0, 0)


def test_repeated_rows_share_an_explanation() -> None:
    problem = Problem(
        np.array([[0, 0], [0, 0], [1, 1]]), (2, 2), AdditiveOracle([[0, 1], [0, 1]], threshold=2), 2
    )
    result = solve_cg_mip(problem)
    assert result.assignment == (0, 0, 0)
    assert result.explanations[0].members == (0, 1, 2)


def test_a_result_tells_who_computed_it() -> None:
    result = solve_cg_mip(grid(), seed=3)
    assert result.method == "cg-mip"
    assert result.seed == 3
    assert set(result.versions) == {"oneformany", "highs"}


def test_other_classifiers_and_unknown_parameters_are_refused() -> None:
    class BlackBox:
        levels = (2, 2)

    problem = Problem(np.array([[0, 0]]), (2, 2), cast("Oracle", BlackBox()), 1)
    with pytest.raises(UnsupportedModelError, match="BlackBox"):
        solve_cg_mip(problem)
    with pytest.raises(InputError, match='"published" or "compact"'):
        CgOptions(pricing=cast("Pricing", "other"))
    with pytest.raises(InputError, match="only above 1"):
        CgOptions(stop_at=1.0)
    with pytest.raises(InputError, match="unknown solver"):
        solve_cg_mip(grid(), options=CgOptions(solver="other"))


EVERY = (np.arange(2),) * 3
COSTS = Costs((np.array([[0, 2], [2, 0]]),) * 3)


@pytest.mark.parametrize("method", ["cg-mip", "mip"])
@pytest.mark.parametrize(
    ("beyond", "words"),
    [
        ({"share": "action"}, 'do not take share="action"; use method="exact"'),
        ({"share": "features"}, 'share="features"'),
        ({"own": OwnValues(np.eye(3, dtype=np.int64), EVERY, EVERY)}, "rows with values of their own"),
        ({"restrictions": (NotTogether(0, 1),)}, "restrictions on whole rows"),
        ({"costs": COSTS}, "do not take costs"),
    ],
)
def test_what_the_paper_does_not_ask_is_refused(method: str, beyond: dict[str, Any], words: str) -> None:
    oracle = AdditiveOracle([[0, 1]] * 3, threshold=2)
    with pytest.raises(InputError, match=words):
        solve(Problem(np.eye(3, dtype=np.int64), (2, 2, 2), oracle, 2, **beyond), method=method)
