"""Tests that one question reads each model once, whatever kind of model it is."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from catboost import CatBoostClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.readers import on_columns
from oneformany.readers.trees.forest import Forest

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.integers(0, 9, 80), "b": RNG.integers(0, 9, 80), "c": RNG.integers(0, 3, 80)})
TARGET = (FRAME["a"] + FRAME["b"] > 9).astype(int)
SETTINGS = {"objective": "binary:logistic", "nthread": 1}
TREES = {
    "tree": lambda: DecisionTreeClassifier(max_depth=3).fit(FRAME, TARGET),
    "forest": lambda: RandomForestClassifier(5, max_depth=3, random_state=0).fit(FRAME, TARGET),
    "bagging": lambda: BaggingClassifier(n_estimators=3, random_state=0).fit(FRAME, TARGET),
    "AdaBoost": lambda: AdaBoostClassifier(n_estimators=3, random_state=0).fit(FRAME, TARGET),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=5).fit(FRAME, TARGET),
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=5).fit(FRAME, TARGET),
    "XGBoost": lambda: xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(FRAME, TARGET),
    "booster of XGBoost": lambda: xgboost.train(SETTINGS, xgboost.DMatrix(FRAME, TARGET), 3),
    "LightGBM": lambda: lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(FRAME, TARGET),
    "booster of LightGBM": lambda: lightgbm.train(
        {"objective": "binary", "verbose": -1}, lightgbm.Dataset(FRAME, TARGET), 3
    ),
    "CatBoost": lambda: CatBoostClassifier(iterations=5, verbose=False, allow_writing_files=False).fit(
        FRAME, TARGET
    ),
    "trees in a pipeline": lambda: make_pipeline(
        StandardScaler(), GradientBoostingClassifier(n_estimators=5)
    ).fit(FRAME, TARGET),
}
OTHERS = {
    "line": lambda: LogisticRegression().fit(FRAME, TARGET),
    "pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, TARGET),
    "network": lambda: MLPClassifier((4,), max_iter=400, random_state=0, solver="lbfgs").fit(FRAME, TARGET),
    "Gaussian": lambda: GaussianNB().fit(FRAME, TARGET),
}


@pytest.fixture
def counted(monkeypatch):
    """Count how often trees are listed, and how often a reader turns a classifier into an oracle."""
    counts = {"trees listed": 0, "oracles made": 0}
    load, made = on_columns.load, Forest.__init__

    def listed(self, *args, **kwargs):
        counts["trees listed"] += 1
        made(self, *args, **kwargs)

    def loaded(where):
        counts["oracles made"] += 1
        return load(where)

    monkeypatch.setattr(Forest, "__init__", listed)
    monkeypatch.setattr(on_columns, "load", loaded)
    return counts


@pytest.mark.parametrize("name", [*TREES, *OTHERS])
def test_one_question_reads_a_model_once(name, counted):
    model = (TREES | OTHERS)[name]()
    result = ofm.OneForMany(model, FRAME, max_changes=2, positive=1).explain(FRAME)
    assert result.count >= 1
    assert counted == {"trees listed": int(name in TREES), "oracles made": 1}


def test_each_of_several_models_is_read_once(counted):
    usual = IsolationForest(n_estimators=20, random_state=0).fit(FRAME)
    models = [TREES["XGBoost"](), OTHERS["line"](), usual]
    ofm.OneForMany(models[0], FRAME, max_changes=2, also=models[1:]).explain(FRAME)
    assert counted == {"trees listed": 2, "oracles made": 3}
