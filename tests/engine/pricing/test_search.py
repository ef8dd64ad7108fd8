"""Tests that one search around one item finds what exhaustion finds, whole or in pieces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.pricing.test_pricer import all_groups
from engine.problems import Veiled, oracle_of, parts_of, problem_of
from oneformany.engine.pricing.search import ColumnSearch
from oneformany.engine.pricing.space import members
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from strategies import small_problems


def search_of(problem):
    space, items, oracle = parts_of(problem)
    return space, items, ColumnSearch(items, oracle)


def test_weights_are_spread_evenly_and_never_beyond_themselves():
    _, _, search = search_of(Problem([[0, 0, 0], [0, 0, 1]], (2, 2, 2), AdditiveOracle([[0, 1]] * 3), 3))
    search.weigh(np.array([10, 3]))
    assert search.parts.tolist() == [[10, 10, 5, 3], [3, 3, 1, 1]]


@pytest.mark.parametrize("veiled", [False, True])
@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_the_heaviest_column_around_an_item_is_found(veiled, small):
    problem = problem_of(small, Veiled(oracle_of(small), 1) if veiled else None)
    space, items, search = search_of(problem)
    assume(len(items))
    weights = np.arange(1, len(items) + 1)
    search.weigh(weights)
    groups = all_groups(problem, space.rows)
    for item in range(len(items)):
        best = max(int(weights[list(group)].sum()) for group in groups if item in group)
        found = search.heaviest(item, 0, 1, 2**40, Stop())
        assert found.complete
        assert (found.weight, found.bound) == (best, best)
        assert int(weights[members(items.arrays, item, found.choice)].sum()) == best


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_maximal_column_around_an_item_is_listed(small):
    problem = problem_of(small)
    space, items, search = search_of(problem)
    assume(len(items))
    search.weigh(np.ones(len(items), dtype=np.int64))
    groups = [set(group) for group in all_groups(problem, space.rows)]
    maximal = [group for group in groups if not any(group < other for other in groups)]
    for item in range(len(items)):
        choices = list(search.every(item, 1, Stop()))
        listed = [set(members(items.arrays, item, choice).tolist()) for choice in choices]
        assert all(group in listed for group in maximal if item in group)
        assert all(any(group <= other for other in groups) for group in listed)


def test_a_search_without_time_says_so():
    from engine.problems import random_additive

    problem = random_additive(np.random.default_rng(0))
    _, items, search = search_of(problem)
    search.weigh(np.ones(len(items), dtype=np.int64))
    assert not search.heaviest(0, 0, 1, 1, Stop(0)).complete
    assert list(search.every(0, 1, Stop(0)))[-1] is None
