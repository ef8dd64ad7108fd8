"""Tests that a run keeps the best cover and tells its rounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.problems import parts_of, problem_of, random_additive
from engine.run_of import run_of, searched
from oneformany.engine.context import Context
from oneformany.engine.pool import Generated
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop
from strategies import small_problems


def test_only_a_smaller_cover_is_taken():
    run = run_of(random_additive(np.random.default_rng(0)))
    best = list(run.best)
    run.offer(run.pool.columns)
    assert run.count <= len(best)
    everybody = replace(best[0], rows=np.arange(len(run.space.rows)))
    run.offer([everybody])
    assert run.best == [everybody]


def test_columns_that_a_cover_does_not_need_are_no_explanations():
    run = run_of(random_additive(np.random.default_rng(0)))
    everybody = replace(run.best[0], rows=np.arange(len(run.space.rows)))
    run.offer([run.pool.columns[0], everybody, run.pool.columns[1]])
    assert run.best == [everybody]
    source = searched(run)
    (group,) = source.groups(
        source.table, np.arange(1), np.zeros(len(run.space.problem.rows), dtype=np.int64)
    )
    assert len(group.rows) == len(run.space.rows)


def test_rounds_are_numbered_kept_and_told():
    told = []
    run = run_of(random_additive(np.random.default_rng(0)), progress=told.append)
    run.report("columns", 3.5, 12)
    run.report("columns", 3.0, 13)
    assert told == run.statistics.rounds
    assert [(told_round.number, told_round.columns) for told_round in told] == [(1, 12), (2, 13)]


def test_time_of_a_phase_is_added_also_when_it_fails():
    run = run_of(random_additive(np.random.default_rng(0)))
    with pytest.raises(RuntimeError), run.statistics.timed("phase"):
        raise RuntimeError
    assert run.statistics.timings["phase"] >= 0


def test_what_was_proved_stays_proved_where_a_phase_begins_anew():
    statistics = Statistics()
    for measure, bounds in {"explanations": (93, 1, 94), "people": (40, 60, 30), "cost": (5, 2, 6)}.items():
        for bound in bounds:
            statistics.record(Round("start", 1, 10, 95.0, bound, 95, 0.1, measure))
    assert [step.bound for step in statistics.rounds] == [93, 93, 94, 40, 40, 30, 5, 5, 6]


def started(problem, stop):
    """A run with its first columns."""
    space, items, oracle = parts_of(problem)
    run = Generated(Context(problem, stop=stop), space, oracle)
    points = [problem.oracle.reach(problem.question(int(row))).point for row in space.helpable]
    return run, items, run.first_columns(points)


@pytest.mark.parametrize("seconds", [None, 0])
@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_row_has_a_column_that_may_hold_it(seconds, small):
    problem = problem_of(small)
    run, items, columns = started(problem, Stop(seconds))
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
    run, _, columns = started(problem, Stop())
    assert len(columns) == len(run.space.rows)
    assert len(started(problem, Stop(0))[2]) <= len(columns)
