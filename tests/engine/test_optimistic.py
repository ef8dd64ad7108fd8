"""A bound as if every group of rows had a point that the classifier accepts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import problem_of
from oneformany.engine.optimistic import optimistic_weights
from oneformany.methods import solve
from oneformany.stop import Stop
from strategies import random_problem, small_problems


@settings(max_examples=40, deadline=None)
@given(small=small_problems(), data=st.data())
def test_no_group_that_cells_and_moves_permit_weighs_more_and_no_answer_takes_fewer(small, data):
    problem = problem_of(small)
    result = solve(problem)
    covered = np.asarray(result.assignment) >= 0
    reachable = np.zeros(len(problem.rows), dtype=np.bool_)
    reachable[problem.row_of[covered]] = True
    if not reachable.any():
        return
    weights, capacity = optimistic_weights(problem, reachable, Stop())
    assert not weights[~reachable].any()
    assert -(-int(weights.sum()) // capacity) <= result.count
    point = np.array([data.draw(st.integers(0, n - 1)) for n in problem.levels])
    order = data.draw(st.permutations(range(problem.n_features)))
    kept = np.array(order[problem.max_changes :], dtype=np.int64)
    inside = (problem.rows[:, kept] == point[kept]).all(axis=1) & problem.may_move(problem.rows, point).all(1)
    assert weights[inside].sum() <= capacity


def test_without_time_no_more_than_one_explanation_is_proved():
    problem = problem_of(random_problem(np.random.default_rng(0)))
    found = optimistic_weights(problem, np.ones(len(problem.rows), dtype=np.bool_), Stop(0))
    assert found is None or -(-int(found[0].sum()) // found[1]) <= 1
