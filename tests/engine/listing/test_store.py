"""Columns found so far: equal groups are kept once, and hash codes only save comparisons."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from oneformany.engine.listing import kernels
from oneformany.engine.listing import store as module
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.store import Store, columns_of, going_to
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop


def any_problem():
    rng = np.random.default_rng(0)
    tables = list(rng.integers(-3, 4, size=(5, 3)))
    return Problem(rng.integers(3, size=(40, 5)), (3,) * 5, AdditiveOracle(tables, 0.0, 4.0), 2)


def found(groups, costs=None, feature=0, target=0):
    """Groups that change one feature."""
    starts = np.cumsum([0, *map(len, groups)])
    rows = np.concatenate(groups).astype(np.int32)
    paid = np.zeros(len(rows), dtype=np.int64) if costs is None else np.array(costs)
    changed = np.tile(np.arange(5) == feature, (len(groups), 1))
    return ColumnTable(starts, rows, paid, changed, np.where(changed, target, NO_CELL), 40, complete=False)


def test_each_row_of_a_group_pays_for_the_targets_that_it_is_not_at():
    costs = Costs(([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [[0, 7], [7, 0]]))
    oracle = AdditiveOracle([[0, 1, 2], [0, 1]], threshold=2)
    ground = Ground.of(Problem([[0, 0], [1, 1], [2, 0]], (3, 2), oracle, 2, costs=costs))
    starts, rows = np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32)
    paid = columns_of(ground, np.array([0, 1]), starts, rows, np.array([[1, 1], [0, 0]], dtype=np.int32))
    assert paid.costs.tolist() == [2 + 7, 0, 5]
    single = going_to(ground, np.array([2, 0]), np.array([[0, 0], [1, 1]]))
    assert single.costs.tolist() == [5, 2 + 7]
    assert single.changed.tolist() == [[True, False], [True, True]]
    assert single.targets.tolist() == [[0, 0], [1, 1]]


def test_groups_are_told_apart_by_rows_when_codes_are_equal():
    starts, rows = np.array([0, 2, 4, 6]), np.array([1, 4, 2, 3, 1, 4], dtype=np.int32)
    costs, slots, leads = (
        np.zeros(6, dtype=np.int64),
        np.full(8, -1, dtype=np.int32),
        np.empty(3, dtype=np.int64),
    )
    keys = np.zeros(5, dtype=np.uint64)
    kernels.leading(starts, rows, costs, np.ones(5, dtype=np.int64), keys, False, slots, leads)
    assert leads.tolist() == [0, 1, 0]


def test_of_equal_groups_the_cheaper_stays():
    store = Store(Ground.of(any_problem()), costed=False)
    for total, cell in ((3, 0), (1, 1), (2, 2)):
        store.absorb(found([[1, 4]], [total, 0], feature=cell, target=cell))
    assert len(store.columns) == 1
    assert store.columns.costs.tolist() == [1, 0]
    assert (store.columns.changed[0, 1], store.columns.targets[0, 1]) == (True, 1)


def test_with_costs_a_group_is_kept_that_is_cheaper_for_some_row():
    store = Store(Ground.of(any_problem()), costed=True)
    for costs in ([3, 0], [0, 2], [3, 1]):  # the last is beaten by the first
        store.absorb(found([[1, 4]], costs))
    store.reduce(Stop())
    assert store.columns.costs.tolist() == [3, 0, 0, 2]


def test_dominated_columns_are_dropped_and_equal_groups_are_still_known_afterwards():
    store = Store(Ground.of(any_problem()), costed=False)
    four = found([[1], [1, 4], [2, 3], [4]])
    store.absorb(four)
    assert len(store.columns) == 4
    store.reduce(Stop(0))
    assert len(store.columns) == 4
    store.reduce(Stop())
    assert (store.columns.starts.tolist(), store.columns.rows.tolist()) == ([0, 2, 4], [1, 4, 2, 3])
    store.absorb(four)
    assert len(store.columns) == 4  # the two that are held, and the two that were dropped
    assert store.covered()[[1, 2, 3, 4]].all()
    assert store.covered().sum() == 4


def test_a_store_grows_and_forgets_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    store = Store(Ground.of(any_problem()), costed=False)
    n, known, batches = len(store.ground.rows), set(), []
    for _ in range(6):
        groups = [np.flatnonzero(rng.random(n) < 0.4) for _ in range(400)]
        batches.append(found(groups))
        store.absorb(batches[-1])
        known |= {tuple(group.tolist()) for group in groups}
    for again in batches:  # nothing new
        store.absorb(again)
        monkeypatch.setattr(module, "ROOM", 100)
    held = {tuple(store.columns.rows[begin:end].tolist()) for begin, end in pairwise(store.columns.starts)}
    assert len(store.columns) == len(known) > 1_024
    assert held == known
