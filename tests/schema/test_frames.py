import numpy as np
import pandas as pd
import pytest

from oneformany.exceptions import InputError
from oneformany.readers.columns import Rows
from oneformany.schema.frames import ColumnValues, alike
from oneformany.schema.schema import ValueSchema


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, 1, 3]),
        pd.Series([0.5, None, 0.25]),
        pd.Series(["b", "a", None]),
        pd.Series([True, False, True]),
        pd.Series(pd.Categorical(["y", "x", "y"], ["z", "y", "x"])),
        pd.Series([3, None, 1], dtype="Int64"),
        pd.Series(["b", "a", "b"], dtype="string"),
    ],
)
def test_values_in_their_own_types_give_the_column_back(column):
    found = ColumnValues.of(column.rename("x"))
    schema = ValueSchema.of(["x"], [found.array], {})
    again = Rows.of(schema).frame(found.codes[:, None])["x"]
    pd.testing.assert_series_equal(again, column.rename("x"))


def test_numbers_increase_and_the_gap_is_last():
    found = ColumnValues.of(pd.Series([5.0, np.nan, -1.0, 2.0], name="x"))
    assert found.plain == (-1.0, 2.0, 5.0, None)
    assert found.codes.tolist() == [2, 3, 0, 1]
    assert found.gaps.tolist() == [False, False, False, True]


def test_values_that_no_row_has_are_added_in_the_columns_type():
    found = ColumnValues.of(pd.Series([5, 1], name="x")).with_values([3, 5])
    assert found.plain == (1, 3, 5)
    assert str(found.array.dtype) == "int64"
    assert found.codes.tolist() == [2, 0]
    wide = ColumnValues.of(pd.Series([5, 1], name="x")).with_values([2.5])
    assert wide.plain == (1, 2.5, 5)
    kind = ColumnValues.of(pd.Series(pd.Categorical(["a"]), name="x")).with_values(["b"])
    assert kind.plain == ("a", "b")
    assert isinstance(kind.array.dtype, pd.CategoricalDtype)


def test_infinite_numbers_and_dates_are_refused():
    with pytest.raises(InputError, match="row b: the number is infinite"):
        ColumnValues.of(pd.Series([1, np.inf], index=["a", "b"], name="x"))
    with pytest.raises(InputError, match="holds dates"):
        ColumnValues.of(pd.Series(pd.to_datetime(["2024-01-01"]), name="x"))


def test_none_and_not_a_number_are_two_missing_values():
    column = pd.Series(["b", None, "a", np.nan, None], dtype=object, name="x")
    found = ColumnValues.of(column)
    again = Rows.of(ValueSchema.of(["x"], [found.array], {})).frame(found.codes[:, None])["x"]
    assert [type(value) for value in again] == [type(value) for value in column]
    assert found.gaps.tolist() == [False, False, True, True]
    assert found.plain == ("a", "b", None, None)
    assert [type(value) for value in found.with_values(["c"]).array] == [str, str, str, float, type(None)]


@pytest.mark.parametrize(
    ("values", "dtype", "taken"),
    [
        ([1.0, 2.0], "int64", True),
        ([1.0, 2.5], "int64", False),
        ([1.0, None], "Int64", True),
        ([1.0, None], "int64", False),
        (["a", None], "string", True),
    ],
)
def test_a_type_is_taken_where_it_changes_no_value(values, dtype, taken):
    column = pd.Series(values)
    assert alike(column, dtype).dtype == (dtype if taken else column.dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "double[pyarrow]"])
def test_zero_has_no_sign(dtype):
    found = ColumnValues.of(pd.Series([0.0, -0.0, 1.0], dtype=dtype))
    assert (found.plain, found.codes.tolist(), str(found.array.dtype)) == ((0.0, 1.0), [0, 0, 1], dtype)
