"""Decisions to keep rows together or apart become items and conflicts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.problems import parts_of, random_additive
from oneformany.engine.pricing import items as module
from oneformany.engine.pricing.items import Decisions, Items

SPACE = parts_of(random_additive(np.random.default_rng(0), rows=8))[0]


def test_rows_kept_together_are_one_item():
    items = Items(SPACE, Decisions().join(1, 4).join(4, 6))
    assert items.item_of[[1, 4, 6]].tolist() == [1, 1, 1]
    assert len(items) == len(SPACE.rows) - 2
    assert items.group(np.array([1, 4])).tolist() == []
    assert items.group(np.array([0, 1, 4, 6])).tolist() == [0, 1]
    assert items.rows_of(np.array([0, 1])).tolist() == [0, 1, 4, 6]
    assert Items(SPACE, Decisions()).rows_of(np.array([0, 3])).tolist() == [0, 3]


def test_rows_kept_apart_are_in_conflict():
    items = Items(SPACE, Decisions().part(0, 3).part(3, 5))
    assert sorted(items.conflicts(3)) == [0, 5]
    assert items.conflicts(1) == []


@given(data=st.data())
def test_the_heaviest_selection_without_conflict_is_found(data):
    pairs = data.draw(st.lists(st.sampled_from(list(combinations(range(6), 2))), max_size=6))
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=8, max_size=8)))
    decisions = Decisions()
    for pair in pairs:
        decisions = decisions.part(*pair)
    items = Items(SPACE, decisions)
    best = max(
        weights[list(chosen)].sum()
        for size in range(7)
        for chosen in combinations(range(6), size)
        if not any(i in chosen and j in chosen for i, j in pairs)
    )
    chosen = items.heaviest(np.arange(6), weights)
    assert weights[chosen].sum() == best
    assert not any(i in chosen and j in chosen for i, j in pairs)


def test_among_many_rows_near_ones_are_counted_in_a_sample(monkeypatch):
    exact = Items(SPACE, Decisions()).by_crowding
    monkeypatch.setattr(module, "SAMPLE", 3)
    sampled = Items(SPACE, Decisions()).by_crowding
    assert sorted(sampled.tolist()) == sorted(exact.tolist())
