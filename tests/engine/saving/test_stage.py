"""Least cost without a listing: never below what is proved, and proved never above brute force."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.engine.saving import stage
from oneformany.engine.saving.stage import NARROWEST, WIDEST, GroupPrices
from oneformany.problem.goal import Goal
from oneformany.stop import Stop
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


def test_a_stage_that_finds_nothing_costs_no_more_than_leaving_it_out(monkeypatch):
    monkeypatch.setattr(stage._Stage, "generate", lambda _: None)
    monkeypatch.setattr(stage._Stage, "improve", lambda _: None)
    for seed in range(60):
        problem = drawn(seed, "additive", costed=False)
        left = ofm.solve(problem, options=ofm.Options(way="search", least_cost=False))
        assert ofm.solve(problem, options=SEARCH).cost <= left.cost


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
    assert 8 <= result.cost_bound <= 9  # everybody changes something
    assert verify(json.loads(result.to_json())).ok


@st.composite
def markets(draw):
    """People, groups with costs (each row has one of its own), and how many groups may be used."""
    n = draw(st.integers(1, 5))
    people = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    sets = [{row} for row in range(n)] + draw(
        st.lists(st.sets(st.integers(0, n - 1), min_size=1), max_size=4)
    )
    groups = [(np.array(sorted(rows)), draw(st.integers(0, 6))) for rows in sets]
    return people, groups, draw(st.integers(1, n))


def priced(people, groups, count, center):
    prices = GroupPrices(people, count, center)
    for rows, cost in groups:
        prices.add(rows, cost)
    return prices


@settings(max_examples=80, deadline=None)
@given(market=markets(), center=st.floats(0, 3))
def test_prices_are_the_best_of_the_box_and_no_group_saves_more_than_is_said(market, center):
    people, groups, count = market
    n = len(people)
    prices = priced(people, groups, count, np.full(n, center))
    each, saving, value = prices.solve(Stop())
    rows = np.array([[*np.isin(np.arange(n), rows), -1.0] for rows, _ in groups])
    costs = np.array([cost for _, cost in groups])
    box = [(max(0.0, center - 1.0) * m, (center + 1.0) * m) for m in people]
    best = linprog(np.append(-np.ones(n), count), rows, costs, bounds=[*box, (0, None)])
    np.testing.assert_allclose(value, -best.fun, atol=1e-6)
    np.testing.assert_allclose((each * people).sum() - count * saving, value, atol=1e-6)
    assert (rows @ np.append(each * people, saving) <= costs + 1e-6).all()
    assert (np.abs(each - center) <= 1.0 + 1e-6).all()


def test_two_rows_that_cost_one_each_and_three_together_cost_three_in_one_group():
    groups = [(np.array([0]), 1), (np.array([1]), 1), (np.array([0, 1]), 3)]
    for count, least in ((1, 3.0), (2, 2.0)):
        _, _, value = priced(np.array([1, 1]), groups, count, np.full(2, 1.5)).solve(Stop())
        np.testing.assert_allclose(value, least)


def test_a_group_is_added_once_for_each_of_its_costs():
    prices = GroupPrices(np.array([1, 1]), 1, np.ones(2))
    assert prices.add(np.array([0, 1]), 3)
    assert not prices.add(np.array([0, 1]), 3)
    assert prices.add(np.array([0, 1]), 2)


def test_the_box_grows_with_success_shrinks_without_and_keeps_its_limits():
    prices = GroupPrices(np.array([1, 1]), 1, np.ones(2))
    assert prices.at_side(np.array([1.0, 2.0]))
    assert not prices.at_side(np.array([0.0, 1.5]))  # no price is below 0 anyway
    prices.center = np.full(2, 2.0)
    assert prices.at_side(np.array([2.0, 1.0]))
    prices.resize(0.6)
    assert prices.width == 0.6
    for _ in range(20):
        prices.resize(0.6)
    assert prices.width == NARROWEST
    for _ in range(20):
        prices.resize(1.5)
    assert prices.width == WIDEST
    assert not prices.at_side(np.array([2.0, 99.0]))  # the box is as wide as it gets


def test_prices_are_not_asked_for_beyond_the_time():
    prices = GroupPrices(np.array([1, 1]), 1, np.ones(2))
    prices.add(np.array([0, 1]), 1)
    assert prices.solve(Stop(0)) is None
    assert prices.solve(Stop()) is not None
