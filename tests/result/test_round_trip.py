"""Tests that rows come back as the user has them: own index, own types, and accepted by the model itself."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oneformany.explainer import OneForMany
from oneformany.result.result import Result

READ = ["income", "debts", "job", "owns"]


def plain(seed, n=60):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.gamma(2.0, 900.0, n).round(1),
            "debts": rng.integers(0, 5, n),
            "job": rng.choice(["none", "part", "full"], n),
            "owns": rng.random(n) < 0.5,
            "since": pd.date_range("2020-01-01", periods=n),
        }
    )


def gaps(frame, column, dtype):
    frame = frame.astype({column: dtype})
    frame.loc[frame.index % 7 == 0, column] = pd.NA if dtype in {"Int64", "boolean"} else None
    return frame


JOBS = pd.CategoricalDtype(["none", "part", "full"])
LEVELS = pd.MultiIndex.from_product([["a", "b"], range(30)], names=["site", "case"])
DRESSES = {
    "a duplicate index": lambda frame: frame.set_axis(frame.index % 5),
    "texts as index": lambda frame: frame.set_axis([f"client {row}" for row in frame.index]),
    "an index of levels": lambda frame: frame.set_axis(LEVELS),
    "dates as index": lambda frame: frame.set_axis(pd.DatetimeIndex(frame["since"], name="day")),
    "a category": lambda frame: frame.astype({"job": JOBS}),
    "integers as category": lambda frame: frame.astype({"debts": pd.CategoricalDtype(range(5))}),
    "nullable integers": lambda frame: frame.astype({"debts": "Int64"}),
    "nullable truth values": lambda frame: frame.astype({"owns": "boolean"}),
    "small numbers": lambda frame: frame.astype({"debts": "uint8", "income": "float32"}),
    "objects": lambda frame: frame.astype({"debts": object, "job": object}),
    "types of arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "missing integers": lambda frame: gaps(frame, "debts", "Int64"),
    "missing truth values": lambda frame: gaps(frame, "owns", "boolean"),
    "missing categories": lambda frame: gaps(frame, "job", JOBS),
    "missing texts": lambda frame: gaps(frame, "job", object),
    "polars": lambda frame: frame,
}


def fitted(frame, classifier):
    known = plain(0)
    wealth = known["income"] / 1500 - known["debts"] / 2 + (known["job"] == "full") + known["owns"] / 2
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encode = make_column_transformer((texts, ["job"]), (numbers, ["income", "debts", "owns"]))
    return make_pipeline(encode, classifier).fit(frame[READ], (wealth > 0.6).astype(int))


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("dress", DRESSES)
def test_rows_come_back_with_their_own_index_and_types_and_are_accepted(dress, share):
    frame, new = DRESSES[dress](plain(0)), DRESSES[dress](plain(1))
    cells = DecisionTreeClassifier(max_depth=4, random_state=0)  # where cells decide
    model = fitted(frame, cells if share == "point" else LogisticRegression())
    explainer = OneForMany(model, max_changes=2, share=share)
    given, more = (pl.from_pandas(frame), pl.from_pandas(new)) if dress == "polars" else (frame, new)
    result = Result.from_json(explainer.explain(given).to_json())
    refused = frame[model.predict(frame[READ]) == 0]
    told, moved = result.assignment_frame(), result.apply(given)
    covered, told_covered = refused[result.has_explanation], told[result.has_explanation]
    pd.testing.assert_index_equal(told.index, refused.index, exact="equiv")
    pd.testing.assert_index_equal(moved.index, covered.index, exact="equiv")
    assert (model.predict(moved[READ]) == 1).all()
    if dress != "polars":
        assert moved.dtypes.equals(frame.dtypes)
        assert moved["since"].equals(covered["since"])
    for name in READ:
        goes = told_covered[name].notna().to_numpy()
        assert told_covered[name][goes].tolist() == moved[name][goes].tolist()
        assert moved[name][~goes].astype(object).equals(covered[name][~goes].astype(object))
    again = result.assign(given, explainer).to_numpy()[result.problem["rows"]]
    assert ((again >= 0) == result.has_explanation).all()
    named, after = result.assignment_frame(more, explainer), result.apply(more, explainer)
    pd.testing.assert_index_equal(named.index, new.index, exact="equiv")
    assert ((named["outcome"] == "already positive") == (model.predict(new[READ]) == 1)).all()
    assert (model.predict(after[READ]) == 1).all()
    assert len(after) == (named["outcome"] == "explained").sum()
