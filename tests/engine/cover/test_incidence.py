"""Which columns hold which rows, both ways round, against sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oneformany.engine.cover.incidence import Incidence, entries_of

N_ROWS = 6
tables = st.lists(st.frozensets(st.integers(0, N_ROWS - 1)), min_size=1, max_size=6)


def incidence_of(groups):
    ends = np.cumsum([0, *(len(group) for group in groups)])
    rows = np.array([row for group in groups for row in sorted(group)], dtype=np.int32)
    return Incidence.of(ends, rows, N_ROWS)


@given(groups=tables)
def test_it_reads_alike_by_columns_and_by_rows(groups):
    table = incidence_of(groups)
    assert (table.n_rows, table.n_columns) == (N_ROWS, len(groups))
    assert [set(table.group(column).tolist()) for column in range(len(groups))] == groups
    by_rows = [
        {column for column, group in enumerate(groups) if row in group}
        for row in np.flatnonzero(table.reachable)
    ]
    assert [
        set(table.row_columns[table.row_starts[row] : table.row_starts[row + 1]].tolist())
        for row in np.flatnonzero(table.reachable)
    ] == by_rows
    assert set(np.flatnonzero(table.reachable)) == set().union(*groups)


@given(groups=tables, data=st.data())
def test_parts_hold_the_needed_rows_of_some_columns(groups, data):
    table = incidence_of(groups)
    columns = data.draw(st.lists(st.sampled_from(range(len(groups))), unique=True))
    needed = np.array(data.draw(st.lists(st.booleans(), min_size=N_ROWS, max_size=N_ROWS)))
    part, kept = table.part(np.array(columns, dtype=np.int64), needed)
    assert kept.tolist() == np.flatnonzero(needed).tolist()
    assert [set(kept[part.group(number)].tolist()) for number in range(len(columns))] == [
        {row for row in groups[column] if needed[row]} for column in columns
    ]
    covered = set().union(*(groups[column] for column in columns))
    assert set(np.flatnonzero(table.covered_by(np.array(columns, dtype=np.int64)))) == covered


@given(groups=tables, data=st.data())
def test_the_entries_of_columns_come_one_column_after_the_other(groups, data):
    table = incidence_of(groups)
    columns = np.array(data.draw(st.lists(st.sampled_from(range(len(groups))))), dtype=np.int64)
    entries, starts = entries_of(table.starts, columns)
    found = [table.rows[entries[begin:end]].tolist() for begin, end in pairwise(starts)]
    assert found == [sorted(groups[column]) for column in columns]


def test_columns_are_taken_while_there_is_room_for_their_entries():
    table = incidence_of([{0, 1}, {2}, {3, 4, 5}])
    assert table.first_within(np.array([2, 1, 0]), 4).tolist() == [2, 1]
    assert table.columns_of(np.array([1, 2])).tolist() == [0, 1]
