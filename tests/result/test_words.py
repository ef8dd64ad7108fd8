"""Tests of sentences that people act on: reasons told together, ranges in words, and who is left out."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import oneformany as ofm
from oneformany.problem.goal import Goal
from oneformany.report import report_html
from oneformany.result.beyond import rows_by_reason
from oneformany.result.proof import Weights
from oneformany.result.words import apart_words

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
    few, share = "Can be helped, but not by so few explanations at once", "is covered without them"
    assert few in report_html(budgeted)
    shared = report_html(replace(budgeted, goal=Goal(coverage=0.3)))
    assert few not in shared
    assert share in shared
    both = report_html(replace(budgeted, goal=Goal(1, 0.3)))
    assert few in both
    assert share not in both
    for goal in (Goal(coverage=0.9), Goal(1)):
        cut = replace(budgeted, status="feasible", ended="time limit", goal=goal, covered_bound=2)
        told = report_html(cut)
        assert few not in told
        assert share not in told
        assert "the time limit ended the search before it was known whether they are to be left out" in told


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
    assert "All changes together cost 6: proved" in result.summary()
    assert json.loads(result.to_json())["cost"] == result.cost_units == 60
    assert ofm.Result.from_json(result.to_json()).cost == 6.0


def test_where_all_who_can_be_helped_are_covered_the_proof_says_just_that():
    everybody = solved(explanations=3).summary()
    assert "Proof that no more can be covered: all are covered." in everybody


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"coverage": 0.3},
            "fewest for that share. A share of 0.3 (1 of 3 rows) was asked for; it is reached",
        ),
        ({"coverage": 1.0}, "(3 of 3 rows) was asked for; it is reached"),
        (
            {"explanations": 1, "coverage": 0.9},
            "but the number of explanations comes first; it is more than 1 explanation can cover: proved.",
        ),
        ({"explanations": 1, "coverage": 0.3}, "the number of explanations comes first; it is reached."),
    ],
)
def test_whether_a_share_is_reached_is_said_and_what_comes_first(asked, says):
    result = solved(**asked)
    again = ofm.Result.from_json(result.to_json())
    for words in (result.summary(), again.summary(), result._repr_html_(), report_html(again)):
        assert says in words


def test_a_share_beyond_those_who_can_be_helped_is_not_said_to_be_covered():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    problem = ofm.Problem([[0, 1, 0], [1, 0, 0], [0, 0, 0]], (2, 2, 2), oracle, max_changes=1)
    result = ofm.solve(problem, coverage=0.9)
    assert "proved to be the fewest for all who can be helped. A share of 0.9" in result.summary()
    assert "it is more than can be helped: proved" in result.summary()
    assert f"Proof that at least {result.count} explanations must be used for 2 rows" in result.summary()
    cut = replace(result, status="feasible", undecided=(2,), unreachable=(), covered_bound=3, ended="limit")
    for words in (cut.summary(), cut._repr_html_()):
        assert "the fewest" not in words
        assert "it is not reached" in words


def test_a_goal_without_a_proof_does_not_say_that_nobody_can_be_helped():
    cut = replace(solved(explanations=1), lower_bound=0, covered_bound=3, proof=None, ended="limit")
    assert "not known whether any row" not in cut.summary()
    assert "Proof: none; 3 is the number of all who are not proved to be beyond help." in cut.summary()
    told = "Result(optimal: 1 explanation covers 1 of 3 rows, no more than 3 can be covered, gap 66.7%)"
    assert repr(cut) == told


def test_why_so_many_names_only_what_can_be_done():
    assert "fewer rules" not in apart_words(solved())
    assert apart_words(solved(explanations=3)) == ""
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=2)
    rises = np.array([[1, 1], [0, 1]], dtype=bool)
    problem = ofm.Problem([[0, 1], [1, 0]], (2, 2), oracle, max_changes=2, allowed=[rises, rises])
    said = apart_words(replace(ofm.solve(problem), count=2))
    assert "max_changes=" not in said
    assert "same change of at most 2 features. What to do: fewer rules or rows" in said


def test_sums_in_proofs_fit_what_they_prove():
    fewest = replace(solved(), proof=Weights((0,), (40_001,), 10_000, 40_001))
    assert "all together 4.001 times" in fewest.summary()
    most = replace(solved(explanations=1), covered_bound=2, proof=Weights((0, 1, 2), (3, 3, 2), 5, 3))
    sums = "2.667 together, and no explanation covers more than 1.667 of it. 1 explanation covers at most "
    assert sums + "1.667 of it, so that at least 1 of 3 rows are left out." in most.summary()


def test_the_sum_of_a_share_is_told_and_a_single_explanation_needs_no_proof():
    shared = replace(solved(coverage=0.9), lower_bound=2, proof=Weights((0, 1, 2), (3, 3, 2), 5, 3))
    assert "must be used for 3 rows: rows carry weights of at most 1 each" in shared.summary()
    assert (
        "With 0 rows left out, 2.667 of it has to be covered, which takes 1.600 explanations."
        in shared.summary()
    )
    for asked in ({"coverage": 0.3}, {}):
        alone = replace(solved(**asked), lower_bound=1)
        assert "Proof: none is needed, as no row is covered without an explanation." in alone.summary()


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_no_sentence_speaks_of_rows_where_rows_stand_for_people_but_those_that_name_rows(share):
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    rows, people = [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]], [4, 2, 3, 5]
    problem = ofm.Problem(rows, (2, 2, 2), oracle, 1, share=share, people=people)
    for asked in ({}, {"explanations": 1}, {"coverage": 0.3}, {"time_limit": 0.0}):
        result = ofm.solve(problem, **asked)
        told = re.sub(r"\brows? \d+(, \d+)*", "", result.summary())  # names of rows
        told = re.sub("the rows carry weights|Why so many.*", "", told)  # and what is true of rows as such
        assert "people" in told
        assert not re.search(r"\b[Rr]ows?\b", told), told


def test_a_model_that_was_not_read_in_time_is_not_said_to_be_unreadable():
    result = solved()
    asked = replace(result, problem={**result.problem, "model": {"unread": "time was up\x1b[31m"}})
    assert "was asked as a black box, because: time was up\\x1b[31m." in asked.summary()


def test_numbers_are_told_to_the_last_digit_and_a_gap_is_never_rounded_away():
    oracle = ofm.AdditiveOracle([[0, 1]], threshold=1)
    problem = ofm.Problem([[0]], (2,), oracle, max_changes=1, people=[1_234_567])
    result = ofm.solve(problem, explanations=1)
    assert "A covered person changes 1.00 features on average, 1,234,567 together" in result.summary()
    short = replace(result, status="feasible", covered_bound=1_234_568, ended="limit")
    for words in (short.summary(), report_html(short)):
        assert "(gap 0.1%)" in words


def test_the_table_names_what_rows_change_and_nothing_that_nobody_does():
    frame = pd.DataFrame({"job": ["none", "part", "full"], "rooms": [1, 1, 2]})
    explainer = ofm.OneForMany(
        lambda rows: (rows["job"] == "full").astype(float), max_changes=2, share="features"
    )
    result = explainer.explain(frame)
    assert "<td>job: full</td>" in result._repr_html_()
    assert "rooms" not in result._repr_html_()


def test_rows_of_an_index_of_several_levels_and_of_days_are_named_readably():
    days = pd.date_range("2026-01-04", periods=2)
    frame = pd.DataFrame({"job": [0, 0]}, index=pd.MultiIndex.from_arrays([["b", "a"], days]))
    schema = ofm.Schema([ofm.Feature("job", ("no", "yes"), numbers=(0, 1))])
    explainer = ofm.OneForMany(lambda rows: np.where(rows["job"] == 1, 0.9, 0.1), cells=schema, share="point")
    assert "(rows b / 2026-01-04, a / 2026-01-05)" in explainer.explain(frame).summary()
    by_day = frame.set_index(days + pd.Timedelta(hours=6))
    assert "(rows 2026-01-04 06:00:00, 2026-01-05 06:00:00)" in explainer.explain(by_day).summary()


def test_labels_from_right_to_left_do_not_turn_the_words_around_them():
    schema = ofm.Schema([ofm.Feature("city", ("\u062a\u0647", "Z\u00fcrich"))])
    problem = ofm.Problem([[0]], (2,), ofm.AdditiveOracle([[0, 1]], threshold=1), 1)
    result = replace(ofm.solve(problem), schema=schema)
    assert "city  -> Z\u00fcrich  (1 from \u2068\u062a\u0647\u2069)" in result.summary()
    back = ofm.Problem([[1]], (2,), ofm.AdditiveOracle([[1, 0]], threshold=1), 1)
    (word,) = replace(ofm.solve(back), schema=schema).plot().texts
    assert word.get_text() == "\u062a\u0647"
