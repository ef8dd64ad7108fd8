"""Rows as pairs of row and level of cost, against looking up who pays what."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import choices, table_of, tables
from engine.table.test_cost import cost_maps
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.cost_levels import (
    CostLevels,
    addable,
    cheapest,
    cheapest_rows,
    column_savings,
    people_at_prices,
)

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=7)


def levels_of(table):
    return CostLevels.of(table, table.n_rows)


@pytest.mark.parametrize("one", [1, 10**17])  # a row times a cost may be more than a number holds
def test_a_row_has_one_level_per_cost_and_a_column_holds_its_own_and_all_above(one):
    levels = levels_of(table_of([[0, 200], [0], [200]], 201, [[3 * one, 4 * one], [one], [4 * one]]))
    assert levels.owner.tolist() == [0, 0, 200]
    assert levels.costs.tolist() == [one, 3 * one, 4 * one]
    assert levels.last.tolist() == [False, True, True]
    assert levels.lowest[[0, 200]].tolist() == [one, 4 * one]
    assert [levels.incidence.group(column).tolist() for column in range(3)] == [[1, 2], [0, 1], [2]]
    assert levels.losses(10 * one).tolist() == [2 * one, 7 * one, 6 * one]


@settings(max_examples=100, deadline=None)
@given(case=tables(most_columns=5, with_costs=True), unserved=st.integers(0, 9))
def test_what_uncovered_pairs_lose_is_what_a_row_pays_beyond_its_least(case, unserved):
    table, _ = case
    levels, maps = levels_of(table), cost_maps(table)
    losses = levels.losses(unserved)
    for chosen in choices(table, len(table)):
        covered = levels.incidence.covered_by(np.array(chosen, dtype=np.int64))
        lost = np.bincount(levels.owner, np.where(covered, 0.0, losses), table.n_rows)
        for row in np.unique(table.rows).tolist():
            pays = min((maps[c][row] for c in chosen if row in maps[c]), default=unserved)
            assert min(levels.lowest[row], unserved) + lost[row] == min(pays, unserved)


@settings(max_examples=50, deadline=None)
@given(case=tables(with_costs=True))
def test_with_all_losses_as_duals_every_row_is_priced_at_being_served_by_nobody(case):
    table, people = case
    levels = levels_of(table)
    prices = levels.prices(levels.losses(9) * people[levels.owner], people)
    served = np.isin(np.arange(table.n_rows), table.rows)
    assert prices.tolist() == np.where(served, 9 * ONE_IN_COVERS, 0).tolist()


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
    monkeypatch.setattr("oneformany.engine.table.cost_levels.STEPS_OF_A_SHARE", most_steps)
    costs, people = np.array([5, 4, 4]), np.array([3, 2, 2])
    kept, certain = cheapest_rows(costs, people, 3)
    # The dearest row goes first; leaving out the two others would save 16 instead of 15.
    assert kept.tolist() == ([False, True, True] if most_steps == 0 else [True, False, False])
    assert certain == (most_steps > 0)


@settings(max_examples=50, deadline=None)
@given(case=tables(most_columns=5, with_costs=True))
def test_every_row_is_served_by_the_first_of_the_cheapest_columns(case):
    table, _ = case
    maps = cost_maps(table)
    for chosen in choices(table, len(table)):
        owner, least = cheapest(table, np.array(chosen, dtype=np.int64), table.n_rows)
        for row in range(table.n_rows):
            pays = [(maps[column][row], index) for index, column in enumerate(chosen) if row in maps[column]]
            assert (least[row], owner[row]) == min(pays, default=(0, -1))


def test_at_costs_beyond_all_prices_nothing_is_saved():
    table, people = table_of([[0, 1], [0], [1]], 2, [[10**15, 10**15], [3 * 10**16], [0]]), np.array([1, 1])
    assert column_savings(table, people, np.array([5, 5])).tolist() == [0, 0, 5]
    levels = levels_of(table)
    assert not addable(levels.prices(levels.losses(10**17), people), people)
