"""The compact model as published against brute force; solvers find it hard, so the problems are tiny."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.embeddings import embed
from oneformany.paper.methods.formulation import ENTRIES, CompactModel, CompactOptions
from oneformany.paper.methods.published import initial_solution
from oneformany.paper.methods.solvers import Highs
from oneformany.problem import Problem
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop
from reference import brute_force
from strategies import SmallProblem, random_problem

solve_compact_mip = partial(solve, method="mip")
MOST_ROWS = 4
MOST_FEATURES = 4


def tiny_problem(seed: int) -> SmallProblem:
    """The first rows and features of a small one."""
    small = random_problem(np.random.default_rng(seed))
    n = min(len(small.levels), MOST_FEATURES)
    return SmallProblem(
        codes=[row[:n] for row in small.codes[:MOST_ROWS]],
        levels=small.levels[:n],
        tables=small.tables[:n],
        intercept=small.intercept,
        threshold=small.threshold - sum(max(table) for table in small.tables[n:]),
        max_changes=min(small.max_changes, n),
        allowed=None if small.allowed is None else small.allowed[:n],
    )


def as_problem(small: SmallProblem) -> Problem:
    oracle = AdditiveOracle(small.tables, small.intercept, small.threshold)
    return Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)


OPTIONS = [
    CompactOptions(),
    CompactOptions(break_symmetry=True),
    CompactOptions(relax_implied=False, effort=None),
    CompactOptions(break_symmetry=True, relax_implied=False, merge_initial=False),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_model_finds_and_proves_the_optimum(options: CompactOptions, seed: int) -> None:
    small = tiny_problem(seed)
    problem = as_problem(small)
    result = solve_compact_mip(problem, options=options)
    count, unreachable = brute_force(**small.arguments())
    assert (result.count, result.lower_bound) == (count, count)
    assert tuple(entry.row for entry in result.unreachable) == unreachable
    assert result.status == ("infeasible" if len(unreachable) == len(small.codes) else "optimal")
    for explanation in result.explanations:
        assert problem.oracle.positive(np.array([explanation.point]))[0]
        for row in explanation.members:
            differs = np.flatnonzero(problem.codes[row] != explanation.point)
            assert set(differs.tolist()) <= set(explanation.changed)
            assert problem.may_move(problem.codes[[row]], np.array(explanation.point)).all()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_the_initial_solution_satisfies_every_constraint(options: CompactOptions, seed: int) -> None:
    problem = as_problem(random_problem(np.random.default_rng(seed)))
    space, columns, _ = initial_solution(problem, Statistics(), Stop(), merge=options.merge_initial)
    if not columns:
        return
    compact = CompactModel(space, columns, embed(problem.oracle), options)
    model, start = compact.model, compact.start()
    lower, upper = model.row_bounds
    activity = model.matrix @ start
    assert (activity >= lower - 1e-9).all()
    assert (activity <= upper + 1e-9).all()
    assert (start >= model.lower).all()
    assert (start <= model.upper).all()
    assert model.cost @ start == len(columns)


def test_the_model_has_the_published_size() -> None:
    codes = np.array([[0, 0, 0], [1, 1, 1], [2, 0, 1]])
    oracle = AdditiveOracle([[0, 1, 0], [0, 1], [0, 1]], threshold=3)
    problem = Problem(codes, (3, 2, 2), oracle, 3)
    space, known, _ = initial_solution(problem, Statistics(), Stop(), merge=False)
    model = CompactModel(space, known, embed(oracle), CompactOptions(relax_implied=False)).model
    n, features, columns, count = 3, 3, 5, 3
    assert model.size == count * (1 + columns + n + columns + features + 2 * n * columns)
    assert model.integer.all()
    published = {
        "(2)": 1,
        "(4)": features,
        "(5)": 1,
        "(6)": 1,
        "(8)": n,
        "(9)-(10)": 2 * n * columns,
        "(11)-(14)": 4 * n * columns,
    }
    assert model.matrix.shape[0] == count * sum(published.values()) + n
    few = model.matrix.nnz - ENTRIES * count * n * columns
    assert 0 < few <= count * (columns + features * columns + features + 1 + columns + 4 * n)


def three() -> Problem:
    """Ones are counted and three needed; two explanations are enough, the initial solution has three."""
    codes = np.array([[1, 0, 1, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
    return Problem(codes, (2,) * 4, AdditiveOracle([[0, 1]] * 4, threshold=3), 2)


@pytest.mark.parametrize("effort", [-0.1, 1.1, float("nan")])
def test_an_effort_is_a_share(effort: float) -> None:
    with pytest.raises(InputError, match="share"):
        CompactOptions(effort=effort)


def test_progress_is_told() -> None:
    rounds: list[Round] = []
    result = solve_compact_mip(three(), progress=rounds.append)
    assert rounds[0].phase == "start"
    assert all(record.phase == "branch" for record in rounds[1:])
    assert all(record.bound <= result.count <= record.count for record in rounds)


def test_the_bound_is_labelled_as_the_solvers_word() -> None:
    result = solve_compact_mip(three())
    assert result.status == "optimal"
    assert result.method == "mip"
    assert result.proof is None
    assert result.certificate["solver"] == result.solver
    assert result.solver.startswith("highs ")
    assert result.certificate["bound"] == result.lower_bound == result.count


def test_without_time_nothing_is_claimed_about_any_row() -> None:
    result = solve_compact_mip(three(), time_limit=0.0)
    assert (result.status, result.count, result.lower_bound) == ("feasible", 0, 0)
    assert result.undecided == (0, 1, 2)


def test_a_model_too_large_for_the_time_left_gives_the_initial_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Highs, "entry_seconds", 1e9)
    monkeypatch.setattr(CompactModel, "__init__", None)  # it is not even written down
    result = solve_compact_mip(three(), time_limit=600.0)
    assert result.status == "feasible"
    assert result.lower_bound == 1
    assert result.count == len(initial_solution(three(), Statistics(), Stop())[1]) == 3
    assert result.statistics.counters["programs too large for the time left"] == 1


def test_points_that_only_the_solvers_tolerance_lets_in_are_excluded() -> None:
    oracle = AdditiveOracle([[0.0, 1.0], [0.0, 1.0 - 5e-10], [0.0, 1.0]], threshold=2.0)
    problem = Problem(np.array([[1, 0, 0], [1, 1, 0]]), (2, 2, 2), oracle, 1)
    result = solve_compact_mip(problem)
    assert (result.status, result.count, result.lower_bound) == ("optimal", 2, 2)


def test_trees_are_explained() -> None:
    splits = np.array([0, 1, LEAF, LEAF, LEAF])
    left = np.zeros((5, 3), dtype=np.bool_)
    left[0, 0] = left[1, 0] = True
    children = np.array([[1, 4], [2, 3], [0, 0], [0, 0], [0, 0]])
    ensemble = TreeEnsemble.from_trees(
        (3, 2, 2), [Tree(splits, left, children, np.array([0, 0, -1.0, 0.5, 2.0]))]
    )
    oracle = TreeOracle(ensemble, 1.0)
    codes = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])
    result = solve_compact_mip(Problem(codes, (3, 2, 2), oracle, 2))
    assert (result.status, result.count) == ("optimal", 2)
    assert oracle.positive(np.array([explanation.point for explanation in result.explanations])).all()
