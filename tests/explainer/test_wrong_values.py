"""Tests that a value which a model refuses is named with its column, its row and what to do."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

import oneformany as ofm

ROWS = pd.DataFrame(
    {
        "job": ["none", "part", "full", "n/a"] * 4,
        "amount": [*range(100, 900, 100), *range(150, 950, 100)],
        "rooms": [1, 2, 3, 4, 2, 3, 4, 1] * 2,
    },
    index=[f"p{number}" for number in range(16)],
)
GOOD = (ROWS["amount"] < 500).astype(int)
NUMBERS = ["amount", "rooms"]
ENCODED = make_column_transformer((OneHotEncoder(), ["job", "rooms"]), remainder=StandardScaler())
PIPELINE = make_pipeline(ENCODED, LogisticRegression()).fit(ROWS, GOOD)
MODELS = [
    PIPELINE,
    RandomForestClassifier(3, random_state=0).fit(ROWS[NUMBERS], GOOD),
    KNeighborsClassifier(3).fit(ROWS[NUMBERS], GOOD),
    XGBClassifier(n_estimators=2).fit(ROWS[NUMBERS], GOOD),
    LGBMClassifier(n_estimators=2, verbose=-1).fit(ROWS[NUMBERS], GOOD),
]


def with_value(column, value, *, texts=False):
    """The rows, with something else in one of them."""
    changed = ROWS.astype({column: object})
    changed.loc["p5", column] = value
    return changed.astype({column: str}) if texts else changed


def told(frame, model=PIPELINE, **wishes):
    with pytest.raises(ofm.InputError) as error:
        ofm.OneForMany(model, **({"share": "point"} | wishes)).explain(frame)
    return str(error.value)


@pytest.mark.parametrize("value", ["n/a", "12,5"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_text_among_numbers_is_named(model, value):
    words = f"column 'amount', row p5: {value!r} is a text, and the model reads numbers there; write a number"
    assert words in told(with_value("amount", value, texts=True), model)
    assert f"texts is {value!r} in row p5" in told(with_value("amount", value), model)


@pytest.mark.parametrize(("column", "value"), [("job", "student"), ("rooms", 9)])
def test_a_category_that_the_model_never_saw_is_named(column, value):
    words = told(with_value(column, value).infer_objects())
    assert words.startswith(f"column {column!r}, row p5: the model was not fitted on {value!r}; write ")
    assert words.endswith(", or drop the row")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (
            "job",
            "student",
            "the model was not fitted on 'student'; write a category that it knows, or drop the row",
        ),
        (
            "amount",
            "n/a",
            "'n/a' is a text, and the model reads numbers there; write a number such as 12.5, or drop",
        ),
    ],
)
def test_a_model_that_nobody_can_look_into_names_the_value_too(column, value, words):
    asked = make_pipeline(ENCODED, KNeighborsClassifier()).fit(ROWS, GOOD)
    assert f"column {column!r}, row p5: {words}" in told(with_value(column, value, texts=True), asked)


@pytest.mark.parametrize("rows", [slice(None), ["p5"]])
def test_a_missing_category_is_named(rows):
    gaps = ROWS.copy()
    gaps.loc[rows, "job"] = np.nan
    gaps["job"] = gaps["job"].infer_objects()
    row = gaps.index[gaps["job"].isna()][0]
    assert told(gaps).startswith(
        f"column 'job', row {row}: the model was not fitted on missing values; write 'full'"
    )


STUDENT = ofm.Schema([ofm.Feature("job", ("none", "part", "full", "n/a", "student"))])


@pytest.mark.parametrize(
    ("wishes", "where"),
    [
        ({"cells": ofm.Cells(targets={"job": ["student"]})}, ", named as a target or in the schema"),
        ({"cells": ofm.Cells(schema=STUDENT)}, ", named as a target or in the schema"),
        ({"reference": with_value("job", "student")}, " of the reference data"),
    ],
)
def test_a_category_that_only_wishes_have_is_named(wishes, where):
    words = f"column 'job'{where}: the model was not fitted on 'student'; write 'full', 'n/a', 'none', 'part'"
    assert told(ROWS, **wishes).startswith(words)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"cells": ofm.Cells(edges={"amuont": [1]})}, "did you mean 'amount'?"),
        (
            {"cells": ofm.Cells(edges={"amount": 3})},
            "edges of 'amount' must be a list of numbers, not 3",
        ),
        (
            {"cells": ofm.Cells(edges={"amount": [300, np.inf]})},
            "'amount': edges must be finite numbers, not [300, inf]",
        ),
        (
            {"cells": ofm.Cells(targets={"amount": 300})},
            "targets of 'amount' must be a list of values or a dict of cell",
        ),
        (
            {"cells": ofm.Cells(targets={"amount": np.array([-5, -4])})},
            "targets of 'amount' name two values of the cell",
        ),
        (
            {"cells": ofm.Cells(special={"amount": {"p": 100, "q": [100]}})},
            "feature 'amount' has the value 100 twice",
        ),
        ({"cells": ofm.Cells(schema=ofm.Schema([ofm.Feature("jobs", ("none",))]))}, "did you mean 'job'?"),
        (
            {"rules": [ofm.Immutable("jobs")]},
            "the rule \"jobs cannot change\": there is no feature 'jobs'; did you",
        ),
    ],
)
def test_misspelled_names_are_answered_with_the_nearest(wishes, words):
    assert words in told(ROWS, **wishes)


def test_a_misspelled_column_is_answered_with_the_nearest():
    assert told(ROWS.rename(columns={"amount": "Amount"})).endswith("; did you mean 'Amount'?")


def test_a_target_beyond_the_data_is_said_in_the_result():
    result = ofm.OneForMany(PIPELINE, cells=ofm.Cells(targets={"amount": [-5, 2000]}), share="point").explain(
        ROWS
    )
    words = "amount -5 (all numbers there: 100 to 850); amount 2000 (all numbers there: 100 to 850)"
    assert f"Rows can be sent beyond the data: {words}." in result.summary()
    assert result.problem["model"]["beyond_data"] == words
    assert result.verify().ok
    assert (
        "beyond"
        not in ofm.OneForMany(PIPELINE, cells=ofm.Cells(targets={"amount": [310]}), share="point")
        .explain(ROWS)
        .summary()
    )


def test_a_special_code_is_not_a_number_of_the_data():
    coded = ROWS.assign(amount=np.where(ROWS.index == "p5", -9, ROWS["amount"]))
    explainer = ofm.OneForMany(
        PIPELINE, cells=ofm.Cells(special={"amount": [-9]}, targets={"amount": [-5]}), share="point"
    )
    assert "amount -5 (all numbers there: 100 to 850)" in explainer.explain(coded).summary()


def test_a_special_code_that_never_occurs_is_warned_of():
    with pytest.warns(UserWarning, match="special names '-9' of column 'amount', which never occurs there"):
        ofm.OneForMany(PIPELINE, cells=ofm.Cells(special={"amount": [-9]}), share="point").explain(ROWS)
