"""Rows that share features only: one group for each full set, everybody where it is cheapest."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from engine.listing.lazy_problems import larger
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.feature_sets import feature_jobs
from oneformany.engine.listing.ground import Ground
from oneformany.engine.table.table import NO_CELL
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from reference_sharing import all_groups


def found_in(problem):
    ground = Ground.of(problem)
    return [one for job in feature_jobs(ground, Batches(ground, Stop()), costed=False) for one in job()]


def test_each_set_has_those_rows_that_it_helps_at_the_least_that_they_pay():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 3]], threshold=2)
    found = found_in(Problem([[0, 0, 0], [1, 0, 0]], (2, 2, 2), oracle, 2, share="features"))
    groups = {tuple(one.features.tolist()): dict(zip(one.rows, one.costs, strict=True)) for one in found}
    assert groups == {(0, 1): {0: 2, 1: 1}, (0, 2): {0: 1, 1: 1}, (1, 2): {0: 1, 1: 1}}
    assert all((one.targets == NO_CELL).all() for one in found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_groups_are_those_of_brute_force(kind):
    for seed in range(40):
        problem = draw_problem(np.random.default_rng(seed), kind, "features")
        found = [dict(zip(one.rows.tolist(), one.costs.tolist(), strict=True)) for one in found_in(problem)]
        groups = [group for group in all_groups(problem) if group]
        assert all(group in groups for group in found)
        for group in groups:
            assert any(all(other.get(row, 99) <= cost for row, cost in group.items()) for other in found)


def test_a_classifier_is_asked_once_about_each_subset_of_the_sets():
    ground = Ground.of(replace(larger(0, "tree"), share="features"))
    batches = Batches(ground, Stop())
    for job in feature_jobs(ground, batches, costed=False):
        job()
    subsets = [some for size in range(ground.size + 1) for some in combinations(ground.changeable, size)]
    ways = sum(len(ground.choices(some, ground.goals)) for some in subsets)
    assert batches.asked == len(ground.rows) * ways


def test_rows_are_asked_about_some_at_a_time(monkeypatch):
    problem = draw_problem(np.random.default_rng(1), "black box", "features", ruled=False, restricted=False)
    whole = found_in(problem)
    monkeypatch.setattr("oneformany.engine.listing.batches.PAIRS", 1)
    parts = found_in(problem)
    assert whole
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.costs, other.costs)
