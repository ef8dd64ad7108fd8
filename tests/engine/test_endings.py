"""Tests that a result says truthfully why its run ended, and proves what needs no search."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import draw_problem
from oneformany.problem import Costs
from oneformany.problem.goal import Goal
from oneformany.stop import Stop
from oneformany.verify import verify
from reference_goals import best_answer

PARTLY = ofm.Options(way="listing", most_work=1.0, lazy=False)


def single_changes():
    """Rows of which each needs one change, with combinations that are called too many to be listed."""
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1], [0, 1]], threshold=2)
    rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    return ofm.Problem(rows, (2, 2, 2, 2), oracle, max_changes=2, share="features")


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_where_each_row_changes_one_feature_no_search_is_needed_to_prove_the_cost():
    result = ofm.solve(single_changes(), options=PARTLY)
    assert result.cost == result.cost_bound == 4
    assert result.cost_gap == 0.0
    assert "proved to be the least" in result.summary()
    assert "not proved" not in result.summary()
    assert verify(result).ok, verify(result)


def test_a_cost_that_no_row_can_go_below_is_refused_when_it_is_raised():
    problem = single_changes()
    dear = replace(problem, costs=Costs([[[0, 2], [2, 0]]] * 4))
    result = ofm.solve(dear, options=PARTLY)
    assert result.cost == result.cost_bound == 8
    unused = int(np.flatnonzero(~result.changes.any(axis=0))[0])
    tables = [[[0, 2 - (feature == unused)], [2, 0]] for feature in range(4)]
    cheaper = ofm.solve(replace(problem, costs=Costs(tables)), options=PARTLY)
    claims = replace(result, problem={**result.problem, "costs": cheaper.problem["costs"]})
    checks = {check.name: check for check in verify(claims).checks}
    assert checks["cost is what the changes cost"].outcome == "confirmed"
    assert checks["cost bound holds"].outcome == "wrong"


@pytest.mark.parametrize("share", ["point", "action", "features"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_single_moves_cost_is_a_bound_that_a_stranger_confirms(share, data):
    seed = data.draw(st.integers(0, 10**6))
    problem = draw_problem(np.random.default_rng(seed), "additive", share, costed=data.draw(st.booleans()))
    problem = replace(problem, restrictions=())  # of which a stranger knows nothing
    goal = data.draw(st.sampled_from([Goal(), Goal(explanations=2), Goal(coverage=0.6)]))
    asked = {"explanations": goal.explanations, "coverage": goal.coverage}
    options = ofm.Options(way="listing", most_work=1.0, lazy=False, least_cost=True)
    result = ofm.solve(problem, **asked, options=options)
    best = best_answer(problem, goal)
    if not result.covered:
        return
    assert result.cost_bound <= best.cost
    assert 0 <= result.cost_gap <= 1
    confirmed = {check.name: check.outcome for check in verify(result).checks}
    assert confirmed["cost bound holds"] == "confirmed"


def test_limits_are_called_by_their_names():
    problem = draw_problem(np.random.default_rng(10), "additive", "action")
    for options, limit, words in (
        (ofm.Options(memory=1), "memory", "A limit on the memory of a listing ended the search"),
        (
            ofm.Options(most_work=1.0, few_rows=False),
            "size",
            "A limit on the size of a listing ended the search",
        ),
    ):
        result = ofm.solve(problem, options=options)
        assert (result.ended, result.statistics.limits) == ("limit", [limit])
        assert words.removeprefix("A ") in result.summary()


def test_a_share_of_the_time_that_was_used_up_is_the_time_limit():
    clock = Clock()
    stop = Stop(10, clock=clock)
    part = stop.part(8)
    clock.now = 9
    assert not stop.cut_by_time
    assert part.expired()
    assert not stop.expired()
    assert stop.cut_by_time


def test_another_limit_comes_before_a_share_of_the_time_but_not_before_all_of_it():
    clock = Clock()
    stop = Stop(10, clock=clock)
    part = stop.part(8)
    part.met("memory")
    part.met("memory")
    clock.now = 9
    assert part.expired()
    assert (stop.limits, stop.cut_by_time) == (["memory"], False)
    clock.now = 10
    assert stop.cut_by_time


def test_without_a_time_limit_time_ends_nothing():
    clock = Clock()
    stop = Stop(clock=clock)
    part = stop.part(1)
    clock.now = 2
    assert part.expired()
    assert not stop.cut_by_time
