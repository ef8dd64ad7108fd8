"""What rows gain and pay, against the score and the costs themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from engine.problems import Veiled, oracle_of, problem_of
from oneformany.engine.listing.ground import FORBIDDEN, Ground
from oneformany.engine.screening import screen
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
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
        price = ground.price[ground.begin[row] + goal]
        allowed = problem.may_move(cells[None], goal)[0]
        assert ((gain == FORBIDDEN) == ~allowed).all()
        assert price.tolist() == (goal != cells).astype(int).tolist()
        if allowed.all():
            enough = gain.sum() >= ground.deficit[row]
            assert enough == problem.oracle.positive(goal[None])[0]


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_rows_without_hope_are_those_that_screening_proves_to_be(small):
    problem = problem_of(small)
    hopeless = Ground.of(problem).hopeless()
    assert set(np.flatnonzero(hopeless).tolist()) == set(screen(problem, Statistics()).reasons)
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


def test_tables_do_not_grow_with_rows_times_cells():
    rng = np.random.default_rng(0)
    oracle = AdditiveOracle([rng.integers(5, size=50) for _ in range(4)], threshold=8)
    sizes = [Ground.of(Problem(rng.integers(50, size=(n, 4)), (50,) * 4, oracle, 2)) for n in (5_000, 10_000)]
    assert sizes[0].units.size == sizes[1].units.size == sizes[1].price.size == 4 * 50 * 50
    assert len(sizes[1].rows) > 9_000
