"""A few rows carry the proof: the same optimum as brute force, and true claims wherever time ends."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import (
    FEW_ROWS,
    READ,
    SHARES,
    assert_confirmed,
    assert_fewest,
    disagreement,
    draw_few,
)
from judgement_goals import is_true_of_goals
from oneformany.engine.few import rounds
from oneformany.engine.options import Options
from oneformany.methods import solve
from oneformany.problem.goal import Goal
from reference_goals import best_answer


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_fewest_for_everybody_are_found_and_proved(seed):
    problem = draw_few(np.random.default_rng(seed))
    result = solve(problem, options=FEW_ROWS)
    assert_confirmed(problem, result)
    assert_fewest(problem, result)
    assert result.count == result.lower_bound


LONG = 1e6  # seconds; what has no limit goes on when looks are used up


def looks_left(looks):
    """Say that time is up after so many looks at a clock that has a limit."""
    left = [looks]

    def expired(stop):
        if stop.time_limit is None:
            return False
        left[0] -= 1
        return left[0] < 0

    return expired


@pytest.mark.parametrize("chunk", range(3))
def test_what_a_result_says_is_true_wherever_time_ends(chunk, monkeypatch):
    monkeypatch.setattr(rounds, "FIRST_LISTED", 1)
    monkeypatch.setattr(rounds, "LISTED_AT_ONCE", 1)
    rng = np.random.default_rng([4, chunk])
    for looks in range(25):
        problem = replace(draw_few(rng, READ, SHARES[looks % 2]), restrictions=())
        with monkeypatch.context() as patched:
            patched.setattr("oneformany.stop.Stop.expired", looks_left(looks))
            result = solve(problem, options=FEW_ROWS, time_limit=LONG)
        assert is_true_of_goals(json.loads(result.to_json()))


def test_switched_off_everything_is_listed_and_the_optimum_is_the_same():
    rng = np.random.default_rng(5)
    for _ in range(20):
        problem = draw_few(rng)
        few, whole = (solve(problem, options=options) for options in (FEW_ROWS, Options(few_rows=False)))
        assert (few.count, few.lower_bound) == (whole.count, whole.lower_bound)
        assert [entry.row for entry in few.unreachable] == [entry.row for entry in whole.unreachable]
        assert "rows listed" in few.statistics.counters
        assert "rows listed" not in whole.statistics.counters


def test_where_everything_is_quickly_listed_it_is():
    problem = draw_few(np.random.default_rng(0))
    assert "rows listed" not in solve(problem).statistics.counters


def test_other_ways_to_share_do_not_come_here():
    problem = draw_few(np.random.default_rng(0))
    other = replace(problem, share="point")
    assert "rows listed" not in solve(other, options=FEW_ROWS).statistics.counters


def check_goal(problem, goal, result):
    """As good as brute force, and true."""
    best = best_answer(problem, goal)
    assert_confirmed(problem, result)
    assert result.undecided == ()
    if goal.explanations is not None:
        assert (result.covered, result.covered_bound) == (best.covered, best.covered)
    else:
        assert (result.count, result.lower_bound) == (best.explanations, best.explanations)
        assert result.covered >= min(goal.needed(result.people), best.covered)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_goals_are_met_as_well_as_brute_force_does(seed):
    rng = np.random.default_rng(seed)
    problem = draw_few(rng)
    goal = Goal(explanations=int(rng.integers(1, 4)))
    if rng.random() < 0.5:
        goal = Goal(coverage=float(rng.choice([0.3, 0.5, 0.8, 1.0])))
    result = solve(problem, options=FEW_ROWS, explanations=goal.explanations, coverage=goal.coverage)
    check_goal(problem, goal, result)


@pytest.mark.parametrize("chunk", range(3))
def test_goals_wherever_time_ends(chunk, monkeypatch):
    monkeypatch.setattr(rounds, "FIRST_OF_SOME", 1)
    monkeypatch.setattr(rounds, "LISTED_AT_ONCE", 1)
    rng = np.random.default_rng([6, chunk])
    for looks in range(25):
        problem = replace(draw_few(rng, READ, SHARES[looks % 2]), restrictions=())
        goal = {"explanations": int(rng.integers(1, 4))} if rng.random() < 0.5 else {"coverage": 0.7}
        with monkeypatch.context() as patched:
            patched.setattr("oneformany.stop.Stop.expired", looks_left(looks))
            result = solve(problem, options=FEW_ROWS, time_limit=LONG, **goal)
        assert is_true_of_goals(json.loads(result.to_json()))


@settings(max_examples=100, deadline=None)
@given(number=st.integers(0, 2**32 - 1))
def test_actions_and_features_people_goals_and_costs_agree_with_brute_force(number):
    assert disagreement(7, number) == ""
