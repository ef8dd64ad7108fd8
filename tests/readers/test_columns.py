import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from oneformany import Feature, Schema
from oneformany.exceptions import InputError
from oneformany.readers.columns import encoding_for, inputs_for

LABELLED = Schema((Feature("sex", ("female", "male")), Feature("housing", ("rent", "own", "free"))))
NUMERIC = Schema(
    (Feature("rooms", ("few", "many"), numbers=(3, 8)), Feature("floor", ("0", "1", "2"), numbers=(0, 1, 2)))
)
CODES = np.array([[0, 0], [1, 1], [1, 2], [0, 2]])
TARGET = [0, 1, 1, 0]


def fit(data):
    return LogisticRegression().fit(data, TARGET)


def test_an_array_as_wide_as_the_one_hot_columns_is_one_hot():
    model = fit(LABELLED.one_hot(CODES))
    assert (encoding_for(model, LABELLED).encode(CODES) == LABELLED.one_hot(CODES)).all()


def test_an_array_with_a_column_per_feature_holds_codes():
    model = fit(CODES)
    assert (encoding_for(model, LABELLED).encode(CODES) == CODES).all()


def test_a_frame_of_one_hot_columns_is_matched_by_name_in_any_order():
    frame = pd.DataFrame(LABELLED.one_hot(CODES), columns=LABELLED.one_hot_names)[
        ["housing=free", "sex=male", "housing=own", "housing=rent"]
    ]
    model = fit(frame)
    encoding = encoding_for(model, LABELLED)
    pd.testing.assert_frame_equal(inputs_for(model, encoding)(CODES), frame)


def test_a_frame_of_numbers_is_matched_by_name_in_any_order():
    frame = NUMERIC.decode(CODES)[["floor", "rooms"]]
    model = fit(frame)
    inputs = inputs_for(model, encoding_for(model, NUMERIC))
    pd.testing.assert_frame_equal(inputs(CODES), frame.astype(float))


def test_columns_of_another_schema_are_refused():
    names = ["sex=male", "home=rent", "housing=own", "housing=free"]
    with pytest.raises(InputError, match=r"other columns than the 4 one-hot columns .* 'home=rent' is none"):
        encoding_for(fit(pd.DataFrame(LABELLED.one_hot(CODES), columns=names)), LABELLED)
    with pytest.raises(InputError, match="it reads 1 of them"):
        encoding_for(fit(NUMERIC.decode(CODES)[["rooms"]]), NUMERIC)


def test_labels_that_a_model_read_as_numbers_are_refused():
    with pytest.raises(InputError, match="'sex' has labels, no numbers of its own"):
        encoding_for(fit(pd.DataFrame(CODES, columns=["sex", "housing"])), LABELLED)
