"""How few moves, at how little cost, could help a row by itself."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings

from engine.problems import parts_of, problem_of
from oneformany.engine.saving.least_changes import (
    NEVER,
    fewest_changes,
    least_costs,
    leaving_costs,
    move_costs,
)
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop
from strategies import small_problems


@settings(max_examples=50, deadline=None)
@given(small=small_problems())
def test_a_row_needs_exactly_as_many_changes_as_its_nearest_positive_point_is_away(small):
    problem = problem_of(small)
    space, _, _ = parts_of(problem)
    points = np.array(list(product(*(range(n) for n in problem.levels))))
    positive = points[problem.oracle.positive(points)]
    expected = []
    for row in problem.rows[space.helpable]:
        may = np.array([problem.may_move(row[None], point).all() for point in positive])
        expected.append(int((positive[may] != row).sum(axis=1).min()))
    assert fewest_changes(space, Stop()).tolist() == expected
    assert not fewest_changes(space, Stop(0)).any()
    changes = np.array(expected, dtype=np.int64)
    assert least_costs(problem, problem.rows[space.helpable], changes).tolist() == expected


def test_moves_that_are_not_allowed_cost_more_than_anything():
    oracle = AdditiveOracle([[0, 1, 2], [0, 1]], threshold=2)
    costs = Costs(([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [[0, 7], [7, 0]]))
    upwards = np.triu(np.ones((3, 3), dtype=bool))
    problem = Problem([[1, 0]], (3, 2), oracle, 2, [upwards, None], costs=costs)
    table = move_costs(problem)
    assert table[0].tolist() == [[0, 2, 5], [NEVER, 0, 1], [NEVER, NEVER, 0]]
    assert leaving_costs(table)[:, :2].tolist() == [[2, 1], [7, 7]]
    assert [int(least_costs(problem, problem.rows, np.array([k]))[0]) for k in (0, 1, 2)] == [0, 1, 8]
