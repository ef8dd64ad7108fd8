"""A node's relaxation is the optimum over all columns, its bound never above; what to branch on.

What is enumerated loses only groups inside others, and covers offered are covers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from engine.pricing.test_pricer import all_groups
from engine.problems import parts_of, problem_of, random_additive
from engine.run_of import run_of
from oneformany.engine.cover.incidence import joined
from oneformany.engine.cover.program import RelaxedCover
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.options import Options
from oneformany.engine.pricing.pricer import Priced
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.scaling import ONE_IN_PRICING
from oneformany.engine.tree import CoreColumns, Node, heavy_columns, pair_to_branch_on
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from strategies import small_problems


def relaxation_by_exhaustion(groups, n):
    inside = np.array([[row in group for group in groups] for row in range(n)], dtype=float)
    return linprog(np.ones(len(groups)), A_ub=-inside, b_ub=-np.ones(n)).fun


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_the_relaxation_over_generated_columns_is_that_over_all(small):
    problem = problem_of(small)
    space, items, _ = parts_of(problem)
    assume(len(items))
    node = Node(run_of(problem), items)
    node.generate()
    value = relaxation_by_exhaustion(sorted(all_groups(problem, space.rows)), len(items))
    assert node.relaxed.value == pytest.approx(value, abs=1e-6)
    assert math.ceil(value - 1e-3) <= node.bound <= math.ceil(value - 1e-9) or node.bound >= node.run.count


def test_a_proved_bound_is_not_replaced_by_a_weaker_one_when_questions_are_left_open():
    # Pricing ends with nothing found and a capacity of 3: some question had the answer "unknown".
    problem = random_additive(np.random.default_rng(4), rows=12)
    run = run_of(problem)
    weights = np.full(len(run.space.rows), ONE_IN_PRICING)
    column, capacities = run.pool.columns[:1], [ONE_IN_PRICING, 3 * ONE_IN_PRICING]

    class OpenEnded:
        nodes = 0

        def __init__(self, items, oracle):
            pass

        def price(self, _weights, _stop):
            capacity = capacities.pop(0)
            found = [replace(column[0], rows=np.arange(2))] if capacities else []
            return Priced(found, weights, capacity, complete=True)

    run.context = replace(run.context, options=Options(pricer=OpenEnded))
    run.best = run.best * 20  # so many that the first bound does not meet it
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    assert not capacities
    assert node.bound == len(node.items)


def test_an_item_without_a_column_closes_the_node():
    run = run_of(Problem([[0, 0], [1, 1]], (2, 2), AdditiveOracle([[0, 1], [1, 0]], threshold=0), 1))
    node = Node(run, Items(run.space, Decisions(together=((0, 1),))))
    node.generate()
    assert node.bound >= run.count


def test_columns_that_a_node_knows_are_not_added_again():
    from engine.problems import random_additive

    problem = random_additive(np.random.default_rng(3))
    run = run_of(problem)
    node = Node(run, Items(run.space, Decisions()))
    assert node.add(run.pool.columns, np.ones(len(node.items), dtype=np.int64)) == 0


class FakeNode:
    def __init__(self, space, groups, values, decisions=None):
        self.items = Items(space, decisions or Decisions())
        self.groups = [np.array(group) for group in groups]
        self.relaxed = RelaxedCover(float(sum(values)), np.array(values), np.zeros(len(self.items)))


@pytest.fixture(scope="module")
def space():
    return parts_of(random_additive(np.random.default_rng(0), rows=6))[0]


def test_the_pair_shared_by_half_is_picked(space):
    node = FakeNode(space, [[0, 1], [2, 3], [0, 3]], [0.9, 0.5, 0.2])
    assert pair_to_branch_on(node) == (2, 3)


def test_values_of_columns_with_the_same_pair_add_up(space):
    node = FakeNode(space, [[0, 1], [0, 1, 4], [2, 3]], [0.25, 0.3, 0.2])
    assert pair_to_branch_on(node) == (0, 1)


def test_a_pair_that_is_apart_already_is_not_picked(space):
    node = FakeNode(space, [[2, 3], [0, 3]], [0.5, 0.2], Decisions(apart=((2, 3),)))
    assert pair_to_branch_on(node) == (0, 3)


def test_where_nothing_is_shared_any_undecided_pair_will_do(space):
    node = FakeNode(space, [[0], [1]], [0.5, 1.0], Decisions(apart=((0, 1),)))
    assert pair_to_branch_on(node) == (0, 2)


def test_without_a_relaxation_there_is_no_pair(space):
    node = FakeNode(space, [], [])
    node.relaxed = None
    assert pair_to_branch_on(node) is None


@settings(deadline=None)
@given(groups=st.lists(st.sets(st.integers(0, 6), min_size=1), max_size=15))
def test_only_groups_inside_others_are_dropped(groups):
    starts, rows = joined([np.array(sorted(group), dtype=np.int64) for group in groups])
    kept = np.flatnonzero(~inside_others(starts, rows.astype(np.int32), 7, Stop())).tolist()
    for index, group in enumerate(groups):
        assert index in kept or any(group <= groups[k] for k in kept)
    for a, b in combinations(kept, 2):
        assert not groups[a] <= groups[b]
        assert not groups[b] <= groups[a]


def test_when_time_is_up_there_is_no_list():
    _, run, node = settled(0)
    run.context = replace(run.context, stop=Stop(0))
    assert heavy_columns(run, node.items, node.weights, 0, 10_000) is None


def settled(seed):
    problem = random_additive(np.random.default_rng(seed), rows=30, features=7, max_changes=3)
    run = run_of(problem)
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    return problem, run, node


@pytest.mark.parametrize("seed", range(4))
def test_what_is_offered_covers_every_row_and_is_never_smaller_than_the_optimum(seed):
    problem, run, node = settled(seed)
    before = run.count
    CoreColumns(node).walk(node.bound, 1_000)
    covered = np.zeros(len(run.space.rows), dtype=bool)
    for column in run.best:
        covered[column.rows] = True
        assert problem.oracle.positive(column.point[None])[0]
    assert covered.all()
    assert solve(problem).count <= run.count <= before
