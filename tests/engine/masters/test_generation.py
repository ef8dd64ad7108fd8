"""Tests that the exact method proves the minimum that exhaustion finds, whatever closes the gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.pricing.test_pricer import all_groups
from engine.problems import parts_of, problem_of, random_additive
from engine.run_of import run_of, searched
from oneformany.engine.choose import choose
from oneformany.engine.masters.generation import bounded
from oneformany.engine.options import Options
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.tree import Node
from oneformany.methods import solve
from strategies import small_problems

WAYS = [Options(), Options(enumeration=False), Options(cuts=False)]


def minimum_by_exhaustion(groups, n):
    """The fewest groups that cover all rows, by breadth-first search over sets of rows."""
    masks = {sum(1 << row for row in group) for group in groups}
    reached, count = {0}, 0
    while (1 << n) - 1 not in reached:
        reached = {have | mask for have in reached for mask in masks}
        count += 1
    return count


@pytest.mark.parametrize("options", WAYS, ids=["all", "branching", "plain"])
@settings(max_examples=50, deadline=None)
@given(small=small_problems())
def test_the_minimum_is_found_and_proved(options, small):
    problem = problem_of(small)
    space, items, _ = parts_of(problem)
    assume(len(items))
    run = run_of(problem, options)
    standing = choose(searched(run), run.context)
    assert run.count == standing.bound == minimum_by_exhaustion(all_groups(problem, space.rows), len(items))


def test_without_time_there_is_a_cover_and_a_bound_below_it():
    run = run_of(random_additive(np.random.default_rng(2)), seconds=0)
    standing = choose(searched(run), run.context)
    assert set(np.concatenate([column.rows for column in run.best]).tolist()) == set(
        range(len(run.space.rows))
    )
    assert standing.bound <= run.count == len(standing.chosen)


def test_no_bound_that_is_told_on_the_way_is_above_what_is_proved_in_the_end():
    told = []
    problem = random_additive(np.random.default_rng(0), rows=60, features=12, max_changes=5)
    options = Options(enumeration=False, branching=False)
    result = solve(problem, options=options, progress=lambda step: told.append(step.bound))
    assert result.lower_bound < result.count
    assert max(told) == result.lower_bound


def test_one_case_is_bounded_by_weights_or_by_a_tree_over_rows_of_the_problem():
    run = run_of(random_additive(np.random.default_rng(0), rows=60, features=12, max_changes=5))
    standing = bounded(Node(run, Items(run.space, Decisions())))
    assert standing.weights.capacity > 0
    assert set(np.flatnonzero(standing.weights.weights)) <= set(run.space.helpable.tolist())
    assert standing.bound <= run.count
    if standing.exclusion is not None:
        assert standing.exclusion.target + 1 == standing.bound
