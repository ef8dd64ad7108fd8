"""Isolation forests are read exactly: what they call usual is positive, on data and far away from them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from oneformany import OneForMany
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.registry import read_model
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.verify import Outcome, verify
from tree_questions import all_points

NUMBERS = (0, 1, 2, 5, 9)
SCHEMA = Schema(tuple(Feature(name, tuple(map(str, NUMBERS)), numbers=NUMBERS) for name in "abc"))
POINTS = all_points(SCHEMA.levels)
VALUES = np.array(NUMBERS)[POINTS]


def fitted(seed, **options):
    rng = np.random.default_rng(seed)
    rows = rng.choice(NUMBERS, size=(80, 3), p=[0.4, 0.3, 0.15, 0.1, 0.05])
    return IsolationForest(random_state=seed, **options).fit(rows)


@pytest.mark.parametrize("positive", [1, -1])
@pytest.mark.parametrize(
    "options",
    [
        {"n_estimators": 30},
        {"n_estimators": 1, "max_samples": 16},
        {"n_estimators": 20, "contamination": 0.2},
        {"n_estimators": 20, "max_features": 2, "bootstrap": True},
    ],
)
def test_points_are_positive_as_predict_says(options, positive):
    for seed in range(3):
        model = fitted(seed, **options)
        oracle = read_model(model, SCHEMA, None, positive).oracle
        assert isinstance(oracle, TreeOracle)
        assert oracle.positive(POINTS).tolist() == (model.predict(VALUES) == positive).tolist()
        assert 0 < oracle.positive(POINTS).mean() < 1


def test_a_threshold_is_a_least_decision_value():
    model = fitted(0, n_estimators=30)
    for threshold in (-0.05, 0.02):
        oracle = read_model(model, SCHEMA, threshold, 1).oracle
        assert oracle.positive(POINTS).tolist() == (model.decision_function(VALUES) >= threshold).tolist()
    assert not read_model(model, SCHEMA, 2.0, 1).oracle.positive(POINTS).any()
    assert read_model(model, SCHEMA, -2.0, 1).oracle.positive(POINTS).all()


def test_the_sum_is_that_of_the_depths_also_at_the_threshold():
    """With the score of a point as offset, that point lies exactly at the threshold."""
    for point in range(0, len(VALUES), 9):
        model = fitted(1, n_estimators=25)
        model.offset_ = float(model.score_samples(VALUES[[point]])[0])
        oracle = read_model(model, SCHEMA, None, 1).oracle
        assert oracle.positive(POINTS).tolist() == (model.predict(VALUES) == 1).tolist()


def test_unusual_rows_are_told_what_would_make_them_usual():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=200).round(1), "job": rng.choice(["x", "y", "z"], 200, p=[0.6, 0.3, 0.1])}
    )
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    for model in (
        make_pipeline(encoder, IsolationForest(n_estimators=20, random_state=0)).fit(frame),
        IsolationForest(n_estimators=20, random_state=0).fit(frame[["a"]]),
    ):
        rows = frame if hasattr(model, "steps") else frame[["a"]]
        result = OneForMany(model, share="action", max_changes=1).explain(rows)
        assert result.problem["rows"] == np.flatnonzero(model.predict(rows) == -1).tolist()
        assert (model.predict(result.apply(rows)) == 1).all()
        assert verify(result.to_json()).outcome is Outcome.CONFIRMED


def test_a_forest_that_is_not_fitted_or_isolates_nothing_is_refused():
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        OneForMany(IsolationForest(), share="point").explain(pd.DataFrame({"a": [0, 1]}))
    lonely = IsolationForest(n_estimators=2, max_samples=1, random_state=0).fit(VALUES)
    with pytest.raises(UnsupportedModelError, match="one row per tree"):
        read_model(lonely, SCHEMA, None, 1)
