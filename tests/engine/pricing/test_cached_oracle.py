"""The classifier is asked as rarely as possible, and never the same thing twice."""

from __future__ import annotations

import numpy as np

from engine.problems import Veiled, random_additive
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import SearchSpace
from oneformany.problem import Problem
from oneformany.statistics import Statistics


def cached(max_changes=4):
    additive = random_additive(np.random.default_rng(0), max_changes=max_changes)
    problem = Problem(additive.codes, additive.levels, Veiled(additive.oracle), max_changes)
    return CachedOracle(SearchSpace(problem, np.arange(len(problem.rows))), Statistics())


def test_the_same_question_is_asked_once():
    oracle = cached()
    nothing = np.full(8, -1)
    first, again = oracle.ask(0, nothing), oracle.ask(0, nothing)
    assert first is again
    assert oracle.statistics.counters == {"questions answered by a point": 1}


def test_a_known_point_answers_another_question():
    oracle = cached()
    nothing = np.full(8, -1)
    one_free = np.array([0, *[-1] * 7])
    oracle.ask(0, nothing)
    point = oracle.ask(0, one_free).point
    assert point is not None
    assert sum(oracle.statistics.counters.values()) == 2


def test_a_column_holds_its_row_and_a_positive_point():
    oracle = cached()
    for row in range(5):
        column = oracle.column(row, np.full(8, -1))
        assert row in column.rows
        assert oracle.space.problem.oracle.positive(column.point[None])[0]
