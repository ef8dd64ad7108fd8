from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany import Feature, Schema
from oneformany.exceptions import InputError
from oneformany.readers.callables import read_scorecard

SCHEMA = Schema(
    (
        Feature("housing", ("rent", "own")),
        Feature("age", ("<= 18", "19-33", "> 33"), ordered=True, edges=(18, 33)),
        Feature("town", ("here", "there")),
    )
)
POINTS = {"housing": {"rent": 0, "own": 0.1}, "age": {"<= 18": -1, "19-33": 0.2, "> 33": 0.3}}


def test_points_are_added_up_and_a_feature_left_out_gives_none():
    oracle = read_scorecard(POINTS, SCHEMA, 0.1, 1).oracle
    codes = np.array([[0, 1, 0], [1, 1, 1], [0, 0, 0]])
    assert oracle.score(codes).tolist() == [0.2, 0.3, -1.0]
    assert oracle.positive(codes).tolist() == [True, True, False]


def test_a_sum_that_just_meets_the_threshold_is_positive():
    reading = read_scorecard(POINTS, SCHEMA, 0.3, 1)
    codes = np.array([[1, 1, 0], [0, 2, 0], [0, 1, 0]])
    assert reading.oracle.positive(codes).tolist() == [True, True, False]
    assert reading.verdict(codes).tolist() == [True, True, False]


@given(
    st.lists(st.integers(-30, 30).map(lambda tenths: tenths / 10), min_size=7, max_size=7),
    st.integers(-40, 40),
)
def test_oracle_and_verdict_agree_on_every_point(points, tenths):
    shares = iter(points)
    card = {feature.name: {label: next(shares) for label in feature.levels} for feature in SCHEMA.features}
    reading = read_scorecard(card, SCHEMA, tenths / 10, 1)
    codes = np.array(list(product(*(range(n) for n in SCHEMA.levels))))
    assert (reading.oracle.positive(codes) == reading.verdict(codes)).all()


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"houses": {"rent": 1, "own": 2}}, "no feature 'houses'; did you mean 'housing'"),
        ({"housing": {"rent": 1}}, "no points for 'own' of 'housing'"),
        (
            {"housing": {"rent": 1, "own": 2, "tent": 3}},
            "'tent' of 'housing', whose levels are 'rent'",
        ),
        ({"housing": {"rent": 1, "own": "2"}}, "gives '2' for 'own' of 'housing'"),
        ({"housing": {"rent": 1, "own": float("nan")}}, "is nan at level 1"),
    ],
)
def test_a_scorecard_that_does_not_fit_the_schema_is_refused(points, words):
    with pytest.raises(InputError, match=words):
        read_scorecard(points, SCHEMA, 1, 1)


def test_a_scorecard_needs_a_threshold_and_has_one_positive_class():
    with pytest.raises(InputError, match="needs a threshold"):
        read_scorecard(POINTS, SCHEMA, None, 1)
    with pytest.raises(InputError, match="no class 0"):
        read_scorecard(POINTS, SCHEMA, 0.3, 0)
