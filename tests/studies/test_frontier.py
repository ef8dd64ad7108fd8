"""Curves: every point is what its own question gives, and its bound is proved."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.exceptions import InputError
from oneformany.problem.goal import Goal
from oneformany.studies import frontier
from reference_goals import best_answer

mpl.use("Agg")
SHARES = ("point", "action", "features")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from(SHARES))
def test_the_curve_over_changes_is_the_answer_of_each_number(kind, seed, share):
    problem = draw_problem(np.random.default_rng(seed), kind, share)
    numbers = range(1, problem.n_features + 1)
    curve = frontier(problem, max_changes=numbers)
    for changes, point in zip(numbers, curve.points, strict=True):
        best = best_answer(replace(problem, max_changes=changes), Goal())
        assert (point.asked, point.value, point.bound) == (changes, best.explanations, best.explanations)
        assert point.covered == best.covered


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from(SHARES))
def test_the_curve_over_explanations_is_the_answer_of_each_number(kind, seed, share):
    problem = draw_problem(np.random.default_rng(seed), kind, share)
    curve = frontier(problem, explanations=range(1, 4))
    for k, point in zip(range(1, 4), curve.points, strict=True):
        best = best_answer(problem, Goal(explanations=k))
        assert (point.asked, point.value, point.bound) == (k, best.covered, best.covered)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_bounds_hold_when_there_is_no_time(seed):
    problem = draw_problem(np.random.default_rng(seed), "additive", "point", own=False, restricted=False)
    for point in frontier(problem, time_limit=0).points:
        best = best_answer(replace(problem, max_changes=point.asked), Goal())
        assert point.bound <= best.explanations
    for point in frontier(problem, explanations=[1, 2], time_limit=0).points:
        assert point.value <= best_answer(problem, Goal(explanations=point.asked)).covered <= point.bound


def test_a_curve_is_a_frame_and_a_plot():
    problem = draw_problem(np.random.default_rng(4), "additive", "point")
    curve = frontier(problem)
    assert list(curve.frame().columns) == ["max_changes", "count", "covered", "bound", "seconds"]
    assert curve.plot().get_xlabel() == "features that may change"
    people = frontier(problem, explanations=[1, 2])
    assert list(people.frame().columns) == ["explanations", "covered", "bound", "seconds"]
    assert people.plot().get_ylabel() == "rows covered"
    several = frontier(replace(problem, people=[2] * len(problem.codes)), explanations=[1])
    assert several.plot().get_ylabel() == "people covered"
    assert people.measure == "people"
    assert "people by explanations" in repr(people)


def test_one_integer_stands_for_all_up_to_it_but_not_beyond_the_rows():
    problem = draw_problem(np.random.default_rng(4), "additive", "point")
    curve = frontier(problem, explanations=10**15)
    assert [point.asked for point in curve.points] == list(range(1, len(problem.codes) + 1))
    with pytest.raises(InputError, match="must name integers from 1 to"):
        frontier(problem, max_changes=10**15)


def test_a_curve_comes_from_a_frame_too():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(2, size=(60, 4)), columns=list("abcd"))
    model = LogisticRegression().fit(frame, (frame.sum(axis=1) > 2).astype(int))
    explainer = ofm.OneForMany(model, max_changes=2, share="point")
    curve = ofm.frontier_of_frame(explainer, frame, max_changes=[1, 2])
    assert [point.value for point in curve.points] == [
        ofm.OneForMany(model, max_changes=changes, share="point").explain(frame).count for changes in (1, 2)
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"max_changes": [1], "explanations": [1]},
        {"max_changes": []},
        {"max_changes": [99]},
        {"explanations": [0]},
        {"explanations": 0},
        {"max_changes": 1.5},
        {"max_changes": "two"},
    ],
)
def test_curves_over_nothing_or_over_both_are_refused(asked):
    with pytest.raises(InputError, match=r"give max_changes or|it must name integers|give integers such as"):
        frontier(draw_problem(np.random.default_rng(4), "additive", "point"), **asked)


@pytest.mark.parametrize(("stranger", "told"), [({}, "dict"), (ofm.OneForMany, "OneForMany")])
def test_what_is_not_an_explainer_is_refused(stranger, told):
    with pytest.raises(InputError, match=rf"is needed: OneForMany\(model\), not {told} itself"):
        ofm.frontier_of_frame(stranger, None)


def test_one_integer_stands_for_all_from_1_to_it():
    problem = draw_problem(np.random.default_rng(4), "additive", "point")
    for name in ("max_changes", "explanations"):
        assert [point.asked for point in frontier(problem, **{name: 2}).points] == [1, 2]


def test_an_explainer_in_place_of_a_problem_is_told_where_to_go():
    with pytest.raises(InputError, match=r"not OneForMany; an explainer makes one of a frame"):
        frontier(ofm.OneForMany(), 3)
