"""Reading rows and reference data: in few steps, with no more numbers than there is time for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from oneformany import OneForMany
from oneformany.explainer.posing import pose
from oneformany.readers import own_values
from oneformany.readers.columns import Rows, probe
from oneformany.readers.inputs import CategoryCodes
from oneformany.schema.frames import ColumnValues, Table
from oneformany.schema.schema import ValueSchema
from oneformany.stop import Stop


def numbers_frame(rows, columns, seed=0):
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    return pd.DataFrame(values, columns=[f"x{index}" for index in range(columns)])


def test_columns_without_steps_become_what_probing_would_show():
    frame = pd.DataFrame(
        {"a": [1.5, np.nan, 0.0, 1.5], "b": [3, 1, 2, 2], "same": [7, 7, 7, 7], "c": ["u", "v", "w", "u"]}
    )
    transform = CategoryCodes("model", {"c": ["v", "u"]})  # "w" is unknown
    columns = [ColumnValues.of(frame[name]) for name in frame]
    rows = Rows.of(ValueSchema.of(tuple(frame), [column.array for column in columns], {}))
    seen = probe(lambda codes: transform(rows.frame(codes)), rows.schema.levels)
    made = transform.encoding({column.name: pd.Series(column.array) for column in columns})
    np.testing.assert_array_equal(made.constants, seen.constants)
    parts = [(*encoding.columns, *encoding.tables(np.eye(4))) for encoding in (made, seen)]
    for one, other in zip(*parts, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "values", [[3, 1, 2, 2], [0.5, np.nan, -0.0, 0.0], [1.0, 2.0, 3.0, np.inf], ["a", "b"] * 2]
)
def test_numbers_found_in_few_steps_are_those_found_in_many(values):
    both = pd.Series(values, name="x")
    few = ColumnValues.of_numbers(both, both.iloc[1:])
    if isinstance(values[0], str) or np.inf in values:
        assert few is None
        return
    many = ColumnValues.of(pd.concat([both, both.iloc[1:]]))
    assert (few.plain, few.kind, few.ordered) == (many.plain, many.kind, many.ordered)
    assert few.codes.tolist() == many.codes.tolist()
    assert few.array.dtype == many.array.dtype


def posed(model, reference, time_limit=None):
    asked = OneForMany(model, max_changes=1, reference=reference, share="point")
    return pose(asked, Table.of(reference.iloc[:40]), Stop(time_limit))


@pytest.mark.parametrize("kind", [LogisticRegression, HistGradientBoostingClassifier])
def test_numbers_beyond_what_a_limit_affords_are_not_looked_at_and_cells_stay_where_they_were(
    kind, monkeypatch
):
    frame = numbers_frame(3_000, 4)
    model = kind().fit(frame, frame.sum(axis=1) > 0)
    every = posed(model, frame)
    monkeypatch.setattr(own_values, "FEWEST_VALUES", 1_000)
    few = posed(model, frame, 1e-2)  # 250 numbers of each column, and those of the rows
    assert max(len(column.array) for column, _ in few.cells.columns) <= 250 + 40
    assert posed(model, frame, 1e-2).schema == few.schema
    assert own_values._affordable_values(frame, tuple(frame), Stop(1e-2).part(1e-3)) == 250  # the same cells
    assert (every.positive == few.positive).all()
    for index, (feature, own) in enumerate(zip(few.schema.features, every.schema.features, strict=True)):
        column = frame.iloc[:, index].to_numpy()
        assert few.cells.reference[:, index].tolist() == feature.find_all(column).tolist()
        if kind is LogisticRegression:
            shares = np.searchsorted(np.sort(column), np.stack([feature.edges, own.edges])) / len(column)
            # An edge is the roundest number within a quarter of a bin of its quantile, on either side.
            assert np.abs(shares[0] - shares[1]).max() <= 0.5 / 8 + 0.01
        for level in range(feature.n_levels):
            assert feature.target(level) in column


def test_without_a_limit_and_few_numbers_all_are_looked_at():
    frame = numbers_frame(3_000, 4)
    model = LogisticRegression().fit(frame, frame.sum(axis=1) > 0)
    assert posed(model, frame).cells.columns[0][0].array.shape == (3_000,)
    assert own_values._affordable_values(frame, tuple(frame), Stop(0.01)) is None
    assert own_values._affordable_values(pd.concat([frame] * 40), tuple(frame), Stop(0.01)) is None
    assert own_values._affordable_values(numbers_frame(40_000, 4), tuple(frame), Stop(0.5)) == 25_000
