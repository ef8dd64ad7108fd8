"""Every row under one column, at a point as near to its rows as the classifier allows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from engine.problems import problem_of
from engine.run_of import run_of
from oneformany.engine.polish import assign, simplest_point
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from strategies import small_problems


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_row_goes_to_a_column_that_changes_fewest_of_its_features(small):
    problem = problem_of(small)
    run = run_of(problem)
    helpable, cover = run.space.helpable, run.best
    groups = assign(problem, helpable, cover) if cover else []
    assert sorted(row for rows in groups for row in rows.tolist()) == helpable.tolist()
    for column, rows in zip(cover, groups, strict=True):
        for row in rows.tolist():
            index = int(np.flatnonzero(helpable == row)[0])
            fewest = min(
                int((problem.rows[row] != other.point).sum()) for other in cover if index in other.rows
            )
            assert index in column.rows
            assert int((problem.rows[row] != column.point).sum()) == fewest


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_a_simpler_point_is_positive_and_nobody_has_more_to_change(small):
    problem = problem_of(small)
    run = run_of(problem)
    for column, rows in zip(run.best, assign(problem, run.space.helpable, run.best), strict=True):
        if len(rows):
            point = simplest_point(problem, column.point, rows)
            before, after = ((problem.rows[rows] != goal).sum() for goal in (column.point, point))
            assert problem.oracle.positive(point[None])[0]
            assert problem.may_move(problem.rows[rows], point).all()
            assert after <= before


def test_a_change_that_is_not_needed_is_taken_back():
    oracle = AdditiveOracle([[0, 2], [0, 1]], threshold=2)
    problem = Problem([[0, 0]], (2, 2), oracle, 2)
    assert simplest_point(problem, np.array([1, 1]), np.array([0])).tolist() == [1, 0]
