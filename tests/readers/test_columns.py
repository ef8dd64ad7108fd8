import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from oneformany import Feature, Schema
from oneformany.exceptions import InputError
from oneformany.readers.columns import encoding_for, inputs_for, own_columns

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


def test_the_own_columns_of_a_frame_make_a_schema_without_rounding():
    frame = pd.DataFrame({"rooms": [3, 8, 8, 3], "extra": ["a", "b", "c", "d"], "rate": [0.1, 0.2, 0.4, 0.1]})
    model = fit(frame[["rate", "rooms"]])
    schema, encoding = own_columns(model, frame)
    assert schema.names == ("rate", "rooms")
    assert (encoding.encode(schema.encode(frame)) == frame[["rate", "rooms"]]).all(axis=None)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"rooms": [1]}), "fitted on 2 columns, the frame has 1; pass the schema"),
        (pd.DataFrame({"rooms": [1], "sex": ["male"]}), "column 'sex' holds texts, which LogisticRegression"),
        (np.zeros((1, 2)), "not ndarray"),
    ],
)
def test_frames_that_an_unnamed_model_cannot_have_been_fitted_on_are_refused(frame, words):
    with pytest.raises(InputError, match=words):
        own_columns(fit(CODES), frame)


def test_a_column_that_the_model_knows_by_name_must_be_there():
    with pytest.raises(InputError, match="the frame lacks 'floor'"):
        own_columns(fit(NUMERIC.decode(CODES)), pd.DataFrame({"rooms": [3], "flor": [1]}))
