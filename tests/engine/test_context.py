"""Tests that a context is not changed, that rounds are reported in one form, and when least cost is asked."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from engine.problems import refused_rows
from oneformany.engine.context import Context
from oneformany.engine.options import Options
from oneformany.problem.costs import Costs
from oneformany.problem.goal import Goal
from oneformany.stop import Stop


def test_nothing_of_a_context_changes():
    run = Context(refused_rows())
    with pytest.raises(FrozenInstanceError):
        run.seed = 1


def test_rounds_are_numbered_and_timed_by_the_whole_run():
    now, told = [0.0], []
    run = Context(refused_rows(), stop=Stop(10, clock=lambda: now[0]), progress=told.append)
    run.report("start", 4, 2.5, (5, 1))
    now[0] = 3.0
    replace(run, stop=run.stop.part(2)).report("repair", 4, 2.5, (40, 60), "people")
    assert told == run.statistics.rounds
    assert [(step.number, step.phase, step.seconds, step.measure) for step in told] == [
        (1, "start", 0.0, "explanations"),
        (2, "repair", 3.0, "people"),
    ]
    assert [(step.count, step.bound) for step in told] == [(5, 1), (40, 60)]


def test_a_search_over_a_table_counts_into_the_statistics():
    run, told = Context(refused_rows(), seed=7), []
    with run.searching("cover", lambda *state: told.append(state)) as search:
        search.counters["nodes"] += 3
        search.progress("start", 2, 1)
    assert search.seed == 7
    assert run.statistics.counters["nodes"] == 3
    assert run.statistics.timings["cover"] >= 0
    assert told == [("start", 2, 1)]


def test_least_cost_is_asked_for_by_costs_goals_and_sharing_or_by_the_user():
    problem = refused_rows()
    costs = Costs(tuple(np.ones((n, n), dtype=np.int64) - np.eye(n, dtype=np.int64) for n in problem.levels))
    assert not Context(problem).cheaply
    assert Context(problem, Goal(explanations=2)).cheaply
    assert Context(replace(problem, costs=costs)).cheaply
    assert Context(replace(problem, share="action")).cheaply
    assert not Context(problem, Goal(explanations=2), options=Options(least_cost=False)).cheaply
    assert Context(problem, options=Options(least_cost=True)).cheaply
