"""Cheap points for groups of rows: positive, within the changes allowed, and none when time is up."""

from __future__ import annotations

import numpy as np

from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving.points import CheapPoints
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop

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
