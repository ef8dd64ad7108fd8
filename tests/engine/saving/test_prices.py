"""Prices of rows from groups: what parts of groups cost, within a box, and none when time is up."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from oneformany.engine.saving.prices import NARROWEST, WIDEST, GroupPrices
from oneformany.stop import Stop


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
