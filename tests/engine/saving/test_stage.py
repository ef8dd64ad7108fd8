"""Least cost without a listing: never below what is proved, and proved never above brute force."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.problem.goal import Goal
from oneformany.verify import Outcome, verify
from reference_goals import best_answer

HELPED = 1
SEARCH = ofm.Options(way="search", least_cost=True)


def drawn(seed, kind, **wanted):
    return draw_problem(np.random.default_rng(seed), kind, "point", own=False, restricted=False, **wanted)


@pytest.mark.parametrize("costed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_cost_and_bound_lie_around_brute_force_and_a_stranger_agrees(kind, costed, seed):
    problem = drawn(seed, kind, costed=costed)
    result = ofm.solve(problem, options=SEARCH)
    best = best_answer(problem, Goal())
    assert result.covered == best.covered
    assert result.count == best.explanations
    if not best.covered:
        return
    assert result.cost_bound <= best.cost <= result.cost
    assert (result.ended == "proved") == (result.cost_bound == result.cost)
    report = verify(json.loads(result.to_json()))
    assert report.ok or (kind != "additive" and report.outcome is Outcome.UNCONFIRMED), report


def test_most_small_problems_are_proved():
    proved, best = 0, 0
    for seed in range(60):
        problem = drawn(seed, "additive")
        result = ofm.solve(problem, options=SEARCH)
        proved += result.ended == "proved"
        best += result.cost == best_answer(problem, Goal()).cost
    assert proved >= 30
    assert best >= 57


def test_both_ways_find_the_same_cost_and_the_listing_is_never_below_the_bound():
    for seed in range(40):
        problem = drawn(seed, "trees")
        listed = ofm.solve(problem, options=ofm.Options(way="listing", least_cost=True))
        searched = ofm.solve(problem, options=SEARCH)
        if searched.covered:
            assert searched.cost_bound <= listed.cost <= searched.cost


def test_the_stage_runs_only_where_it_is_asked_for():
    problem = drawn(HELPED, "additive", costed=False)
    plain = ofm.solve(problem, options=ofm.Options(way="search"))
    assert plain.cost_bound is None
    assert "least cost" not in plain.statistics.timings
    asked = ofm.solve(problem, options=SEARCH)
    assert asked.cost <= plain.cost
    assert "least cost" in asked.statistics.timings
    costed = drawn(HELPED, "additive", costed=True)
    assert ofm.solve(costed, options=ofm.Options(way="search")).cost_bound is not None
    left = ofm.solve(costed, options=ofm.Options(way="search", least_cost=False))
    assert left.cost_bound is None


def test_without_time_nothing_is_claimed():
    problem = drawn(HELPED, "additive", costed=True)
    result = ofm.solve(problem, time_limit=0, options=SEARCH)
    assert result.cost_bound is None
    assert result.ended == "time limit"


def test_equal_rows_and_people_count():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 0]], threshold=1)
    codes = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1]])
    problem = ofm.Problem(codes, (2, 2, 2), oracle, 2, people=[5, 2, 1])
    result = ofm.solve(problem, options=SEARCH)
    assert (result.count, result.cost) == (1, 9)
    assert result.cost_bound == 9
    assert verify(json.loads(result.to_json())).ok
