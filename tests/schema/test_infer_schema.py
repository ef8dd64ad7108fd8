from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany import Feature, infer_schema
from oneformany.exceptions import InputError
from oneformany.schema.cells import bin_labels


def only(column, **options):
    return infer_schema(pd.DataFrame({"x": column}), **options).features[0]


@pytest.mark.parametrize("dtype", [object, "string", "str"])
def test_texts_become_sorted_levels(dtype):
    assert only(pd.Series(["b", "a", "b"], dtype=dtype)) == Feature("x", ("a", "b"))


def test_truth_values_have_both_levels_even_if_one_is_not_there():
    expected = Feature("x", ("False", "True"), numbers=(False, True))
    assert only([True, True]) == expected
    assert only(pd.array([True, False], dtype="boolean")) == expected


def test_categories_keep_their_order_and_the_ones_not_there():
    sizes = pd.Categorical(["m", "s"], categories=["s", "m", "l"], ordered=True)
    assert only(sizes) == Feature("x", ("s", "m", "l"), ordered=True)
    assert only(pd.Categorical([3, 1])) == Feature("x", ("1", "3"), numbers=(1, 3))


@pytest.mark.parametrize("dtype", ["int16", "Int64", object])
def test_few_whole_numbers_become_ordered_levels(dtype):
    assert only(pd.Series([3, 1, 3], dtype=dtype)) == Feature("x", ("1", "3"), ordered=True, numbers=(1, 3))


def test_few_numbers_become_ordered_levels():
    assert only([2.0, 0.5]) == Feature("x", ("0.5", "2"), ordered=True, numbers=(0.5, 2.0))


def test_many_whole_numbers_are_cut_into_bins_of_equal_size():
    feature = only(range(1, 101))
    assert feature == Feature("x", ("<= 20", "21-50", "51-80", "> 80"), ordered=True, edges=(20, 50, 80))


def test_many_numbers_are_cut_at_round_numbers():
    feature = only(np.arange(100) / 8, bins=2)
    assert feature.levels == ("<= 5", "> 5")


def test_a_number_that_most_rows_have_is_one_bin_beside_others():
    assert only([*range(11), *[11] * 100]).edges == (4.0, 8.0, 10.0)
    assert only([*[0] * 100, *range(11)]).levels[0] == "<= 0"


def test_numbers_are_never_cut_when_told_so():
    assert only(range(50), bins=None).numbers == tuple(range(50))


def test_own_edges_are_used_even_for_few_numbers():
    feature = only([19, 20, 40], edges={"x": [18, 33]})
    assert feature == Feature("x", ("<= 18", "19-33", "> 33"), ordered=True, edges=(18, 33))


@pytest.mark.parametrize(
    ("edges", "integers", "labels"),
    [
        ([2319.5], False, ("<= 2319.5", "> 2319.5")),
        ([16, 17], True, ("<= 16", "17", "> 17")),
        ([18, 33.5], True, ("<= 18", "19-33", "> 33.5")),
        ([0.5, 1.25], False, ("<= 0.5", "above 0.5 up to 1.25", "> 1.25")),
        ([2.2, 2.7], True, ("<= 2.2", "above 2.2 up to 2.7", "> 2.7")),
    ],
)
def test_bins_have_readable_labels(edges, integers, labels):
    assert bin_labels(edges, integers=integers) == labels


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(-1000, 1000).map(float), min_size=1, max_size=60),
    st.integers(2, 6),
)
def test_every_number_of_the_frame_has_a_level_and_bins_keep_the_order(numbers, bins):
    frame = pd.DataFrame({"x": np.sort(np.array(numbers))})
    schema = infer_schema(frame, bins=bins)
    codes = schema.encode(frame)[:, 0]
    assert (np.diff(codes) >= 0).all()
    assert set(codes) == set(range(schema.levels[0]))
    assert (schema.encode(schema.decode(codes[:, None]))[:, 0] == codes).all()


def test_frames_with_numbered_columns_are_read_and_coded():
    numbered = pd.DataFrame({0: [1, 2], 1: ["b", "a"]})
    schema = infer_schema(numbered, columns=[1, 0], edges={0: [1]})
    assert schema.names == ("1", "0")
    assert schema.encode(numbered).tolist() == [[1, 0], [0, 1]]
    assert schema.encode(numbered.to_numpy()).tolist() == [[1, 0], [0, 1]]
    assert schema.index(0) == schema.index("0") == 1


def test_only_the_named_columns_become_features():
    frame = pd.DataFrame({"a": [1, 2], "b": [None, 1], "c": ["u", "v"]})
    assert infer_schema(frame, columns=["c", "a"]).names == ("c", "a")


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Series(["b", None, "a"]), ("a", "b")),
        (pd.Series(["b", None, "a", np.nan], dtype=object), ("a", "b")),
        (pd.Series([2, None, 1]), ("1", "2")),
        (pd.Series([2, None, 1], dtype="Int64"), ("1", "2")),
        (pd.Series([True, None]), ("False", "True")),
        (pd.Series([*range(100), None]), ("<= 20", "21-50", "51-80", "> 80")),
        (pd.Series(pd.Categorical(["y", None], ["z", "y"])), ("z", "y")),
        (pd.Series([None, None], dtype=object), ("any value",)),
        (pd.Series([np.nan, np.nan]), ("any number",)),
    ],
)
def test_missing_values_are_a_level_of_their_own(column, levels):
    feature = only(column)
    assert feature.levels == (*levels, "missing")
    schema = infer_schema(column.to_frame("x"))
    assert (schema.encode(column.to_frame("x"))[column.isna(), 0] == feature.missing_level).all()
    assert Feature.from_dict(feature.to_dict()) == feature


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (pd.DataFrame({"x": [1.0, np.inf]}), {}, "column 'x', row 1: the number is infinite"),
        (
            pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}),
            {},
            "column 'x' holds dates or times .datetime64.",
        ),
        (pd.DataFrame({"x": pd.cut([1, 2], 2)}), {}, "column 'x' holds intervals; turn them into texts"),
        (pd.DataFrame({"x": pd.Categorical([b"a", b"b"])}), {}, "column 'x' holds bytes values; turn them"),
        (pd.DataFrame({"x": pd.Categorical([Decimal(1)])}), {}, "column 'x' holds decimal values; turn them"),
        (pd.DataFrame({"x": [1 + 2j]}), {}, "column 'x' holds complex values"),
        (
            pd.DataFrame({"x": [None, 30, 41, "unknown", 52]}, index=list("abcde")),
            {},
            "holds numbers and texts: the first of these texts is 'unknown' in row d; turn all values into",
        ),
        (pd.DataFrame({"x": [True, "a", "b"]}), {}, "holds texts and truth values: .* is True in row 0;"),
        (pd.DataFrame({"x": ["a", b"a"]}), {}, "texts and values of the type bytes: .* is b'a' in row 1;"),
        (pd.DataFrame({"x": []}), {}, "empty frame; give at least one row"),
        (pd.DataFrame(), {}, "no columns; give at least one"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), {}, "2 columns named 'x'"),
        (pd.DataFrame({"x": [1]}), {"columns": ["y"]}, "lacks the column 'y'"),
        (pd.DataFrame({"x": [1]}), {"edges": {"y": [1]}}, "edges are given for 'y'"),
        (pd.DataFrame({"x": [1], "y": [1]}), {"columns": ["x"], "edges": {"y": [1]}}, "not one of the"),
        (pd.DataFrame({"x": ["a"]}), {"edges": {"x": [1]}}, "of category values; leave it out"),
        (pd.DataFrame({"x": [1]}), {"edges": {"x": []}}, "empty list of edges"),
        (pd.DataFrame({"x": [1]}), {"edges": {"x": [2, 1]}}, "edges must increase"),
        (pd.DataFrame({"x": [1]}), {"edges": {"x": [np.nan]}}, "edges must be finite numbers"),
        (pd.DataFrame({"x": [1]}), {"edges": {"x": ["1", "2"]}}, "edges must be finite numbers"),
        (pd.DataFrame({"x": [1]}), {"edges": {"x": 3}}, "edges of 'x' must be a list of numbers, not 3"),
        (pd.DataFrame({"x": [1]}), {"edges": [3]}, "edges must be a dict of column to what is wanted"),
        (pd.DataFrame({"x": [1]}), {"bins": 1}, "at least 2"),
        (pd.DataFrame({"x": [1]}), {"max_levels": None}, "max_levels is None; it must be an integer"),
        ([[1]], {}, "must be a pandas DataFrame .*, not list"),
    ],
)
def test_frames_without_a_clear_schema_are_refused(frame, options, words):
    with pytest.raises(InputError, match=words):
        infer_schema(frame, **options)
