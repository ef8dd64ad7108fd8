"""CatBoost's trees are read exactly: as its own predict says, gaps too; categories are asked about."""

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier

from oneformany import OneForMany
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.registry import read_model
from oneformany.readers.trees.catboost import catboost_forest
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.verify import Outcome, verify
from tree_questions import all_points

NUMBERS = (-1.5, 0.0, 0.25, 2.0, 7.0)
SCHEMA = Schema(tuple(Feature(name, tuple(map(str, NUMBERS)), numbers=NUMBERS) for name in "abc"))
POINTS = all_points(SCHEMA.levels)
VALUES = np.array(NUMBERS)[POINTS]
QUIET = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "iterations": 12, "depth": 3}


def rows(seed, n=150):
    rng = np.random.default_rng(seed)
    numbers = rng.choice(NUMBERS, size=(n, 3))
    score = numbers[:, 0] + numbers[:, 1] * (numbers[:, 2] > 0) + rng.normal(0, 1, n)
    return numbers, (score > 1).astype(int)


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide", "Depthwise"])
@pytest.mark.parametrize("positive", [0, 1])
def test_points_are_positive_as_predict_says(policy, positive):
    for seed in range(2):
        model = CatBoostClassifier(**QUIET, grow_policy=policy, random_seed=seed).fit(*rows(seed))
        oracle = read_model(model, SCHEMA, None, positive).oracle
        assert isinstance(oracle, TreeOracle)
        assert oracle.positive(POINTS).tolist() == (model.predict(VALUES) == positive).tolist()
        high = read_model(model, SCHEMA, 0.8, positive).oracle
        assert high.positive(POINTS).tolist() == (model.predict_proba(VALUES)[:, positive] >= 0.8).tolist()


@pytest.mark.parametrize("mode", ["Min", "Max"])
def test_gaps_go_where_catboost_sends_them(mode):
    numbers, target = rows(0)
    numbers[::5, 1] = np.nan
    frame = pd.DataFrame(numbers, columns=list("abc"))
    model = CatBoostClassifier(**QUIET, nan_mode=mode).fit(frame, target)
    result = OneForMany(model, share="action", max_changes=2).explain(frame)
    assert result.problem["rows"] == np.flatnonzero(model.predict(frame) == 0).tolist()
    assert "unread" not in result.problem["model"]
    assert (model.predict(result.apply(frame)) == 1).all()
    assert verify(result.to_json()).outcome is Outcome.CONFIRMED


def test_columns_may_stand_in_another_order():
    numbers, target = rows(1)
    frame = pd.DataFrame(numbers, columns=list("abc"))
    model = CatBoostClassifier(**QUIET).fit(frame, target)
    result = OneForMany(model, share="action", max_changes=2).explain(frame[["c", "a", "b"]])
    assert (model.predict(result.apply(frame[["c", "a", "b"]])[list("abc")]) == 1).all()


def test_categories_are_refused_with_a_word_and_asked_about():
    numbers, target = rows(2)
    frame = pd.DataFrame(numbers, columns=list("abc")).assign(job=np.where(target == 1, "full", "none"))
    model = CatBoostClassifier(**QUIET, cat_features=["job"]).fit(frame, target)
    with pytest.raises(UnsupportedModelError, match="of their combinations; encode them"):
        catboost_forest(model)
    result = OneForMany(model, share="action", max_changes=1).explain(frame.head(30))
    assert "combinations" in result.problem["model"]["unread"]
    assert (model.predict(result.apply(frame.head(30))) == 1).all()


def test_a_threshold_of_its_own_and_other_losses_are_refused_with_a_word():
    model = CatBoostClassifier(**QUIET).fit(*rows(3))
    model.set_probability_threshold(0.3)
    with pytest.raises(UnsupportedModelError, match="threshold of its own"):
        catboost_forest(model)
    other = CatBoostClassifier(**QUIET, loss_function="MultiClass").fit(*rows(3))
    with pytest.raises(UnsupportedModelError, match="only Logloss is read"):
        catboost_forest(other)
