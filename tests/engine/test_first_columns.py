"""The first columns cover every row that can be helped, however short the time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.problems import parts_of, problem_of, random_additive
from oneformany.engine.first_columns import first_columns
from oneformany.engine.run import Options, Run
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from strategies import small_problems


def start(problem, stop):
    space, items, oracle = parts_of(problem)
    points = [problem.oracle.reach(problem.question(int(row))).point for row in space.helpable]
    run = Run(space, oracle, stop, Statistics(), Options())
    return run, items, first_columns(run, points)


@pytest.mark.parametrize("seconds", [None, 0])
@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_row_has_a_column_that_may_hold_it(seconds, small):
    problem = problem_of(small)
    run, items, columns = start(problem, Stop(seconds))
    assume(len(items))
    covered = set()
    for column in columns:
        rows = run.space.rows[column.rows]
        assert problem.oracle.positive(column.point[None])[0]
        assert column.changed.sum() <= problem.max_changes
        assert ((rows == column.point) | column.changed).all()
        assert problem.may_move(rows, column.point).all()
        covered |= set(column.rows.tolist())
    assert covered == set(range(len(run.space.rows)))


def test_with_time_there_is_a_column_around_every_row():
    problem = random_additive(np.random.default_rng(1))
    run, _, columns = start(problem, Stop())
    assert len(columns) == len(run.space.rows)
    assert len(start(problem, Stop(0))[2]) <= len(columns)
