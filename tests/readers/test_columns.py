import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from oneformany import Feature, Schema, infer_schema
from oneformany.exceptions import InputError
from oneformany.readers.columns import Rows, encoding_for, inputs_for

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
    with pytest.raises(InputError, match=r"other columns than the 4 one-hot columns .* 'home=rent' is not"):
        encoding_for(fit(pd.DataFrame(LABELLED.one_hot(CODES), columns=names)), LABELLED)
    with pytest.raises(InputError, match="it reads 1 of them"):
        encoding_for(fit(NUMERIC.decode(CODES)[["rooms"]]), NUMERIC)


def test_labels_that_a_model_read_as_numbers_are_refused():
    with pytest.raises(InputError, match="'sex' has labels, no numbers of its own"):
        encoding_for(fit(pd.DataFrame(CODES, columns=["sex", "housing"])), LABELLED)


SCHEMA = Schema(
    (
        Feature("job", ("none", "part", "full")),
        Feature("rooms", ("1", "3"), numbers=(1, 3)),
        Feature("age", ("<= 20", "21-40", "> 40"), edges=(20, 40)),
    )
)
FRAME = pd.DataFrame(
    {
        "age": [45, 18, 12, 60, 50, 70],
        "note": list("abcdef"),
        "job": ["none", "part", "full", "none", "none", "part"],
        "rooms": [1, 3, 3, 1, 1, 3],
    }
)


def test_labels_and_numbers_stand_for_themselves_and_a_bin_for_its_lower_median():
    rows = Rows.of(SCHEMA, FRAME)
    frame = rows.frame(np.array([[2, 1, 0], [0, 0, 2]]))
    assert frame.columns.tolist() == ["job", "rooms", "age"]
    assert frame.to_numpy().tolist() == [["full", 3, 12], ["none", 1, 50]]


def test_a_bin_that_nobody_is_in_stands_for_its_right_edge():
    assert Rows.of(SCHEMA, FRAME).frame(np.array([[0, 0, 1]]))["age"].tolist() == [40]


def test_without_a_frame_bins_stand_for_right_edges_and_the_last_for_one_step_more():
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2]])
    assert Rows.of(SCHEMA).frame(codes)["age"].tolist() == [20, 40, 60]
    lonely = Schema((Feature("age", ("<= 0", "> 0"), edges=(0,)),))
    assert Rows.of(lonely).frame(np.array([[1]]))["age"].tolist() == [1]


def test_levels_find_back_to_their_codes():
    codes = np.array([[j, r, a] for j in range(3) for r in range(2) for a in range(3)])
    for frame in (None, FRAME):
        assert (SCHEMA.encode(Rows.of(SCHEMA, frame).frame(codes)) == codes).all()


def test_columns_have_the_types_of_the_frame():
    kinds = {"job": pd.CategoricalDtype(["full", "none", "part"]), "rooms": "float32", "age": "int16"}
    frame = FRAME[["job", "rooms", "age"]].astype(kinds)
    made = Rows.of(SCHEMA, frame).frame(np.array([[0, 1, 2]]))
    assert (made.dtypes == frame.dtypes).all()


def test_a_type_that_would_change_a_value_is_not_taken():
    schema = Schema((Feature("age", ("<= 20.5", "> 20.5"), edges=(20.5,)),))
    made = Rows.of(schema, pd.DataFrame({"age": [30, 40]})).frame(np.array([[0], [1]]))
    assert made["age"].tolist() == [20.5, 30.0]
    labelled = Rows.of(SCHEMA, FRAME.assign(age=["<= 20"] * 6)).frame(np.array([[0, 0, 0]]))
    assert labelled["age"].tolist() == [20]


class Fitted:
    """Knows its columns, or only how many."""

    def __init__(self, *names, width=None):
        if names:
            self.feature_names_in_ = np.array(names)
        if width is not None:
            self.n_features_in_ = width


def test_a_model_wants_the_columns_it_was_fitted_with():
    assert Rows.of(None, FRAME, Fitted("age", "job")).names == ("age", "job")
    assert Rows.of(None, FRAME, Fitted(width=4)).names == tuple(FRAME.columns)
    assert Rows.of(SCHEMA, FRAME).names == SCHEMA.names


@pytest.mark.parametrize(
    ("model", "frame", "words"),
    [
        (Fitted("age", "height"), FRAME, "fitted on 2 columns, the frame lacks 'height'"),
        (Fitted(width=2), FRAME, "fitted on 2 columns without names, the frame has 4"),
        (Fitted(), [[0, 0], [1, 1]], "must be a pandas DataFrame .*, not list"),
    ],
)
def test_other_columns_are_refused(model, frame, words):
    with pytest.raises(InputError, match=words):
        Rows.of(None, frame, model)


def test_without_a_schema_every_value_of_the_frame_is_a_level():
    rows = Rows.of(None, FRAME)
    assert rows.schema == infer_schema(FRAME, bins=None)
    assert rows.frame(rows.schema.encode(FRAME)).equals(FRAME)
    with pytest.raises(InputError, match="pass a schema or a frame"):
        Rows.of(None)
