"""Cheap points for groups of rows: positive, within the changes allowed, and none when time is up."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import parts_of, problem_of
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving.points import CheapPoints
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from strategies import small_problems

ROWS = np.array([[0, 0, 0], [0, 1, 0]])


def points_in(stop):
    problem = Problem(ROWS, (2, 2, 2), AdditiveOracle([[0, 1], [0, 0], [0, 1]], threshold=1), 2)
    return CheapPoints(SearchSpace(problem, np.arange(2)), stop)


def test_a_group_goes_to_a_positive_point_that_costs_it_least():
    column = points_in(Stop()).column(np.arange(2))
    assert column.rows.tolist() == [0, 1]
    assert points_in(Stop()).costs(np.arange(2), column.point).sum() == 3


def test_when_time_is_up_the_classifier_is_not_asked():
    assert points_in(Stop(0)).column(np.arange(2)) is None


def test_the_middle_is_where_most_people_are_unless_somebody_may_not_go_there():
    oracle = AdditiveOracle([[0, 1, 1]], threshold=1)
    people = [5, 1]
    free = Problem([[0], [1]], (3,), oracle, 1, people=people)
    assert CheapPoints(SearchSpace(free, np.arange(2)), Stop()).middle(np.arange(2)).tolist() == [0]
    upwards = Problem([[0], [1]], (3,), oracle, 1, [np.triu(np.ones((3, 3)))], people=people)
    assert CheapPoints(SearchSpace(upwards, np.arange(2)), Stop()).middle(np.arange(2)).tolist() == [1]


@settings(max_examples=100, deadline=None)
@given(small=small_problems(), data=st.data())
def test_every_row_may_go_to_the_point_of_its_column_which_is_positive_and_near_enough(small, data):
    problem = problem_of(small)
    space, _, _ = parts_of(problem)
    if not len(space.rows):
        return
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(space.rows) - 1), min_size=1, max_size=3))))
    column = CheapPoints(space, Stop()).column(rows)
    if column is None:
        return
    assert problem.oracle.positive(column.point[None])[0]
    assert set(rows.tolist()) <= set(column.rows.tolist())
    for row in space.rows[column.rows]:
        assert (row != column.point).sum() <= problem.max_changes
        assert (problem.may_move(row[None], column.point)[0] | (row == column.point)).all()
