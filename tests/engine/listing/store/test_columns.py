"""Columns found so far: equal groups are kept once, and hash codes only save comparisons."""

from __future__ import annotations

import numpy as np

from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.listing.store.columns import Found, Store
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem


def any_problem():
    rng = np.random.default_rng(0)
    tables = list(rng.integers(-3, 4, size=(5, 3)))
    return Problem(rng.integers(3, size=(40, 5)), (3,) * 5, AdditiveOracle(tables, 0.0, 4.0), 2)


def test_columns_are_told_apart_by_rows_when_codes_are_equal():
    problem = any_problem()
    table = list_columns(problem).table
    store = Store(Ground.of(problem), costed=False)
    store._keys[:] = 0
    features = np.array([0, 1])
    targets = np.zeros((len(table), 2), dtype=np.int32)
    for _ in range(2):
        store.absorb(Found(features, table.starts, table.rows, table.costs, targets))
    assert store.count == len(table)
    np.testing.assert_array_equal(store.rows, table.rows)


def test_of_equal_groups_the_cheaper_stays():
    store = Store(Ground.of(any_problem()), costed=False)
    starts, rows = np.array([0, 2]), np.array([1, 4], dtype=np.int32)
    for total, cell in ((3, 0), (1, 1), (2, 2)):
        costs, targets = np.array([total, 0]), np.full((1, 1), cell, dtype=np.int32)
        store.absorb(Found(np.array([cell]), starts, rows, costs, targets))
    assert store.count == 1
    assert store.costs.tolist() == [1, 0]
    assert (store.features[0, 0], store.targets[0, 0]) == (1, 1)
