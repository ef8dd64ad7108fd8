"""Tests that the splits of tree models tell apart what the models themselves tell apart."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from lightgbm import LGBMClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from oneformany.readers.trees.libraries import forest_of

MODELS = [
    DecisionTreeClassifier(max_depth=3, random_state=0),
    RandomForestClassifier(5, max_depth=3, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 5, max_features=0.5, random_state=0),
    GradientBoostingClassifier(n_estimators=5, random_state=0),
    HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3),
    xgboost.XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1),
    LGBMClassifier(n_estimators=5, min_child_samples=3, n_jobs=1, verbose=-1),
]


def data(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 40, size=(150, 3)) / 4, columns=list("abc"))
    return frame, ((frame["a"] > 4) ^ (frame["b"] < 3)).astype(int)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_numbers_between_the_same_thresholds_are_the_same_to_the_model(model):
    frame, target = data()
    model.fit(frame, target)
    forest = forest_of(model)
    rng = np.random.default_rng(1)
    values = np.unique(rng.uniform(-1, 11, 300))
    for place, name in enumerate(frame):
        groups = forest.intervals(forest.cuts(place)[0], values)
        for _, row in frame.sample(5, random_state=2).iterrows():
            rows = pd.DataFrame([row] * len(values), columns=frame.columns).assign(**{name: values})
            chances = pd.Series(model.predict_proba(rows)[:, 1]).groupby(groups)
            assert (chances.max() - chances.min() < 1e-12).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_number_at_a_threshold_goes_where_the_model_sends_it(model):
    frame, target = data()
    model.fit(frame, target)
    forest = forest_of(model)
    for place, name in enumerate(frame):
        for threshold in forest.cuts(place)[0]:
            single = np.float32 if forest.single else np.float64
            near = [np.nextafter(single(threshold), single(side)) for side in (-1e9, 1e9)]
            values = np.array([near[0], threshold, near[1]], dtype=np.float64)
            groups = forest.intervals(forest.cuts(place)[0], values)
            rows = pd.DataFrame([frame.iloc[0]] * 3, columns=frame.columns).assign(**{name: values})
            chances = model.predict_proba(rows)[:, 1]
            for one, other in ((0, 1), (1, 2)):
                assert chances[one] == chances[other] or groups[one] != groups[other]


def test_weights_are_summed_between_neighbours():
    frame, target = data()
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, target)
    forest = forest_of(model)
    values = np.array([-5.0, 20.0, np.nan])
    total = forest.told(np.array([0]), values[:, None]).splits
    assert total[1] == pytest.approx(forest.cuts(0)[1].sum())
    assert forest.cuts(0)[1].min() >= 0


def test_models_without_splits_have_none():
    frame, target = data()
    assert forest_of(LogisticRegression().fit(frame, target)) is None
