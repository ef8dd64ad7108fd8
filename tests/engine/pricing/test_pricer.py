"""Pricing finds the heaviest column there is, and its bound is never below it."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from engine.problems import Veiled, oracle_of, parts_of, problem_of
from oneformany.engine.pricing.pricer import Priced, SearchPricer
from oneformany.engine.pricing.space import members
from oneformany.engine.scaling import ONE_IN_PRICING
from oneformany.stop import Stop
from strategies import small_problems


def all_groups(problem, rows):
    """Every group of rows that some positive point and changed features cover, by exhaustion."""
    groups = set()
    for point in product(*(range(n) for n in problem.levels)):
        target = np.array(point)
        if not problem.oracle.positive(target[None, :])[0]:
            continue
        for changed in combinations(range(problem.n_features), problem.max_changes):
            inside = np.isin(np.arange(problem.n_features), changed)
            moves = problem.may_move(rows, target)
            fits = ((rows == target) | (inside & moves)).all(axis=1)
            groups.add(tuple(np.flatnonzero(fits).tolist()))
    groups.discard(())
    return groups


def heaviest_by_mip(problem, rows, weights):
    """The smaller form of the pricing program: one constraint per row and feature."""
    p, n = problem.n_features, len(rows)
    starts = np.cumsum([0, *problem.levels])
    f0, z0 = int(starts[-1]), int(starts[-1]) + p
    size = z0 + n
    lines, low, high = [], [], []

    def line(entries, lo, hi):
        row = np.zeros(size)
        for place, value in entries:
            row[place] += value
        lines.append(row)
        low.append(lo)
        high.append(hi)

    for feature in range(p):
        line([(starts[feature] + v, 1) for v in range(problem.levels[feature])], 1, 1)
        for i in range(n):
            level = int(rows[i, feature])
            line([(z0 + i, 1), (starts[feature] + level, -1), (f0 + feature, -1)], -np.inf, 0)
            for v in range(problem.levels[feature]):
                if not problem.domain(rows[i])[feature, v]:
                    line([(z0 + i, 1), (starts[feature] + v, 1)], -np.inf, 1)
    line([(f0 + feature, 1) for feature in range(p)], 0, problem.max_changes)
    units = [
        (starts[feature] + v, float(problem.oracle.units[feature, v]) / 10**problem.oracle.digits)
        for feature in range(p)
        for v in range(problem.levels[feature])
    ]
    line(units, problem.oracle.threshold - problem.oracle.intercept_units / 10**problem.oracle.digits, np.inf)
    cost = np.zeros(size)
    cost[z0:] = -weights
    solved = milp(
        cost,
        constraints=LinearConstraint(np.array(lines), low, high),
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    assert solved.success
    return -solved.fun


@settings(max_examples=150, deadline=None)
@given(small=small_problems(), data=st.data())
def test_the_bound_is_exact_up_to_one_step(small, data):
    problem = problem_of(small)
    space, items, oracle = parts_of(problem)
    assume(len(items))
    sixths = data.draw(st.lists(st.integers(0, 12), min_size=len(items), max_size=len(items)))
    weights = np.array(sixths, dtype=np.int64) * ONE_IN_PRICING // 6
    priced = SearchPricer(items, oracle).price(weights, Stop())
    heaviest = max(int(weights[list(group)].sum()) for group in all_groups(problem, space.rows))
    assert priced.capacity is not None
    assert (
        max(heaviest, ONE_IN_PRICING)
        <= priced.capacity
        <= max(heaviest, ONE_IN_PRICING) + ONE_IN_PRICING // 1000
    )
    assert bool(priced.columns) == (heaviest > ONE_IN_PRICING)
    for column in priced.columns:
        assert problem.oracle.positive(column.point[None, :])[0]
        assert tuple(column.rows.tolist()) in all_groups(problem, space.rows)


@pytest.mark.parametrize("seed", range(25))
def test_pricing_equals_a_mixed_integer_program(seed):
    from strategies import random_problem

    rng = np.random.default_rng(seed)
    problem = problem_of(random_problem(rng))
    space, items, oracle = parts_of(problem)
    if len(items):
        weights = rng.integers(1, 9, size=len(items))
        priced = SearchPricer(items, oracle).price(weights * ONE_IN_PRICING, Stop())
        assert round(priced.capacity / ONE_IN_PRICING) == round(heaviest_by_mip(problem, space.rows, weights))


@pytest.mark.parametrize(
    ("weights", "capacity", "bound"), [([3, 3, 3], 3, 3), ([3, 3, 4], 3, 10 / 3), ([0], 1, 0)]
)
def test_weights_over_the_capacity_bound_the_count_from_below(weights, capacity, bound):
    assert Priced([], np.array(weights), capacity, complete=True).bound == bound


def test_without_a_capacity_nothing_is_proved():
    priced = Priced([], np.array([5, 5]), None, complete=True)
    assert priced.bound == 0
    assert not priced.proves_optimal


def test_no_column_found_is_a_proof_only_when_every_search_ended():
    assert Priced([], np.array([1]), 1, complete=True).proves_optimal
    assert not Priced([], np.array([1]), 1, complete=False).proves_optimal


def search_of(problem):
    space, items, oracle = parts_of(problem)
    return space, items, SearchPricer(items, oracle)


@pytest.mark.parametrize("veiled", [False, True])
@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_the_heaviest_column_around_an_item_is_found(veiled, small):
    problem = problem_of(small, Veiled(oracle_of(small), 1) if veiled else None)
    space, items, search = search_of(problem)
    assume(len(items))
    weights = np.arange(1, len(items) + 1)
    search.weights = weights
    groups = all_groups(problem, space.rows)
    for item in range(len(items)):
        best = max(int(weights[list(group)].sum()) for group in groups if item in group)
        *_, heaviest = search.choices(item, 0, Stop(), 1)
        assert search.bound == best
        assert int(weights[members(items.arrays, item, heaviest)].sum()) == best


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_maximal_column_around_an_item_is_listed(small):
    problem = problem_of(small)
    space, items, search = search_of(problem)
    assume(len(items))
    search.weights = np.ones(len(items), dtype=np.int64)
    groups = [set(group) for group in all_groups(problem, space.rows)]
    maximal = [group for group in groups if not any(group < other for other in groups)]
    for item in range(len(items)):
        choices = list(search.choices(item, 1, Stop()))
        listed = [set(members(items.arrays, item, choice).tolist()) for choice in choices]
        assert all(group in listed for group in maximal if item in group)
        assert all(any(group <= other for other in groups) for group in listed)


def test_a_search_without_time_says_so():
    from engine.problems import random_additive

    problem = random_additive(np.random.default_rng(0))
    _, items, search = search_of(problem)
    search.weights = np.ones(len(items), dtype=np.int64)
    assert list(search.choices(0, 1, Stop(0))) == [None]
    priced = search.price(np.full(len(items), ONE_IN_PRICING), Stop(0))
    assert (priced.columns, priced.capacity, priced.complete) == ([], None, False)
