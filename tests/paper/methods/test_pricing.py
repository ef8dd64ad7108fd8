"""Both formulations of the pricing problem against trying every column there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.scaling import ONE_IN_PRICING, integer_weights
from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.methods.cg_mip import TOLERANCE, MipPricer
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.formulation import CgOptions
from oneformany.paper.methods.published import dual_proof, initial_solution
from oneformany.paper.methods.solvers import Highs
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from program_pricer import ProgramPricer
from reference import columns as every_column
from strategies import SmallProblem, random_problem

PLAIN: dict[str, Any] = {"fix_point": False, "fix_members": False, "all_solutions": False, "pool": False}


def as_problem(small: SmallProblem) -> Problem:
    oracle = AdditiveOracle(small.tables, small.intercept, small.threshold)
    return Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)


def pricer(problem: Problem, **options: Any) -> MipPricer:
    space, _, _ = initial_solution(problem, Statistics(), Stop())
    return MipPricer(space, embed(problem.oracle), Highs(), CgOptions(**options))


def heaviest(small: SmallProblem, problem: Problem, index: IntArray, weights: IntArray) -> int:
    """Weight of the heaviest column, from the brute force's masks over given rows."""
    first = np.unique(problem.row_of, return_index=True)[1][index]
    return max(
        (
            sum(int(weight) for row, weight in zip(first, weights, strict=True) if mask >> int(row) & 1)
            for mask in every_column(**small.arguments())
        ),
        default=0,
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_published_compact_and_exhaustive_pricing_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = random_problem(rng)
    problem = as_problem(small)
    index = initial_solution(problem, Statistics(), Stop())[0].helpable
    weights = integer_weights(rng.random(len(index)) * (rng.random(len(index)) < 0.8))
    if not len(index) or not weights.any():
        return
    best = heaviest(small, problem, index, weights)
    for formulation in ("published", "compact"):
        columns, capacity = pricer(problem, pricing=formulation, **PLAIN).price(weights, Stop())
        assert capacity is not None
        assert best <= capacity <= best + 2 * TOLERANCE * ONE_IN_PRICING
        if best > ONE_IN_PRICING * (1 + TOLERANCE):
            assert max(int(weights[column.rows].sum()) for column in columns) == best
        else:
            assert columns == []


def ones(n_features: int, codes: list[list[int]], needed: int, max_changes: int) -> Problem:
    oracle = AdditiveOracle([[0, 1]] * n_features, threshold=needed)
    return Problem(np.array(codes), (2,) * n_features, oracle, max_changes)


CHAIN = ones(4, [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1], [1, 1, 0, 0]], 3, 2)


@pytest.mark.parametrize("formulation", ["published", "compact"])
@pytest.mark.parametrize("switch", ["fix_point", "fix_members", "all_solutions"])
def test_every_refinement_adds_columns_that_hold(formulation: str, switch: str) -> None:
    strict = pricer(CHAIN, pricing=formulation, **{**PLAIN, switch: True})
    columns, _ = strict.price(integer_weights(np.ones(4)), Stop())
    assert columns
    for column in columns:
        changed = (CHAIN.rows[column.rows] != column.point).any(axis=0)
        assert (changed == column.changed).all()
        assert changed.sum() <= 2
        assert CHAIN.oracle.positive(column.point[None])[0]


def test_fixing_the_point_takes_in_rows_without_weight() -> None:
    codes = [[0, 1, 1], [1, 0, 1], [0, 0, 1]]
    problem = ones(3, codes, 3, 2)
    weights = integer_weights(np.array([2.0, 0.0, 0.0]))
    groups = [
        sorted(column.rows.tolist())
        for column in pricer(problem, **{**PLAIN, "fix_point": True}).price(weights, Stop())[0]
    ]
    assert [0, 1, 2] in groups


def test_fixing_the_members_finds_a_point_for_more() -> None:
    codes = [[0, 1, 1], [1, 0, 1], [0, 0, 1]]
    problem = ones(3, codes, 3, 2)
    weights = integer_weights(np.array([2.0, 0.0, 0.0]))
    groups = [
        sorted(column.rows.tolist())
        for column in pricer(problem, **{**PLAIN, "fix_members": True}).price(weights, Stop())[0]
    ]
    assert [0, 1, 2] in groups


def test_columns_that_do_not_violate_wait_in_the_pool() -> None:
    patient = pricer(CHAIN, **{**PLAIN, "pool": True})
    light, heavy = integer_weights(np.full(4, 0.1)), integer_weights(np.ones(4))
    assert patient.price(light, Stop())[0] == []
    solved = patient.statistics.counters["programs solved"]
    again, capacity = patient.price(heavy, Stop())
    assert again
    assert capacity is None
    assert patient.statistics.counters["programs solved"] == solved


def test_an_early_stop_still_bounds_every_column() -> None:
    weights = integer_weights(np.array([1.0, 0.9, 0.8, 0.7]))
    _, full = pricer(CHAIN, **PLAIN).price(weights, Stop())
    _, early = pricer(CHAIN, **PLAIN, stop_at=1.01).price(weights, Stop())
    assert full is not None
    assert early is not None
    assert early >= full


def test_without_time_the_bound_is_the_trivial_one() -> None:
    weights = integer_weights(np.ones(4))
    chain = pricer(CHAIN)
    columns, capacity = chain.price(weights, Stop(0.0))
    assert columns == []
    assert capacity == 4 * ONE_IN_PRICING
    assert dual_proof(chain.space, weights, capacity).bound == 1


def test_without_time_a_program_excludes_no_column() -> None:
    space = initial_solution(CHAIN, Statistics(), Stop())[0]
    weights = np.array([2, 0, 0, 0]) * ONE_IN_PRICING
    priced = ProgramPricer(Items(space, Decisions())).price(weights, Stop(0.0))
    assert (priced.columns, priced.complete) == ([], False)
    assert priced.capacity >= weights.sum()


NEARLY = Problem(
    np.array([[1, 0, 0], [1, 1, 0]]),
    (2, 2, 2),
    AdditiveOracle([[0.0, 1.0], [0.0, 1.0 - 5e-10], [0.0, 1.0]], threshold=2.0),
    max_changes=1,
)  # both rows could share the point (1, 1, 0) if it did not miss the threshold by 5e-10


@pytest.mark.parametrize("formulation", ["published", "compact"])
def test_points_that_only_the_solvers_tolerance_lets_in_are_excluded(formulation: str) -> None:
    strict = pricer(NEARLY, pricing=formulation, **PLAIN)
    weights = integer_weights(np.array([2.0, 2.0]))
    columns, capacity = strict.price(weights, Stop())
    assert strict.statistics.counters["points excluded"] >= 1
    assert [len(column.rows) for column in columns] == [1]
    assert dual_proof(strict.space, weights, capacity).bound == 2
    assert all(NEARLY.oracle.positive(column.point[None])[0] for column in columns)


def test_bounds_are_rounded_up_to_whole_explanations() -> None:
    space, weights = pricer(CHAIN).space, np.full(4, ONE_IN_PRICING)
    bounds = [dual_proof(space, weights, k * ONE_IN_PRICING + 10).bound for k in (1, 2, 3)]
    assert bounds == [4, 2, 2]
