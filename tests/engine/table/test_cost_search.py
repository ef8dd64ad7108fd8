"""Searches for cheap columns: what they begin with, and which columns they leave out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import choices, people_of, table_of, tables
from engine.table.test_cost import cost_maps, least, total
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.cost_search import CostSearch, price_bound
from oneformany.engine.table.options import Search
from oneformany.exceptions import InputError


@settings(max_examples=150, deadline=None)
@given(case=tables(most_columns=5, with_costs=True), k=st.integers(1, 3), data=st.data())
def test_no_prices_prove_more_than_the_least_cost(case, k, data):
    table, people = case
    needed = data.draw(st.integers(0, max(people_of(table, people, chosen) for chosen in choices(table, k))))
    price = st.integers(0, 8 * ONE_IN_COVERS)
    prices = np.array(data.draw(st.lists(price, min_size=table.n_rows, max_size=table.n_rows)))
    found = price_bound(table, people, prices, k, needed)
    assert found.value <= least(table, people, k, needed) * ONE_IN_COVERS
    for column, costs in enumerate(cost_maps(table)):
        saved = (people[row] * max(0, prices[row] - ONE_IN_COVERS * cost) for row, cost in costs.items())
        assert found.savings[column] == sum(saved)


@settings(max_examples=60, deadline=None)
@given(case=tables(most_columns=6, with_costs=True), share=st.floats(0, 1))
def test_columns_that_are_left_out_are_part_of_nothing_cheaper(case, share):
    table, people = case
    needed = int(np.ceil(share * people_of(table, people, range(len(table)))))
    start = next(some for some in choices(table, len(table)) if people_of(table, people, some) >= needed)
    k = len(start)
    search = CostSearch(table, people, k, needed, np.array(start, dtype=np.int64), Search())
    search.relax()
    usable, maps = set(search.usable().tolist()), cost_maps(table)
    for chosen in choices(table, k):
        if people_of(table, people, chosen) >= needed:
            cheaper = total(maps, people, chosen, needed) < search.cost
            assert not cheaper or set(chosen) <= usable
    assert search.cost_bound <= least(table, people, k, needed) <= search.cost


def test_a_column_that_is_cheaper_by_one_stays_and_one_that_is_as_dear_is_left_out():
    table = table_of([[0], [0], [0]], 1, [[2], [1], [2]])
    search = CostSearch(table, np.array([1]), 1, 1, np.array([0]), Search())
    search.relax()
    assert (search.cost, search.cost_bound) == (2, 1)
    assert search.usable().tolist() == [1]


def test_only_cheaper_columns_that_are_few_enough_and_serve_enough_are_taken():
    table = table_of([[0, 1], [0], [1], [0, 1]], 2, [[3, 3], [0], [0], [1, 3]])
    search = CostSearch(table, np.array([1, 1]), 1, 2, np.array([0]), Search())
    assert search.cost == 6
    for columns in ([1], [1, 2], [0]):  # too few people, too many columns, no cheaper
        search.offer(np.array(columns))
        assert search.best.tolist() == [0]
    search.offer(np.array([3]))
    assert (search.best.tolist(), search.cost) == ([3], 4)


def test_whoever_pays_most_is_left_out_where_fewer_people_are_needed():
    table = table_of([[0, 1, 2]], 3, [[2, 5, 0]])
    owner, paid = CostSearch(table, np.array([1, 1, 1]), 1, 2, np.array([0]), Search()).served(np.array([0]))
    assert (owner.tolist(), paid.tolist()) == ([0, -1, 0], [2, 0, 0])


def test_a_start_that_serves_too_few_is_refused():
    table = table_of([[0], [1]], 2, [[1], [1]])
    with pytest.raises(InputError, match="serve at least 2"):
        solve_cost(table, np.array([1, 1]), 1, 2, np.array([0]))
