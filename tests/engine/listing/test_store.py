"""Columns found so far: equal groups are kept once, and hash codes only save comparisons."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.listing.store import Found, Store
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop


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


def test_with_costs_a_group_is_kept_that_is_cheaper_for_some_row():
    store = Store(Ground.of(any_problem()), costed=True)
    starts, rows = np.array([0, 2]), np.array([1, 4], dtype=np.int32)
    for costs in ([3, 0], [0, 2], [3, 1]):  # the last is beaten by the first
        store.absorb(Found(np.array([0]), starts, rows, np.array(costs), np.zeros((1, 1), dtype=np.int32)))
    assert store.costs.tolist() == [3, 0, 0, 2]


def test_dominated_columns_are_dropped_and_equal_groups_are_still_known_afterwards():
    store = Store(Ground.of(any_problem()), costed=False)
    groups = [[1], [1, 4], [2, 3], [4]]
    starts, rows = np.array([0, 1, 3, 5, 6]), np.array([1, 1, 4, 2, 3, 4], dtype=np.int32)
    found = Found(np.array([0]), starts, rows, np.zeros(6, dtype=np.int64), np.zeros((4, 1), dtype=np.int32))
    store.absorb(found)
    assert store.count == len(groups)
    store.reduce(Stop(0))
    assert store.count == len(groups)
    store.reduce(Stop())
    assert (store.starts.tolist(), store.rows.tolist()) == ([0, 2, 4], [1, 4, 2, 3])
    assert store.hold(starts, rows, np.arange(4)).tolist() == [True] * 4
    store.absorb(found)
    assert store.count == len(groups)  # the two that are held, and the two that were dropped
    assert store.covered()[[1, 2, 3, 4]].all()
    assert store.covered().sum() == 4


def test_a_store_grows_and_forgets_nothing():
    rng = np.random.default_rng(0)
    store = Store(Ground.of(any_problem()), costed=False)
    n, known, batches = len(store.ground.rows), set(), []
    for _ in range(6):
        groups = [np.flatnonzero(rng.random(n) < 0.4) for _ in range(400)]
        starts = np.cumsum([0, *(len(group) for group in groups)])
        rows = np.concatenate(groups).astype(np.int32)
        costs, targets = np.zeros(len(rows), dtype=np.int64), np.zeros((400, 1), dtype=np.int32)
        batches.append(Found(np.array([0]), starts, rows, costs, targets))
        store.absorb(batches[-1])
        known |= {tuple(group.tolist()) for group in groups}
    for found in batches:  # nothing new
        store.absorb(found)
    held = {tuple(store.rows[begin:end].tolist()) for begin, end in pairwise(store.starts)}
    assert store.count == len(known) > 1_024
    assert held == known
