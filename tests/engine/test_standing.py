"""Tests that what is proved outlives the columns that were known at that moment."""

from __future__ import annotations

from engine.table.tables import names_of, random_table, table_of
from oneformany.engine.standing import Cases, nothing_known
from oneformany.engine.table.fewest import solve_cover


def test_a_proof_is_kept_where_the_columns_change():
    table = table_of([[0, 1], [1, 2], [0, 2]], 3)
    standing = solve_cover(table)
    assert standing.bound == 2
    other = solve_cover(table_of([[0, 1, 2]], 3))
    mixed = other.proved_by(standing)
    assert (len(mixed.chosen), mixed.bound) == (1, 2)
    assert mixed.exclusion is standing.exclusion
    assert other.by_weights(standing.weights).bound == 2
    assert not len(standing.closed.open)


def test_of_two_cases_the_weaker_bound_holds():
    one, two = solve_cover(table_of([[0, 1, 2]], 3)), solve_cover(table_of([[0, 1], [1, 2], [0, 2]], 3))
    cases = Cases((0, 1), together=two, apart=one)
    assert cases.bound == 1
    split = nothing_known(one.table).by_cases(Cases((0, 1), two, two))
    assert (split.bound, split.weights, split.exclusion) == (2, None, None)
    assert split.duals is None
    assert one.proved_by(split).cases is split.cases


def test_an_exclusion_holds_its_own_columns():
    table = random_table(0, 36, 110, 4)
    standing = solve_cover(table)
    assert standing.exclusion is not None
    assert set(names_of(standing.exclusion.columns)) < set(names_of(table))
