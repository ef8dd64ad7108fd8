"""Tests that what is proved outlives the columns that were known at that moment."""

from __future__ import annotations

import numpy as np

from engine.table.tables import names_of, random_table, table_of
from oneformany.engine.table.fewest import solve_cover


def test_a_proof_is_kept_where_the_columns_change():
    table = table_of([[0, 1], [1, 2], [0, 2]], 3)
    standing = solve_cover(table)
    assert (standing.bound, standing.capacity) == (2, standing.weights.capacity)
    other = solve_cover(table_of([[0, 1, 2]], 3))
    mixed = other.proved_by(standing)
    assert (len(mixed.chosen), mixed.bound) == (1, 2)
    assert mixed.exclusion is standing.exclusion
    chosen = standing.choosing(standing.columns, standing.covered)
    assert chosen.chosen.tolist() == [0, 1]
    assert np.array_equal(chosen.columns.rows, standing.columns.rows)


def test_an_exclusion_holds_its_own_columns():
    table = random_table(0, 36, 110, 4)
    standing = solve_cover(table)
    assert standing.exclusion is not None
    assert set(names_of(standing.exclusion.columns)) < set(names_of(table))
