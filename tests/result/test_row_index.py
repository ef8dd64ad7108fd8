"""Tests that labels of rows are the frame's own, in memory, in tables and after a file."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.result import Result
from oneformany.result.row_index import RowIndex

INDEXES = [
    pd.RangeIndex(3),
    pd.RangeIndex(3, name="row"),
    pd.Index([7, -2, 5]),
    pd.Index([7, 7, 5], name="id"),
    pd.Index(["ann", "bob", "ann"], name="who"),
    pd.Index(["1", "2", "3"], dtype=object),
    pd.Index([0.5, 1.5, 2.0]),
    pd.Index([True, False, True]),
    pd.Index([1, 2, 3], dtype="int32", name=5),
    pd.DatetimeIndex(["2026-01-01", "2026-03-01", "2026-02-01"], name="day"),
    pd.DatetimeIndex(["2026-01-01", "2026-03-01", "2026-02-01"], tz="Europe/Paris"),
    pd.period_range("2026-01", periods=3, freq="M"),
    pd.CategoricalIndex(["a", "b", "a"]),
    pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["site", "case"]),
    pd.MultiIndex.from_arrays([pd.DatetimeIndex(["2026-01-01", "2026-03-01", "2026-02-01"]), [1.5, 2, 3]]),
    pd.MultiIndex.from_arrays([[1, 2, 3], pd.Categorical(["a", "b", "a"])], names=[("x", 1), None]),
    pd.RangeIndex(3, name=("site", 5)),
    pd.Index([1, 2, 3], dtype="Int64"),
    pd.Index(["x", None, 3], dtype=object),
]


@pytest.fixture(scope="module")
def result():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    return solve(Problem(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), (2, 2, 2), oracle, max_changes=2))


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: f"{type(index).__name__}-{index.dtype}")
def test_the_assignment_frame_has_the_index_of_the_users_frame(result, index):
    labelled = replace(result, index=RowIndex.of(index))
    pd.testing.assert_index_equal(labelled.assignment_frame().index, index, exact="equiv")
    assert labelled.index == tuple(index)


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: f"{type(index).__name__}-{index.dtype}")
def test_labels_survive_a_file(result, index):
    labelled = replace(result, index=RowIndex.of(index))
    again = Result.from_json(labelled.to_json())
    assert again == labelled
    pd.testing.assert_index_equal(again.assignment_frame().index, index, exact="equiv")


def test_joining_to_the_users_frame_pairs_the_right_people(result):
    frame = pd.DataFrame({"name": ["ann", "bob", "eve", "joe"]}, index=[30, 10, 20, 40])
    labelled = replace(result, index=RowIndex.of(frame.index[[3, 1, 0]]))
    joined = frame.join(labelled.assignment_frame())
    assert joined.loc[20, "explanation"] is pd.NA
    assert joined.loc[40, "changes"] == 2
    assert joined.loc[10, "feature 0"] is None or pd.isna(joined.loc[10, "feature 0"])


def test_the_file_says_of_which_type_the_index_of_a_frame_was(result):
    assert '"dtype":"int64","names":["id"]' in replace(result, index=pd.Index([1, 2, 3], name="id")).to_json()
    assert "index_type" not in result.to_json()


def test_labels_survive_copying():
    index = RowIndex.of(pd.Index([3, 4], name="id"))
    again = copy(index)
    assert (again, again.names, again.dtype) == (index, index.names, index.dtype)
