"""Rows as pairs of row and level of cost, against looking up who pays what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import choices, table_of, tables
from engine.table.test_cost import cost_maps
from oneformany.engine.table.cost_levels import CostLevels


def levels_of(table):
    return CostLevels.of(table.starts, table.rows, table.costs, table.n_rows)


@pytest.mark.parametrize("widest", [0, 10**6])
def test_a_row_has_one_level_per_cost_and_a_column_holds_its_own_and_all_above(monkeypatch, widest):
    monkeypatch.setattr("oneformany.engine.table.cost_levels.WIDEST", widest)
    levels = levels_of(table_of([[0, 2], [0], [2]], 3, [[3, 4], [1], [4]]))
    assert levels.owner.tolist() == [0, 0, 2]
    assert levels.costs.tolist() == [1, 3, 4]
    assert levels.last.tolist() == [False, True, True]
    assert levels.lowest[[0, 2]].tolist() == [1, 4]
    assert [levels.incidence.group(column).tolist() for column in range(3)] == [[1, 2], [0, 1], [2]]
    assert levels.losses(10).tolist() == [2, 7, 6]


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
    np.testing.assert_allclose(prices, np.where(served, 9.0, 0.0))
