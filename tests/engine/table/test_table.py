"""Columns as arrays."""

from __future__ import annotations

import numpy as np

from oneformany.engine.table.table import NO_CELL, ColumnTable


def any_table():
    return ColumnTable(
        starts=np.array([0, 2, 3, 6]),
        rows=np.array([0, 3, 1, 0, 2, 3], dtype=np.int32),
        costs=np.arange(6),
        changed=np.eye(3, dtype=np.bool_),
        targets=np.full((3, 3), NO_CELL, dtype=np.int32),
        n_rows=4,
        complete=True,
    )


def test_a_column_has_its_own_rows():
    table = any_table()
    assert len(table) == 3
    assert [table.group(column).tolist() for column in range(3)] == [[0, 3], [1], [0, 2, 3]]


def test_some_columns_in_another_order_are_a_table_that_is_not_complete():
    part = any_table().take(np.array([2, 0]))
    assert [part.group(column).tolist() for column in range(2)] == [[0, 2, 3], [0, 3]]
    assert part.costs.tolist() == [3, 4, 5, 0, 1]
    assert part.changed.tolist() == [[False, False, True], [True, False, False]]
    assert part.n_rows == 4
    assert not part.complete


def test_tables_behind_each_other_are_one():
    table = any_table()
    both = table.followed_by(table.take(np.array([1])), table.take(np.array([0])))
    groups = [both.group(column).tolist() for column in range(5)]
    assert groups == [[0, 3], [1], [0, 2, 3], [1], [0, 3]]
    assert both.changed[3:].tolist() == [[False, True, False], [True, False, False]]
    assert (both.complete, both.bytes) == (True, table.bytes + 3 * 12 + 2 * 23)


def test_no_columns_are_fine():
    part = any_table().take(np.array([], dtype=np.int64))
    assert len(part) == 0
    assert len(part.costs) == 0
