"""Which columns hold which rows, both ways round, against sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneformany.engine.cover import incidence
from oneformany.engine.cover.greedy import greedy
from oneformany.engine.cover.incidence import Incidence, entries_of, gathered, merged, parts_of

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


def test_rows_know_their_columns_and_columns_their_weight():
    table = incidence_of([{0, 1}, {2}, {3, 4, 5}])
    assert table.columns_of(np.array([1, 2])).tolist() == [0, 1]
    assert table.loads(np.array([1, 2, 4, 8, 16, 32])).tolist() == [3, 4, 56]


@given(groups=tables, data=st.data())
def test_what_is_near_a_row_is_what_hops_over_shared_rows_reach_first(groups, data):
    table = incidence_of(groups)
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=len(groups), max_size=len(groups))))
    row = data.draw(st.sampled_from(range(N_ROWS)))
    hops, reached, distance = 0, {row}, {}
    while hops <= len(groups):
        hops += 1
        for column, group in enumerate(groups):
            if group & reached:
                distance.setdefault(column, hops)
        reached = reached.union(*(groups[column] for column in distance))
    found = table.near(row, inside, len(groups)).tolist()
    assert set(found) == {column for column in distance if inside[column]}
    assert [distance[column] for column in found] == sorted(distance[column] for column in found)
    assert table.near(row, inside, 1).tolist() == found[:1]


entries = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 5)), st.integers(0, 1), max_size=14)


def merge(found, people, *, apart=False):
    """Columns of (row, cost) pairs, merged."""
    sizes = [sum(column == number for column, _ in found) for number in range(4)]
    order = sorted(found)
    rows = np.array([row for _, row in order], dtype=np.int32)
    costs = np.array([found[key] for key in order], dtype=np.int64)
    return merged(np.cumsum([0, *sizes]), rows, costs, people, apart=apart)


@given(found=entries, data=st.data())
def test_rows_are_joined_exactly_when_they_pay_the_same_in_the_same_columns(found, data):
    people = np.array(data.draw(st.lists(st.integers(1, 4), min_size=6, max_size=6)))
    small = merge(found, people)
    pays = {
        row: {(column, cost) for (column, other), cost in found.items() if other == row} for row in range(6)
    }
    expected = {frozenset(pays[row]) for row in range(6) if pays[row]}
    assert sorted(row for members in small.members for row in members) == [row for row in pays if pays[row]]
    assert len(small.members) == len(expected)
    number = {row: index for index, members in enumerate(small.members) for row in members}
    for index, members in enumerate(small.members):
        assert len({frozenset(pays[row]) for row in members}) == 1
        assert int(small.people[index]) == sum(int(people[row]) for row in members)
    again = {
        (column, int(row)): int(cost)
        for column in range(4)
        for row, cost in zip(
            small.rows[small.starts[column] : small.starts[column + 1]],
            small.costs[small.starts[column] : small.starts[column + 1]],
            strict=True,
        )
    }
    assert again == {(column, number[row]): cost for (column, row), cost in found.items()}


def test_rows_may_be_kept_apart():
    found = {(0, 0): 1, (0, 1): 1}
    assert merge(found, np.ones(6, dtype=np.int64)).members == [[0, 1]]
    assert merge(found, np.ones(6, dtype=np.int64), apart=True).members == [[0], [1]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=tables, data=st.data())
def test_many_entries_are_looked_at_in_parts_and_nothing_else_changes(groups, data, monkeypatch):
    table, weights = incidence_of(groups), np.arange(1, N_ROWS + 1)
    columns = np.array(data.draw(st.lists(st.sampled_from(range(len(groups))), unique=True)), dtype=np.int64)
    needed = np.array(data.draw(st.lists(st.booleans(), min_size=N_ROWS, max_size=N_ROWS)))

    def all_answers():
        part, kept = table.part(columns, needed)
        return [
            *(part.starts, part.rows, part.row_starts, part.row_columns, kept),
            *(table.loads(weights), table.loads(weights / 7), table.covered_by(columns)),
            *(table.columns_of(np.flatnonzero(needed)), greedy(table, weights)),
            gathered(table.rows, table.starts, columns),
        ]

    expected = all_answers()
    with monkeypatch.context() as patch:
        patch.setattr(incidence, "ENTRIES_OF_A_PART", 3)
        parts = list(parts_of(table.starts, columns))
        found = all_answers()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.concatenate([columns[:0], *parts]).tolist() == columns.tolist()
    for part in parts:
        assert len(part) == 1 or table.sizes[part].sum() <= 3 + table.sizes[part].max()
