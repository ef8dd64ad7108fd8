"""Tests that one search around one item finds what exhaustion finds, whole or in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.pricing.test_pricer import all_groups
from engine.problems import Veiled, oracle_of, parts_of, problem_of
from oneformany.engine.pricing.candidates import Candidates
from oneformany.engine.pricing.search import ColumnSearch, ItemWeights
from oneformany.engine.pricing.space import members
from oneformany.stop import Stop
from strategies import small_problems


def search_of(problem):
    space, items, oracle = parts_of(problem)
    return space, items, ColumnSearch(items.arrays, Candidates(items, oracle))


def test_weights_are_spread_evenly_and_never_beyond_themselves():
    weights = ItemWeights.of(np.array([10, 3]), max_changes=3)
    assert weights.parts.tolist() == [[10, 10, 5, 3], [3, 3, 1, 1]]


@pytest.mark.parametrize("veiled", [False, True])
@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_the_heaviest_column_around_an_item_is_found(veiled, small):
    problem = problem_of(small, Veiled(oracle_of(small), 1) if veiled else None)
    space, items, search = search_of(problem)
    assume(len(items))
    weights = ItemWeights.of(np.arange(1, len(items) + 1), problem.max_changes)
    groups = all_groups(problem, space.rows)
    for item in range(len(items)):
        best = max(int(weights.values[list(group)].sum()) for group in groups if item in group)
        found = search.heaviest(item, weights, 0, 1, 2**40, Stop())
        assert found.complete
        assert (found.weight, found.bound) == (best, best)
        assert int(weights.values[members(items.arrays, item, found.choice)].sum()) == best


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_maximal_column_around_an_item_is_listed(small):
    problem = problem_of(small)
    space, items, search = search_of(problem)
    assume(len(items))
    weights = ItemWeights.of(np.ones(len(items), dtype=np.int64), problem.max_changes)
    groups = [set(group) for group in all_groups(problem, space.rows)]
    maximal = [group for group in groups if not any(group < other for other in groups)]
    for item in range(len(items)):
        choices = list(search.every(item, weights, 1, Stop()))
        listed = [set(members(items.arrays, item, choice).tolist()) for choice in choices]
        assert all(group in listed for group in maximal if item in group)
        assert all(any(group <= other for other in groups) for group in listed)


def test_a_search_without_time_says_so():
    from engine.problems import random_additive

    problem = random_additive(np.random.default_rng(0))
    _, items, search = search_of(problem)
    weights = ItemWeights.of(np.ones(len(items), dtype=np.int64), problem.max_changes)
    assert not search.heaviest(0, weights, 0, 1, 1, Stop(0)).complete
    assert list(search.every(0, weights, 1, Stop(0)))[-1] is None
