"""Bits of listed rows, and the largest sets of rows that an action helps together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.few.masks import BitTable, Masks
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.stop import Stop


def draw_table(rng):
    """A table of bits, and what was judged."""
    rows, actions = int(rng.integers(1, 200)), int(rng.integers(1, 3000))
    chance = rng.choice([0.02, 0.3, 0.9], size=(rows, 1))
    judged = np.where(rng.random((rows, actions)) < chance, POSITIVE, NEGATIVE)
    judged = np.where((judged == POSITIVE) & (rng.random(judged.shape) < 0.1), NEAR, judged).astype(np.int8)
    table = BitTable.empty(actions)
    counts = [table.add(line) for line in judged]
    assert counts == (judged != NEGATIVE).sum(axis=1).tolist()
    return table, judged != NEGATIVE


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_masks_are_the_largest_sets_of_rows_with_the_action_of_best_rank(seed):
    rng = np.random.default_rng(seed)
    table, accepts = draw_table(rng)
    rows = np.sort(rng.permutation(len(accepts))[: int(rng.integers(1, 80))])
    rank = rng.integers(0, 5, size=table.n_actions).astype(np.int32)
    masks = Masks.of(table, rows, rank, Stop())
    every = {}
    for action, inside in enumerate(accepts[rows].T):
        every.setdefault(frozenset(np.flatnonzero(inside).tolist()), []).append(action)
    every.pop(frozenset(), None)
    largest = {some for some in every if not any(some < other for other in every)}
    found = [frozenset(np.flatnonzero(line).tolist()) for line in masks.inside(np.arange(len(masks)))]
    assert len(found) == len(masks) == len(set(found))
    assert set(found) == largest
    for some, action in zip(found, masks.actions.tolist(), strict=True):
        assert action in every[some]
        assert rank[action] == max(rank[other] for other in every[some])
    incidence = masks.incidence()
    assert [frozenset(incidence.group(column).tolist()) for column in range(len(masks))] == found


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_pair_that_was_withdrawn_is_gone_and_no_other(seed):
    rng = np.random.default_rng(seed)
    table, accepts = draw_table(rng)
    for row, action in rng.permutation(np.argwhere(accepts))[:5].tolist():
        table.withdraw(row, action)
        accepts[row, action] = False
    rows, actions = rng.permutation(len(accepts)), rng.permutation(table.n_actions)
    assert np.array_equal(table.accepts(rows, actions), accepts[np.ix_(rows, actions)])


def test_without_time_there_are_no_masks():
    table = BitTable.empty(3)
    table.add(np.array([POSITIVE, NEGATIVE, NEAR], dtype=np.int8))
    assert Masks.of(table, np.array([0]), np.zeros(3, dtype=np.int32), Stop(0)) is None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_loads_are_what_the_rows_of_an_action_weigh(seed):
    rng = np.random.default_rng(seed)
    table, accepts = draw_table(rng)
    weights = rng.integers(0, 2**40, size=len(accepts))
    assert np.array_equal(table.loads(weights), weights @ accepts)
    some = rng.permutation(table.n_actions)[: int(rng.integers(1, table.n_actions + 1))]
    assert np.array_equal(table.only(some).loads(weights), (weights @ accepts)[some])
