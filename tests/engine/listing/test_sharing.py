"""The ways to share, against brute force: points, actions, feature sets, and the jobs that find groups."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from engine.listing.lazy_problems import larger
from engine.listing.sharing_problems import KINDS, draw_problem
from engine.problems import random_additive
from oneformany.engine.listing import listing as sharing
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import (
    accepted_groups,
    action_jobs,
    feature_jobs,
    point_jobs,
    run,
    useful_targets,
)
from oneformany.engine.table.table import NO_CELL
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop
from reference_sharing import all_groups


def ground_of(rows):
    costs = Costs(([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [[0, 7], [7, 0]]))
    return Ground.of(Problem(rows, (3, 2), AdditiveOracle([[0, 1, 2], [0, 1]], threshold=2), 2, costs=costs))


@pytest.mark.parametrize("threads", [1, 3])
def test_jobs_are_done_in_order(threads):
    jobs = (iter([number]) for number in range(50))
    assert list(run(jobs, Stop(), threads)) == list(range(50))


@pytest.mark.parametrize("threads", [1, 3])
def test_no_job_begins_after_an_interrupt(threads):
    stop, done = Stop(), []

    def job(number):
        done.append(number)
        stop.interrupted = stop.interrupted or number == 5
        yield number

    found = list(run((job(number) for number in range(1_000)), stop, threads))
    assert found[:6] == list(range(6))
    assert len(found) == len(done) < 30  # those that were under way are finished


def test_an_error_inside_a_job_is_raised():
    for threads in (1, 3):
        with pytest.raises(ZeroDivisionError):
            list(run(iter([(1 // 0 for _ in range(1))]), Stop(), threads))


@pytest.mark.parametrize(("least", "groups"), [(1, [[0, 1], [3], [2, 3]]), (2, [[0, 1], [2, 3]])])
def test_groups_are_those_of_a_bucket_that_accept_a_choice_if_they_are_large_enough(least, groups):
    ground = ground_of([[0, 0], [1, 0], [0, 1], [1, 1]])
    accepted = np.array([[True, False], [True, False], [False, True], [True, True]])
    features, choices = np.array([0]), np.array([[1], [2]])
    buckets = np.arange(4, dtype=np.int32), np.array([0, 2, 4])
    found = accepted_groups(ground, features, choices, accepted, buckets, least)
    listed = [found.rows[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]
    assert listed == groups
    assert found.targets[-1].tolist() == [2, 1]
    assert found.costs[-2:].tolist() == [5, 1]


def groups_of_points(problem, *, costed=False):
    """Every group that the jobs find, with what each row pays."""
    ground = Ground.of(problem)
    found = [one for job in point_jobs(Batches(ground, Stop()), costed) for one in job]
    return [
        dict(zip(one.rows[begin:end].tolist(), one.costs[begin:end].tolist(), strict=True))
        for one in found
        for begin, end in pairwise(one.starts)
    ]


def test_rows_that_differ_in_one_feature_meet_where_it_and_another_change():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 0]], threshold=1)
    found = groups_of_points(Problem([[0, 0, 0], [0, 0, 1]], (2, 2, 2), oracle, 2))
    assert {frozenset(group) for group in found} == {frozenset({0, 1})}
    assert all(sorted(group.values()) == [1, 2] for group in found)


@pytest.mark.parametrize("kind", KINDS)
def test_groups_of_two_or_more_are_those_of_brute_force(kind):
    for seed in range(60):
        problem = draw_problem(np.random.default_rng(seed), kind, "point")
        found = groups_of_points(problem)
        groups = [group for group in all_groups(problem) if len(group) > 1]
        sets = {frozenset(group) for group in groups}
        assert all(any(frozenset(group) <= some for some in sets) and len(group) > 1 for group in found)
        assert all(any(some <= frozenset(group) for group in found) for some in sets)


@pytest.mark.parametrize("costed", [False, True])
def test_room_for_one_group_at_a_time_is_enough(monkeypatch, costed):
    problem = random_additive(np.random.default_rng(1), rows=40, features=5, max_changes=2)
    whole = groups_of_points(problem, costed=costed)
    ground = Ground.of(problem)
    jobs = sum(1 for _ in point_jobs(Batches(ground, Stop()), costed))
    monkeypatch.setattr(sharing, "ENTRIES", 1)
    monkeypatch.setattr(sharing, "GROUPS", 1)
    assert len(whole) > jobs
    assert groups_of_points(problem, costed=costed) == whole


ORACLE = AdditiveOracle([[0, 1, 2], [0, 1, 1]], threshold=2)


def useful(problem, *, costed):
    """The cells worth going to, by feature."""
    ground = Ground.of(problem)
    slots = useful_targets(ground, costed)
    return [np.flatnonzero(slots[begin:end]).tolist() for begin, end in pairwise(ground.offsets)]


def groups_of_actions(problem, *, costed):
    """Every group that the jobs find, with what each row pays."""
    ground = Ground.of(problem)
    found = [one for job in action_jobs(Batches(ground, Stop()), costed) for one in job]
    return {
        frozenset(zip(one.rows[begin:end].tolist(), one.costs[begin:end].tolist(), strict=True))
        for one in found
        for begin, end in pairwise(one.starts)
    }


def test_of_targets_that_gain_less_and_cost_no_less_none_is_tried():
    problem = Problem([[0, 0]], (3, 3), ORACLE, 2, share="action")
    assert useful(problem, costed=False) == [[2], [2]]  # of equal ones the last
    assert useful(problem, costed=True) == [[2], [2]]


def test_a_cheaper_target_is_tried_only_where_costs_count():
    steps = [[0, 1, 5], [1, 0, 4], [5, 4, 0]]
    problem = Problem([[0, 0]], (3, 3), ORACLE, 2, share="action", costs=Costs((steps, steps)))
    assert useful(problem, costed=False) == [[2], [2]]
    assert useful(problem, costed=True) == [[1, 2], [1]]
    assert groups_of_actions(problem, costed=False) == {frozenset({(0, 2)}), frozenset({(0, 5)})}


def test_a_target_that_only_some_rows_may_take_replaces_no_other():
    nobody_from_0_to_2 = [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    problem = Problem([[0, 0], [1, 0]], (3, 3), ORACLE, 2, [nobody_from_0_to_2, None], share="action")
    assert useful(problem, costed=False) == [[1, 2], [2]]


@pytest.mark.parametrize("kind", KINDS)
def test_jobs_find_only_groups_of_actions_and_some_that_holds_each_of_them(kind):
    for seed in range(40):
        problem = draw_problem(np.random.default_rng(seed), kind, "action")
        found = {frozenset(dict(group)) for group in groups_of_actions(problem, costed=False)}
        groups = {frozenset(group) for group in all_groups(problem)}
        assert all(any(group <= other for other in found) for group in groups if group)
        assert all(any(group <= other for other in groups) for group in found)


@pytest.mark.parametrize("kind", ["additive", "tree"])
def test_jobs_that_take_one_choice_each_find_the_same(monkeypatch, kind):
    problems = [draw_problem(np.random.default_rng(seed), kind, "action") for seed in range(20)]
    whole = [groups_of_actions(problem, costed=True) for problem in problems]
    monkeypatch.setattr(sharing, "ENTRIES", 1)
    monkeypatch.setattr(sharing, "GROUPS", 1)
    monkeypatch.setattr("oneformany.engine.listing.batches.JUDGED_PAIRS", 1)
    assert [groups_of_actions(problem, costed=True) for problem in problems] == whole


def groups_of_features(problem):
    ground = Ground.of(problem)
    return [one for job in feature_jobs(Batches(ground, Stop()), False) for one in job]


def test_each_set_has_those_rows_that_it_helps_at_the_least_that_they_pay():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 3]], threshold=2)
    found = groups_of_features(Problem([[0, 0, 0], [1, 0, 0]], (2, 2, 2), oracle, 2, share="features"))
    groups = {
        tuple(np.flatnonzero(one.changed[0]).tolist()): dict(zip(one.rows, one.costs, strict=True))
        for one in found
    }
    assert groups == {(0, 1): {0: 2, 1: 1}, (0, 2): {0: 1, 1: 1}, (1, 2): {0: 1, 1: 1}}
    assert all((one.targets == NO_CELL).all() for one in found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_groups_are_those_of_brute_force(kind):
    for seed in range(40):
        problem = draw_problem(np.random.default_rng(seed), kind, "features")
        found = [
            dict(zip(one.rows.tolist(), one.costs.tolist(), strict=True))
            for one in groups_of_features(problem)
        ]
        groups = [group for group in all_groups(problem) if group]
        assert all(group in groups for group in found)
        for group in groups:
            assert any(all(other.get(row, 99) <= cost for row, cost in group.items()) for other in found)


def test_a_classifier_is_asked_once_about_each_subset_of_the_sets():
    ground = Ground.of(replace(larger(0, "tree"), share="features"))
    batches = Batches(ground, Stop())
    for job in feature_jobs(batches, False):
        list(job)
    subsets = [some for size in range(ground.size + 1) for some in combinations(ground.changeable, size)]
    ways = sum(len(ground.choices(some, ground.goals)) for some in subsets)
    assert batches.asked == len(ground.rows) * ways


def test_rows_are_asked_about_some_at_a_time(monkeypatch):
    problem = draw_problem(np.random.default_rng(1), "black box", "features", ruled=False, restricted=False)
    whole = groups_of_features(problem)
    monkeypatch.setattr("oneformany.engine.listing.batches.PAIRS_ASKED", 1)
    parts = groups_of_features(problem)
    assert whole
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.costs, other.costs)


def test_a_job_tells_its_parts_one_at_a_time_and_ends_when_time_is_up():
    made: list[int] = []

    def parts(job: int, count: int):
        for part in range(count):
            made.append(part)
            yield job, part

    every = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    for threads in (1, 2):
        assert list(sharing.run(iter([parts(0, 3), parts(1, 2)]), Stop(), threads)) == every
    stop = Stop()
    made.clear()
    for _ in sharing.run(iter([parts(0, 1000)]), stop, 2):
        stop.interrupted = len(made) > 3
    assert len(made) < 10
