"""Who can join a column, and where a row ends that follows it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import problem_of
from oneformany.problem.own import OwnValues
from oneformany.problem.sharing import joins
from strategies import small_problems


@settings(max_examples=150, deadline=None)
@given(small=small_problems(), data=st.data())
def test_rows_join_a_point_exactly_when_each_of_their_moves_is_in_it_and_allowed(small, data):
    problem = problem_of(small)
    point = np.array([data.draw(st.integers(0, n - 1)) for n in problem.levels])
    changed = np.array([data.draw(st.booleans()) for _ in problem.levels])
    rows = np.arange(len(problem.rows))
    expected = []
    for row, codes in enumerate(problem.rows):
        moves = [f for f in range(problem.n_features) if codes[f] != point[f]]
        allowed = all(problem.moves[f] is None or problem.moves[f][codes[f], point[f]] for f in moves)
        if allowed and all(changed[f] for f in moves):
            expected.append(row)
    joined = joins(problem, changed, point, rows)
    assert joined.tolist() == expected


def test_a_row_in_the_target_cell_keeps_its_own_value():
    own = OwnValues(
        np.array([[0, 0], [1, 0], [2, 0]]),
        (np.array([0, 0, 1]), np.array([0, 1])),
        (np.array([1, 2]), np.array([0, 1])),
    )
    ends = own.follow(own.values, np.array([0, 1]), np.ones(2, dtype=np.bool_))
    assert ends.tolist() == [[0, 1], [1, 1], [1, 1]]
