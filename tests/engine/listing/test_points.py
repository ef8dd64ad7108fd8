"""Rows that share a point: groups of two or more from buckets, and single rows by themselves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.listing.sharing_problems import KINDS, draw_problem
from engine.problems import random_additive
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.points import add_single_rows, point_jobs
from oneformany.engine.listing.store.columns import Store
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from reference_sharing import all_groups


def groups_found(problem, *, costed=False):
    """Every group that the jobs find, with what each row pays."""
    ground = Ground.of(problem)
    found = [one for job in point_jobs(ground, Batches(ground, Stop()), costed=costed) for one in job()]
    return [
        dict(zip(one.rows[begin:end].tolist(), one.costs[begin:end].tolist(), strict=True))
        for one in found
        for begin, end in pairwise(one.starts)
    ]


def test_rows_that_differ_in_one_feature_meet_where_it_and_another_change():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 0]], threshold=1)
    found = groups_found(Problem([[0, 0, 0], [0, 0, 1]], (2, 2, 2), oracle, 2))
    assert {frozenset(group) for group in found} == {frozenset({0, 1})}
    assert all(sorted(group.values()) == [1, 2] for group in found)


@pytest.mark.parametrize("kind", KINDS)
def test_groups_of_two_or_more_are_those_of_brute_force(kind):
    for seed in range(60):
        problem = draw_problem(np.random.default_rng(seed), kind, "point")
        found = groups_found(problem)
        groups = [group for group in all_groups(problem) if len(group) > 1]
        sets = {frozenset(group) for group in groups}
        assert all(any(frozenset(group) <= some for some in sets) and len(group) > 1 for group in found)
        assert all(any(some <= frozenset(group) for group in found) for some in sets)


@pytest.mark.parametrize("costed", [False, True])
def test_room_for_one_group_at_a_time_is_enough(monkeypatch, costed):
    problem = random_additive(np.random.default_rng(1), rows=40, features=5, max_changes=2)
    whole = groups_found(problem, costed=costed)
    ground = Ground.of(problem)
    jobs = sum(1 for _ in point_jobs(ground, Batches(ground, Stop()), costed=costed))
    monkeypatch.setattr("oneformany.engine.listing.points.FEWEST_GROUPS", 1)
    assert len(whole) > jobs
    assert groups_found(problem, costed=costed) == whole


def test_single_rows_get_the_cheapest_change_that_they_have_and_those_without_are_settled_too():
    oracle = AdditiveOracle([[0, 1, 3], [0, 1, 1]], threshold=3)
    ground = Ground.of(Problem([[0, 0], [1, 1], [1, 2]], (3, 3), oracle, 1, [np.triu(np.ones((3, 3))), None]))
    store = Store(ground, costed=False)
    batches = Batches(ground, Stop())
    assert add_single_rows(store, batches, np.array([0, 2]), Stop()).tolist() == [True, True]
    assert store.rows.tolist() == [0, 2]
    assert store.features[:, 0].tolist() == [0, 0]
    assert store.targets[:, 0].tolist() == [2, 2]
    nobody = Ground.of(Problem([[0, 0]], (3, 3), AdditiveOracle([[0, 1, 3], [0, 1, 1]], threshold=5), 1))
    nothing = Store(nobody, costed=False)
    assert add_single_rows(nothing, Batches(nobody, Stop()), np.array([0]), Stop()).all()
    assert nothing.count == 0


def test_when_time_is_up_rows_are_not_settled():
    ground = Ground.of(random_additive(np.random.default_rng(0), rows=5))
    store = Store(ground, costed=False)
    settled = add_single_rows(store, Batches(ground, Stop()), np.arange(5), Stop(0))
    assert not settled.any()
    assert store.count == 0
