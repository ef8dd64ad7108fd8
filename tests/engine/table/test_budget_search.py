"""Columns and weights for a number of columns: what is left out is part of nothing better."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import choices, people_of, table_of, tables
from oneformany.engine.table.budget_search import BudgetSearch
from oneformany.engine.table.options import Search, TableOptions
from oneformany.engine.table.tree import TreeProof


def relaxed(table, people, k, **switches):
    search = BudgetSearch(table.incidence, people, Search(options=TableOptions(**switches)))
    search.begin(k)
    for _ in search.relax(k):
        pass
    return search


@settings(max_examples=80, deadline=None)
@given(case=tables(), k=st.integers(1, 3))
def test_columns_that_are_left_out_reach_no_target(case, k):
    table, people = case
    search = relaxed(table, people, k)
    for chosen in choices(table, k):
        reached = people_of(table, people, chosen)
        assert set(chosen) <= set(search.usable(k, reached).tolist())
        assert search.covered(np.array(chosen, dtype=np.int64)) == reached


@settings(max_examples=80, deadline=None)
@given(case=tables(), k=st.integers(1, 3))
def test_a_complete_search_finds_the_most_people_and_excludes_one_more(case, k):
    table, people = case
    most = max(people_of(table, people, chosen) for chosen in choices(table, k))
    search = relaxed(table, people, k)
    found = search.settle(k, most)
    assert not isinstance(found, TreeProof)
    assert len(found) <= k
    assert people_of(table, people, found.tolist()) >= most
    assert isinstance(search.settle(k, most + 1), TreeProof)
    assert relaxed(table, people, k, exact=False).settle(k, most) is None


def test_a_start_is_taken_if_it_covers_more_than_greedy_does_with_so_many_columns():
    # Greedy takes the middle first, and then one side.
    table, people = table_of([[1, 2, 3, 4], [0, 1, 2], [3, 4, 5]], 6), np.ones(6, dtype=np.int64)
    search = BudgetSearch(table.incidence, people, Search(options=TableOptions(repair=False)))
    search.begin(2)
    assert search.covered(search.best) == 5
    search.begin(2, np.array([1, 2]))
    assert search.best.tolist() == [1, 2]
    search.begin(1, np.array([1, 2]))
    assert search.best.tolist() == [0]
    search.offer(np.array([1]))
    assert search.best.tolist() == [0]


def test_swaps_and_a_program_find_what_greedy_misses():
    table, people = table_of([[1, 2, 3, 4], [0, 1, 2], [3, 4, 5]], 6), np.ones(6, dtype=np.int64)
    swapped = BudgetSearch(table.incidence, people, Search())
    swapped.begin(2)
    assert sorted(swapped.best.tolist()) == [1, 2]
    plain = BudgetSearch(table.incidence, people, Search(options=TableOptions(repair=False)))
    plain.begin(2)
    found = plain.programmed(2, np.array([1.0, 0.0, 0.0]), np.array([1, 2]), plain.best, 10.0)
    assert sorted(found.tolist()) == [1, 2]
    assert plain.programmed(2, np.zeros(3), np.array([0]), plain.best, 10.0).tolist() == plain.best.tolist()
