import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany import Feature, Schema, infer_schema
from oneformany.exceptions import InputError

SCHEMA = Schema(
    (
        Feature("sex", ("female", "male")),
        Feature("housing", ("rent", "own", "free")),
        Feature("age", ("<= 18", "19-33", "> 33"), ordered=True, edges=(18, 33)),
        Feature("rooms", ("1", "2", "3"), ordered=True, numbers=(1, 2, 3)),
        Feature("constant", ("only",)),
    )
)


def frame(**changes):
    columns = {
        "sex": ["male", "female"],
        "housing": ["own", "rent"],
        "age": [18, 44.5],
        "rooms": [3, 1],
        "constant": ["only", "only"],
    }
    return pd.DataFrame(columns | changes, index=["ann", "bob"])


def test_rows_become_codes_and_further_columns_are_ignored():
    codes = SCHEMA.encode(frame(extra=[None, [1, 2]]))
    assert codes.dtype == np.int64
    assert codes.tolist() == [[1, 1, 0, 2, 0], [0, 0, 2, 0, 0]]


def test_the_order_of_the_columns_does_not_matter():
    data = frame()
    assert (SCHEMA.encode(data[data.columns[::-1]]) == SCHEMA.encode(data)).all()


def test_codes_become_numbers_labels_and_bin_labels():
    rows = SCHEMA.decode([[1, 1, 0, 2, 0], [0, 0, 2, 0, 0]], index=pd.Index(["ann", "bob"]))
    expected = frame(age=["<= 18", "> 33"])
    pd.testing.assert_frame_equal(rows, expected)


def test_one_point_can_be_decoded():
    assert SCHEMA.decode(np.array([0, 2, 1, 1, 0])).iloc[0].tolist() == ["female", "free", "19-33", 2, "only"]


@given(st.data())
def test_codes_survive_decoding_and_encoding(data):
    row = st.tuples(*(st.integers(0, n - 1) for n in SCHEMA.levels))
    codes = np.array(data.draw(st.lists(row, min_size=1, max_size=5)))
    assert (SCHEMA.encode(SCHEMA.decode(codes)) == codes).all()


@pytest.mark.parametrize("dtype", [object, "category", "string", "str"])
def test_texts_of_every_type_are_encoded_alike(dtype):
    data = frame().astype({"sex": dtype, "housing": dtype})
    assert (SCHEMA.encode(data) == SCHEMA.encode(frame())).all()


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "Int64", "Float64", object])
def test_numbers_of_every_type_are_encoded_alike(dtype):
    data = frame(age=[18, 44]).astype({"age": dtype, "rooms": dtype})
    assert (SCHEMA.encode(data) == SCHEMA.encode(frame(age=[18, 44]))).all()


def test_values_survive_encoding_and_decoding_with_their_types():
    data = pd.DataFrame(
        {"flag": [True, False, True], "count": [3, 1, 3], "rate": [0.5, 0.25, 2.0], "word": ["b", "a", "c"]}
    )
    schema = infer_schema(data)
    pd.testing.assert_frame_equal(schema.decode(schema.encode(data)), data)


def test_one_hot_gives_two_levels_one_column_and_a_single_level_zeros():
    assert SCHEMA.one_hot_names == (
        *("sex=male", "housing=rent", "housing=own", "housing=free", "age=<= 18", "age=19-33", "age=> 33"),
        *("rooms=1", "rooms=2", "rooms=3", "constant"),
    )
    matrix = SCHEMA.one_hot([[1, 1, 0, 2, 0], [0, 0, 2, 0, 0]])
    assert matrix.tolist() == [[1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0]]
    blocks = [block.tolist() for block in SCHEMA.encoding().columns]
    assert blocks == [[0], [1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]
    assert SCHEMA.encoding().names == SCHEMA.one_hot_names


def test_codes_and_numbers_can_be_model_columns_too():
    assert SCHEMA.code_encoding().encode(np.array([[1, 2, 0, 2, 0]])).tolist() == [[1, 2, 0, 2, 0]]
    schema = Schema(
        (Feature("rooms", ("a", "b"), numbers=(5, 7)), Feature("paid", ("n", "y"), numbers=(False, True)))
    )
    assert schema.number_encoding().encode(np.array([[1, 1], [0, 0]])).tolist() == [[7, 1], [5, 0]]


@pytest.mark.parametrize(("place", "words"), [(0, "'sex' has labels"), (2, "'age' has bins")])
def test_labels_and_bins_are_no_numbers(place, words):
    with pytest.raises(InputError, match=words):
        Schema((SCHEMA.features[place],)).number_encoding()


def test_a_level_for_missing_values_is_no_number():
    rooms = Feature("rooms", ("1", "2"), numbers=(1, 2)).with_cells(missing=True)
    with pytest.raises(InputError, match="'rooms' has the level 'missing', no numbers of its own"):
        Schema((rooms,)).number_encoding()


def test_a_schema_survives_json():
    assert Schema.from_dict(json.loads(json.dumps(SCHEMA.to_dict()))) == SCHEMA


@pytest.mark.parametrize("data", [{}, {"features": None}, [], {"features": []}])
def test_half_a_schema_from_a_file_is_refused(data):
    with pytest.raises(InputError, match=r"schema"):
        Schema.from_dict(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (frame().drop(columns="housing"), "lacks the column 'housing'"),
        (frame().drop(columns=["sex", "age"]), "lacks the columns 'sex', 'age'"),
        (frame().rename(columns={"housing": "houssing"}), "did you mean 'houssing'"),
        (frame().iloc[:0], "empty frame; give at least one row"),
        (pd.concat([frame(), frame()[["sex"]]], axis=1), "2 columns named 'sex'"),
        (frame(sex=["male", None]), "column 'sex', row bob: the value is missing"),
        (frame(age=[float("nan"), 3]), "column 'age', row ann: the value is missing"),
        (frame(rooms=pd.array([None, 1], dtype="Int64")), "column 'rooms', row ann: the value is missing"),
        (
            frame(housing=["own", "tent"]),
            "row bob: 'tent' is not one of .*; known are 'rent', 'own', 'free'",
        ),
        (frame(rooms=[1, 4]), "column 'rooms', row bob: 4 is not one"),
        (frame(sex=[1, 2]), "column 'sex', row ann: 1 is not one"),
        (frame(age=["18", "44"]), "'18' is not one of its levels; known are finite numbers and '<= 18'"),
        (frame(age=[1.0, float("inf")]), "column 'age', row bob: inf is not one"),
        (frame(age=pd.to_datetime(["2020-01-01", "2021-01-01"])), "column 'age', row ann: Timestamp"),
        (frame(sex=[["male"], ["female"]]), "column 'sex' holds more than single values"),
        (frame().to_dict(), "must be a pandas DataFrame .*, not dict"),
        (frame().to_numpy(), "lacks the columns 'sex'"),
    ],
)
def test_rows_that_cannot_be_coded_are_refused_by_column_and_row(data, words):
    with pytest.raises(InputError, match=words):
        SCHEMA.encode(data)


def test_a_long_list_of_levels_is_not_told_in_full():
    schema = Schema((Feature("town", tuple(f"t{i}" for i in range(99))),))
    with pytest.raises(InputError, match=r"'t19', \.\.\. \(99 in all\)"):
        schema.encode(pd.DataFrame({"town": ["elsewhere"]}))


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ([[0, 0, 0, 0]], "4 features, there are 5"),
        ([[0, 3, 0, 0, 0]], "code 3 in feature 'housing', which has levels 0 to 2"),
        ([[0, 0, 0, -1, 0]], "code -1 in feature 'rooms'"),
        ([[0.5, 0, 0, 0, 0]], "integers, not float64"),
    ],
)
def test_codes_that_do_not_exist_are_refused(codes, words):
    for turn in (SCHEMA.decode, SCHEMA.one_hot):
        with pytest.raises(InputError, match=words):
            turn(codes)


def test_a_schema_needs_features_with_different_names():
    for features, words in (
        ((), "at least one"),
        (("sex",), "not str"),
        (SCHEMA.features[:1] * 2, "two features"),
    ):
        with pytest.raises(InputError, match=words):
            Schema(features)


def test_a_feature_is_found_by_name_or_a_close_one_is_suggested():
    assert SCHEMA.index("age") == 2
    with pytest.raises(InputError, match="no feature 'agee'; did you mean 'age'"):
        SCHEMA.index("agee")
    with pytest.raises(InputError, match="there are 'sex', 'housing'"):
        SCHEMA.index("qqq")


@pytest.mark.parametrize("given", [Feature("job", ("no", "yes")), 3, None, "job"])
def test_what_is_not_a_list_of_features_is_not_a_schema(given):
    with pytest.raises(InputError, match=rf"not {type(given).__name__}; write Schema\(\[feature\]\)"):
        Schema(given)
