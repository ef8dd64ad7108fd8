"""Nobody pays much more than alone: engine, bounds and files against brute force, everything else on top."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import oneformany as ofm
from judgement_goals import is_true_of_goals
from oneformany.engine import solve
from oneformany.exceptions import InputError
from oneformany.oracles import BlackBoxOracle
from oneformany.problem import Costs
from oneformany.problem.slack import Slack
from oneformany.studies import frontier
from oneformany.verify import Outcome, verify
from test_goals import solved
from verify.asked import SHARES
from verify.limited import disagreement, drawn, judged


@pytest.mark.parametrize("part", range(2))
def test_answers_and_bounds_under_a_slack_are_those_of_brute_force_and_verify_confirms(part):
    narrower = 0
    for number in range(72 * part, 72 * (part + 1)):
        assert not disagreement(0, number), number
        problem, wanted = drawn(0, number)
        tight, free = solved(problem, wanted), solved(replace(problem, slack=None, restrictions=()), wanted)
        narrower += (tight.count, tight.cost, tight.covered) != (free.count, free.cost, free.covered)
    assert narrower


def test_altered_files_are_believed_only_where_they_are_true():
    found, believed = judged(np.random.default_rng(0), 400)
    assert believed == []
    assert found.total() == 400
    assert found["wrong"] > 80, found
    assert found["confirmed"] > 20, found


# The first row needs one change, the second one both of them; two of the same advice help both.
ORACLE = ofm.AdditiveOracle([[0, 2], [0, 1], [0, 1]], threshold=3)
ROWS = [[0, 0, 1], [0, 0, 0]]


def asked(slack, **more):
    never = [None, None, [[1, 0], [0, 1]]]
    return ofm.Problem(ROWS, (2, 2, 2), ORACLE, 2, never, "action", slack=slack, **more)


@pytest.mark.parametrize(
    ("slack", "count", "changes"),
    [
        (None, 1, [2, 2]),
        (1, 1, [2, 2]),
        (0, 2, [1, 2]),
        ("1.5 times", 2, [1, 2]),
        (Slack(times=2), 1, [2, 2]),
    ],
)
def test_rows_pay_at_most_so_much_more_than_alone(slack, count, changes):
    result = ofm.solve(asked(slack))
    assert (result.status, result.count) == ("optimal", count)
    assert result.changes.sum(axis=1).tolist() == changes
    if slack is not None:
        assert [len(way) for way in result.problem["slack"]["alone"]] == [1, 2]


def test_a_slack_is_in_units_of_the_costs_and_means_its_digits():
    costs = Costs([[[0, 3], [3, 0]]] * 3, scale=10)  # 0.3 for each change
    assert [ofm.solve(asked(slack, costs=costs)).count for slack in (0.3, 0.29)] == [1, 2]
    assert Slack(times=1.1).most(np.array([10, 30])).tolist() == [11, 33]


def test_rows_whose_least_cost_is_not_proved_are_undecided():
    chances = np.linspace(0, 1, 8).reshape(2, 2, 2)
    oracle = BlackBoxOracle(lambda codes: chances[tuple(np.asarray(codes).T)], (2, 2, 2), 0.99, max_calls=1)
    result = ofm.solve(ofm.Problem([[0, 0, 0], [1, 1, 0]], (2, 2, 2), oracle, 3, slack=0))
    assert result.undecided
    assert result.status == "feasible"
    assert not result.unreachable


@pytest.mark.parametrize("wanted", [{}, {"explanations": 1}, {"coverage": 0.5}])
@pytest.mark.parametrize("share", SHARES)
def test_where_a_row_stays_open_bounds_hold_whatever_it_needs(monkeypatch, share, wanted):
    found = solve.with_ways_alone

    def without_one(problem, *given):
        told = found(problem, *given)
        known = told.alone.known.copy()
        known[0] = False
        return replace(told, alone=replace(told.alone, known=known))

    monkeypatch.setattr(solve, "with_ways_alone", without_one)
    opened = 0
    for number in range(12):
        problem = replace(drawn(0, number)[0], share=share, restrictions=(), people=None, slack=1)
        result = ofm.solve(problem, options=ofm.Options(least_cost=True), **wanted)
        first = problem.row_of == 0
        open_rows = set(np.flatnonzero(first & ~np.isin(np.arange(len(first)), beyond(result))).tolist())
        opened += len(open_rows)
        assert open_rows <= set(result.undecided)
        report = verify(result.to_json())
        assert report.outcome is not Outcome.WRONG, report
        assert is_true_of_goals(json.loads(result.to_json())), number
    assert opened


def beyond(result):
    return [entry.row for entry in result.unreachable]


@pytest.mark.parametrize("wrong", [-1, "much", float("nan"), True])
def test_a_slack_is_a_number_of_at_least_0(wrong):
    with pytest.raises(InputError, match="slack"):
        asked(wrong)


def test_times_of_a_slack_are_at_least_1():
    with pytest.raises(InputError, match=r"times= of a slack is 0\.5; it must be a number from 1 on"):
        Slack(times=0.5)


def test_curves_keep_the_slack():
    curve = frontier(asked(0), explanations=2)
    assert [result.covered for result in curve.results] == [1, 2]
    assert all(result.verify().ok for result in curve.results)


@pytest.mark.parametrize("method", ["mip", "cg-mip"])
def test_the_methods_of_the_paper_refuse_a_slack(method):
    problem = ofm.Problem(ROWS, (2, 2, 2), ORACLE, 2, slack=0)
    with pytest.raises(InputError, match="slack"):
        ofm.solve(problem, method=method)
