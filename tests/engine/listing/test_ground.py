"""What rows gain and pay, against the score and the costs themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from engine.problems import Veiled, oracle_of, problem_of
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.engine.screening import screen
from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.schema.feature import Feature
from oneformany.schema.rules.moves import Forbid, Immutable, NeverTarget, OnlyIncrease
from oneformany.statistics import Statistics
from strategies import small_problems


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_a_row_is_accepted_after_moves_exactly_when_it_gains_its_deficit(small):
    problem = problem_of(small)
    ground = Ground.of(problem)
    assert ground.decided
    rng = np.random.default_rng(0)
    for row, cells in enumerate(problem.rows):
        goal = np.array([rng.integers(n) for n in problem.levels])
        gain = np.array([ground.gain(f, np.array([row]))[0, cell] for f, cell in enumerate(goal)])
        price = np.where(goal == cells, 0, ground.price[ground.begin[row] + goal])
        allowed = problem.may_move(cells[None], goal)[0]
        assert ((gain == NO_MOVE) == ~allowed).all()
        assert price.tolist() == (goal != cells).astype(int).tolist()
        if allowed.all():
            enough = gain.sum() >= ground.deficit[row]
            assert enough == problem.oracle.positive(goal[None])[0]


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_rows_without_hope_are_those_that_screening_proves_to_be(small):
    problem = problem_of(small)
    hopeless = Ground.of(problem).hopeless()
    assert (hopeless == screen(problem, Statistics()).unreachable).all()
    unseen = Ground.of(problem_of(small, Veiled(oracle_of(small))))
    assert not unseen.decided
    assert not unseen.hopeless().any()


def test_choices_are_all_combinations_of_cells():
    problem = problem_of(_two_features())
    ground = Ground.of(problem)
    everything = np.ones(int(ground.offsets[-1]), dtype=np.bool_)
    assert ground.choices([0, 1], everything).tolist() == [[a, b] for a in range(2) for b in range(3)]
    assert ground.choices([], everything).tolist() == [[]]


def _two_features():
    from strategies import SmallProblem

    return SmallProblem([[0, 0]], [2, 3], [[0, 1], [0, 1, 2]], 0, 2, 2, None)


def test_what_a_row_could_gain_most_and_where_rows_may_go_is_read_off_its_moves():
    rng = np.random.default_rng(1)
    for _ in range(40):
        levels = tuple(rng.integers(2, 5, size=3).tolist())
        oracle = AdditiveOracle([rng.integers(-3, 4, size=n) for n in levels], threshold=2)
        moves = [(rng.random((n, n)) < 0.6) | np.eye(n, dtype=np.bool_) for n in levels]
        allowed = [None if rng.random() < 0.4 else some for some in moves]
        rows = rng.integers(levels, size=(int(rng.integers(1, 5)), 3))
        problem = Problem(
            rows,
            levels,
            oracle,
            2,
            allowed=[m if m is None else m | np.eye(len(m), dtype=bool) for m in allowed],
        )
        ground = Ground.of(problem)
        gains = [ground.gain(f, np.arange(len(problem.rows))) for f in range(3)]
        assert ground.potential.T.tolist() == [gain.max(axis=1).tolist() for gain in gains]
        elsewhere = [np.arange(n) != problem.rows[:, [f]] for f, n in enumerate(levels)]
        goals = [((gain > NO_MOVE) & other).any(axis=0) for gain, other in zip(gains, elsewhere, strict=True)]
        assert ground.goals.tolist() == np.concatenate(goals).tolist()
        assert (
            ground.reached.tolist()
            == np.concatenate([(gain > NO_MOVE).any(axis=0) for gain in gains]).tolist()
        )


def test_tables_grow_with_neither_rows_times_cells_nor_cells_times_cells():
    n = 20_000
    codes = np.column_stack([np.arange(n), np.arange(n) % 2])
    oracle = AdditiveOracle([np.arange(n), [0, 1]], threshold=n)
    for moves in (None, _stays(n)):
        ground = Ground.of(
            Problem(codes, (n, 2), oracle, 2, allowed=None if moves is None else [moves, None])
        )
        assert ground.units.size == ground.price.size == n + 2
        assert ground.changeable.tolist() == ([0, 1] if moves is None else [1])


@pytest.mark.parametrize(
    ("rule", "lines"), [(NeverTarget("x", ["7", "1999"]), 1), (Forbid("x", "3", "1999"), 2)]
)
def test_levels_that_rows_leave_for_the_same_others_share_a_line_under_a_rule(rule, lines):
    n = 2_000
    moves = rule.allowed(Feature("x", tuple(map(str, range(n)))))
    codes = np.column_stack([np.arange(n), np.arange(n) % 2])
    problem = Problem(codes, (n, 2), AdditiveOracle([np.arange(n), [0, 1]], threshold=n), 2, [moves, None])
    ground = Ground.of(problem)
    assert ground.units.size == lines * n + 2
    gain = ground.gain(0, np.arange(n))
    assert ((gain > NO_MOVE) == moves).all()
    assert (ground.potential[:, 0] == gain.max(axis=1)).all()


def test_moves_that_are_too_many_to_list_are_an_error_that_names_the_feature():
    n = 12_000
    up = OnlyIncrease("x").allowed(Feature("x", tuple(map(str, range(n))), ordered=True))
    oracle = AdditiveOracle([np.arange(n), [0, 1]], threshold=n)
    problem = Problem(
        np.column_stack([np.arange(n), np.arange(n) % 2]), (n, 2), oracle, 2, allowed=[up, None]
    )
    with pytest.raises(InputError, match="feature 0 has 12,000 cells"):
        Ground.of(problem)


def _stays(n):
    return Immutable("x").allowed(Feature("x", tuple(map(str, range(n)))))
