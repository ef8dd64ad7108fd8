"""Tests of sentences that people act on: reasons told together, ranges in words, and who is left out."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd

import oneformany as ofm
from oneformany.problem.goal import Goal
from oneformany.result.words import rows_by_reason

FEW = "no positive point within 3 changes: score {}, needed 0; {} changes would do"
NONE = "no allowed move reaches the threshold: score {}, at most {} with every feature free, needed 0"


def told(*reasons):
    entries = [SimpleNamespace(row=row, reason=reason) for row, reason in enumerate(reasons)]
    return rows_by_reason(SimpleNamespace(unreachable=entries))


def test_rows_whose_reasons_differ_in_the_score_only_are_told_together():
    found = told(
        FEW.format("-9.5", 4), FEW.format("-8.03386", 4), FEW.format("-1e-05", 5), FEW.format("-10", 4)
    )
    assert found == {
        "no positive point within 3 changes; 4 changes would do": [0, 1, 3],
        FEW.format("-1e-05", 5): [2],
    }
    assert told(NONE.format("-3", "-1.2"), NONE.format("-4", "-0.2")) == {
        "no allowed move reaches the threshold": [0, 1]
    }
    assert told("score 1.2.3 of <b>", "score 1.2.3 of <b>", "score") == {
        "score 1.2.3 of <b>": [0, 1],
        "score": [2],
    }


def solved(**asked):
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    problem = ofm.Problem([[0, 1, 0], [1, 0, 0], [0, 0, 1]], (2, 2, 2), oracle, max_changes=1)
    return ofm.solve(problem, **asked)


def test_a_bound_by_weights_says_how_many_are_not_enough():
    fewest = solved()
    assert (fewest.count, fewest.lower_bound) == (3, 3)
    assert fewest.summary().endswith("times the most that one explanation can cover, so 2 are not enough.")


def test_ranges_are_said_in_words_and_the_users_own_labels_are_left_alone():
    binned = ofm.Feature("age", ("<= 25", "> 25"), ordered=True, edges=(25.0,), unit="years")
    named = ofm.Feature("grade", ("<= B", "> B"))
    schema = ofm.Schema((binned, named, ofm.Feature("home", ("rent", "own"))))
    labels = replace(solved(), schema=schema).labels
    assert [labels.level(0, 0), labels.target(0, 1)] == ["at most 25 years", "more than 25 years"]
    assert [labels.level(1, 0), labels.target(1, 1)] == ["<= B", "> B"]


def test_who_is_left_out_by_a_share_is_not_said_to_be_out_of_reach():
    budgeted = solved(explanations=1)
    assert budgeted.left_out
    assert "These rows can be helped, but not by so few explanations at once." in ofm.report_html(budgeted)
    shared = ofm.report_html(replace(budgeted, goal=Goal(coverage=0.5)))
    assert "but not by so few" not in shared
    assert "the share of the rows that was asked for is covered without them" in shared


def test_thousands_are_told_apart():
    oracle = ofm.AdditiveOracle([[0, 1]], threshold=1)
    result = ofm.solve(ofm.Problem([[0]] * 1200, (2,), oracle, max_changes=1))
    assert "covers all 1,200 rows" in result.summary()
    assert "and 1,188 more" in result.summary()


def test_costs_with_fractions_are_told_as_they_were_given_and_filed_as_integers():
    frame = pd.DataFrame({"job": ["none", "part", "none"], "guarantor": ["no", "no", "yes"]})
    explainer = ofm.OneForMany(
        lambda rows: np.where((rows["job"] == "part") & (rows["guarantor"] == "yes"), 0.9, 0.1),
        share="action",
        costs={"job": 2.5, "guarantor": 0.5},
    )
    result = explainer.explain(frame)
    assert (result.cost, result.cost_bound) == (6.0, 6.0)
    assert "Together they cost 6: proved" in result.summary()
    assert json.loads(result.to_json())["cost"] == result.cost_units == 60
    assert ofm.Result.from_json(result.to_json()).cost == 6.0


def test_where_all_who_can_be_helped_are_covered_the_proof_says_just_that():
    everybody = solved(explanations=3).summary()
    assert "Proof that no more can be covered: all are covered." in everybody
