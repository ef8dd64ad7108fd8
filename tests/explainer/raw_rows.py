"""Rows as people have them, models fitted on them, and explanations that the models confirm."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from oneformany.explainer import OneForMany

JOBS = ["none", "part", "full"]


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.gamma(2.0, 900.0, n).round(2),
            "job": rng.choice(JOBS, n),
            "home": rng.random(n) < 0.5,
        }
    )


def target_of(frame):
    score = frame["age"].fillna(40) / 40 + frame["income"].fillna(1500) / 2500 + (frame["job"] == "full")
    return (score > score.median()).astype(int).to_numpy()


FRAME = rows()


TARGET = target_of(FRAME)


def pipeline(**encoder):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["age", "income"]), (OneHotEncoder(**encoder), ["job"]), ("passthrough", ["home"])
    )
    return make_pipeline(steps, LogisticRegression()).fit(FRAME, TARGET)


def boosting(frame=FRAME):
    numbers = frame[["age", "income"]].astype(float)
    return HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=4).fit(numbers, TARGET)


def with_gaps(frame, column="income", every=4):
    return frame.assign(**{column: frame[column].where(np.arange(len(frame)) % every != 1)})


def explained(model, frame, read=None, **parameters):
    """Explain, and confirm by the model's own prediction that every covered row is accepted afterwards."""
    read = (lambda given: given) if read is None else read
    result = OneForMany(model, **({"max_changes": 2, "share": "point"} | parameters)).explain(frame)
    moved = result.apply(frame)
    refused = model.predict(read(frame)) == 0
    covered = np.flatnonzero(np.array(result.assignment) >= 0)
    assert len(covered) + len(result.unreachable) == refused.sum()
    assert len(moved) == len(covered)
    if len(moved):
        assert (model.predict(read(moved)) == 1).all()
    return result, moved
