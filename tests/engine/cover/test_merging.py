"""Rows that no choice of columns tells apart count as one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oneformany.engine.cover.merging import merged

entries = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 5)), st.integers(0, 1), max_size=14)


def joined(found, people, *, apart=False):
    """Columns of (row, cost) pairs, merged."""
    sizes = [sum(column == number for column, _ in found) for number in range(4)]
    order = sorted(found)
    rows = np.array([row for _, row in order], dtype=np.int32)
    costs = np.array([found[key] for key in order], dtype=np.int64)
    return merged(np.cumsum([0, *sizes]), rows, costs, people, apart=apart)


@given(found=entries, data=st.data())
def test_rows_are_joined_exactly_when_they_pay_the_same_in_the_same_columns(found, data):
    people = np.array(data.draw(st.lists(st.integers(1, 4), min_size=6, max_size=6)))
    small = joined(found, people)
    pays = {
        row: {(column, cost) for (column, other), cost in found.items() if other == row} for row in range(6)
    }
    for one in range(6):
        assert (small.classes[one] < 0) == (not pays[one])
        for other in range(6):
            if pays[one] and pays[other]:
                assert (small.classes[one] == small.classes[other]) == (pays[one] == pays[other])
    for number, members in enumerate(small.members):
        assert int(small.people[number]) == sum(int(people[row]) for row in members)
    again = {
        (column, int(row)): int(cost)
        for column in range(4)
        for row, cost in zip(
            small.rows[small.starts[column] : small.starts[column + 1]],
            small.costs[small.starts[column] : small.starts[column + 1]],
            strict=True,
        )
    }
    assert again == {(column, int(small.classes[row])): cost for (column, row), cost in found.items()}


def test_rows_may_be_kept_apart():
    found = {(0, 0): 1, (0, 1): 1}
    assert joined(found, np.ones(6, dtype=np.int64)).classes.tolist() == [0, 0, -1, -1, -1, -1]
    assert joined(found, np.ones(6, dtype=np.int64), apart=True).classes.tolist() == [0, 1, -1, -1, -1, -1]
