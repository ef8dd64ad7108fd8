"""Who is served when fewer people are needed than could be, against trying everybody."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.table.left_out import cheapest_rows, people_at_prices

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=7)


def arrays_of(case):
    return (np.array(part, dtype=np.int64) for part in zip(*case, strict=True))


@settings(max_examples=150, deadline=None)
@given(case=rows, share=st.floats(0, 1.2))
def test_the_cheapest_people_are_those_of_a_sorted_queue(case, share):
    prices, people = arrays_of(case)
    needed = int(share * people.sum())
    queue = sorted(np.repeat(prices, people).tolist())
    assert people_at_prices(prices, people, needed) == sum(queue[:needed])


@settings(max_examples=150, deadline=None)
@given(case=rows, share=st.floats(0, 1.2))
def test_rows_are_left_out_whole_such_that_the_others_pay_least(case, share):
    costs, people = arrays_of(case)
    needed = int(share * people.sum())
    kept, certain = cheapest_rows(costs, people, needed)
    ways = np.array(list(product([False, True], repeat=len(costs))))
    enough = ways[ways @ people >= min(needed, people.sum())]
    assert certain
    assert people[kept].sum() >= min(needed, people.sum())
    assert (people * costs)[kept].sum() == (enough @ (people * costs)).min()
    assert kept[costs == 0].all()


@pytest.mark.parametrize("most_steps", [0, 10**6])
def test_a_knapsack_that_is_too_large_is_not_called_solved(monkeypatch, most_steps):
    monkeypatch.setattr("oneformany.engine.table.left_out.MOST_STEPS", most_steps)
    costs, people = np.array([5, 4, 4]), np.array([3, 2, 2])
    kept, certain = cheapest_rows(costs, people, 3)
    # The dearest row goes first; leaving out the two others would save 16 instead of 15.
    assert kept.tolist() == ([False, True, True] if most_steps == 0 else [True, False, False])
    assert certain == (most_steps > 0)
