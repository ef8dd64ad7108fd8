"""The greedy cover takes the largest remainder, covers all rows and keeps nothing superfluous."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany.engine.columns import Column
from oneformany.engine.cover.greedy import greedy_cover, swap_columns
from oneformany.engine.cover.incidence import Incidence, joined


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


@given(data=st.data())
def test_a_sweep_of_swaps_gives_each_column_in_turn_the_best_one_in_its_stead(data):
    n = data.draw(st.integers(1, 8))
    groups = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=8))
    people = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    chosen = data.draw(st.lists(st.integers(0, len(groups) - 1), max_size=3))
    starts, rows = joined([np.array(sorted(group)) for group in groups])
    swapped = np.array(chosen, dtype=np.int64)
    swaps = swap_columns(Incidence.of(starts, rows.astype(np.int32), n), people, swapped)
    expected = list(chosen)
    for index, old in enumerate(chosen):
        others = set().union(*(groups[c] for i, c in enumerate(expected) if i != index))
        gains = [sum(people[row] for row in group - others) for group in groups]
        best = int(np.argmax(gains))
        expected[index] = best if gains[best] > gains[old] else old
    assert swapped.tolist() == expected
    assert swaps == sum(a != b for a, b in zip(chosen, expected, strict=True))
