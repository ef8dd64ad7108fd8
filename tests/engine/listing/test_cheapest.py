"""The cheapest way of one row by itself, against trying every change."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.cheapest import NEVER, cheapest, cheapest_of_set
from oneformany.engine.listing.ground import Ground
from oneformany.stop import Stop
from reference_sharing import cost_of_joining

seeds = st.integers(0, 2**32 - 1)


def ways(problem, row, changed):
    """What it costs a row to move in each of some features, for every way that is accepted."""
    goals = product(*(range(problem.levels[feature]) for feature in changed))
    moves = [goal for goal in goals if all(problem.rows[row, list(changed)] != goal)]
    paid = [cost_of_joining(problem, row, changed, goal) for goal in moves]
    return [cost for cost in paid if cost is not None]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(seed=seeds, budget=st.integers(0, 3))
def test_no_way_within_the_budget_is_cheaper_and_the_way_told_costs_that(kind, seed, budget):
    problem = draw_problem(np.random.default_rng(seed), kind, "features")
    ground = Ground.of(problem)
    features, rows = ground.changeable, np.arange(len(ground.rows))[::-1]
    budget = min(budget, len(features))
    costs, cells = cheapest(ground, Batches(ground, Stop()), rows, features, budget)
    for row, cost, goal in zip(rows.tolist(), costs.tolist(), cells, strict=True):
        sets = (some for size in range(budget + 1) for some in combinations(features.tolist(), size))
        assert cost == min((paid for some in sets for paid in ways(problem, row, some)), default=-1)
        changed = tuple(np.flatnonzero(goal >= 0).tolist())
        assert len(changed) <= budget
        if cost >= 0:
            assert cost_of_joining(problem, row, changed, tuple(goal[list(changed)].tolist())) == cost


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_the_cheapest_way_of_a_set_moves_in_all_of_its_features(kind, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, "features")
    ground = Ground.of(problem)
    rows = np.arange(len(ground.rows))
    for size in range(ground.size + 1):
        for changed in combinations(ground.changeable.tolist(), size):
            costs, cells = cheapest_of_set(ground, Batches(ground, Stop()), rows, changed)
            for row, (cost, goal) in enumerate(zip(costs.tolist(), cells.tolist(), strict=True)):
                assert cost == min(ways(problem, row, changed), default=NEVER)
                assert cost == NEVER or cost_of_joining(problem, row, changed, tuple(goal)) == cost


def test_of_no_rows_nothing_is_said():
    problem = draw_problem(np.random.default_rng(0), "tree", "features")
    ground = Ground.of(problem)
    costs, cells = cheapest_of_set(ground, Batches(ground, Stop()), np.zeros(0, dtype=np.int64), (0,))
    assert (costs.shape, cells.shape) == ((0,), (0, 1))
