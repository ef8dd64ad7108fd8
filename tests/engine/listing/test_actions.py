"""Rows that share an action: which targets are worth trying, and which groups the jobs find."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.engine.listing import actions as module
from oneformany.engine.listing.actions import action_jobs, useful_targets
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop
from reference_sharing import all_groups

ORACLE = AdditiveOracle([[0, 1, 2], [0, 1, 1]], threshold=2)


def useful(problem, *, costed):
    """The cells worth going to, by feature."""
    ground = Ground.of(problem)
    slots = useful_targets(ground, costed=costed)
    return [np.flatnonzero(slots[begin:end]).tolist() for begin, end in pairwise(ground.offsets)]


def groups_found(problem, *, costed):
    """Every group that the jobs find, with what each row pays."""
    ground = Ground.of(problem)
    found = [one for job in action_jobs(ground, Batches(ground, Stop()), costed=costed) for one in job()]
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
    assert groups_found(problem, costed=False) == {frozenset({(0, 2)}), frozenset({(0, 5)})}


def test_a_target_that_only_some_rows_may_take_replaces_no_other():
    nobody_from_0_to_2 = [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    problem = Problem([[0, 0], [1, 0]], (3, 3), ORACLE, 2, [nobody_from_0_to_2, None], share="action")
    assert useful(problem, costed=False) == [[1, 2], [2]]


@pytest.mark.parametrize("kind", KINDS)
def test_jobs_find_only_groups_of_actions_and_some_that_holds_each_of_them(kind):
    for seed in range(40):
        problem = draw_problem(np.random.default_rng(seed), kind, "action")
        found = {frozenset(dict(group)) for group in groups_found(problem, costed=False)}
        groups = {frozenset(group) for group in all_groups(problem)}
        assert all(any(group <= other for other in found) for group in groups if group)
        assert all(any(group <= other for other in groups) for group in found)


@pytest.mark.parametrize("kind", ["additive", "tree"])
def test_jobs_that_take_one_choice_each_find_the_same(monkeypatch, kind):
    problems = [draw_problem(np.random.default_rng(seed), kind, "action") for seed in range(20)]
    whole = [groups_found(problem, costed=True) for problem in problems]
    monkeypatch.setattr(module, "ENTRIES", 1)
    monkeypatch.setattr("oneformany.engine.listing.batches.JUDGED_PAIRS", 1)
    assert [groups_found(problem, costed=True) for problem in problems] == whole
