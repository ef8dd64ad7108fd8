"""The greedy cover takes the largest remainder, covers all rows and keeps nothing superfluous."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany.engine.columns import Column
from oneformany.engine.cover.greedy import greedy_cover


def columns_of(groups):
    return [Column(np.zeros(1), np.zeros(1, dtype=np.bool_), np.array(sorted(group))) for group in groups]


def plainly(groups, n, taken=()):
    """The same by definition: count everything in every step."""
    chosen = list(taken)
    left = set(range(n)).difference(*(groups[c] for c in chosen))
    while left:
        best = max(range(len(groups)), key=lambda c: (len(groups[c] & left), -c))
        chosen.append(best)
        left -= groups[best]
    for c in sorted(chosen, key=lambda c: len(groups[c])):
        if set(range(n)) <= set().union(*(groups[other] for other in chosen if other != c)):
            chosen.remove(c)
    return chosen


@given(data=st.data())
def test_it_is_the_greedy_cover_by_definition(data):
    n = data.draw(st.integers(1, 8))
    groups = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), max_size=12))
    groups += [{row} for row in range(n)]
    taken = sorted(data.draw(st.sets(st.integers(0, len(groups) - 1), max_size=3)))
    columns = columns_of(groups)
    found = greedy_cover(columns, n, taken)
    assert [columns.index(column) for column in found] == plainly(groups, n, taken)
    assert set().union(*(column.rows.tolist() for column in found)) == set(range(n))


def test_rows_without_a_column_are_a_mistake_of_the_caller():
    with pytest.raises(AssertionError, match="column of its own"):
        greedy_cover(columns_of([{0}]), 2)
