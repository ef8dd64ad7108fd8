"""No group saves more than is said, and where the search ends, one saves that much."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import draw_problem
from engine.problems import parts_of, problem_of
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving.kernels import NEVER
from oneformany.engine.saving.search import (
    SavingsSearch,
    fewest_changes,
    least_costs,
    leaving_costs,
    move_costs,
)
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop
from strategies import small_problems


def market(seed, **wanted):
    rng = np.random.default_rng(seed)
    problem = draw_problem(rng, "additive", "point", own=False, restricted=False, **wanted)
    space = SearchSpace(problem, np.arange(len(problem.rows)))
    least = rng.integers(0, 2, size=len(problem.rows))
    prices = rng.integers(0, 5 * ONE_IN_COVERS, size=len(problem.rows))
    return problem, space, least, prices


def most_saved(problem, least, prices):
    """By brute force: the most that a group of rows that pay enough saves, by its anchor."""
    costs = problem.costs or Costs.changes(problem.levels)
    _, first = np.unique(problem.row_of, return_index=True)
    most = np.zeros(len(problem.rows), dtype=np.int64)
    for point in product(*(range(n) for n in problem.levels)):
        to = np.array(point)
        able = (problem.may_move(problem.rows, to) | (problem.rows == to)).all(axis=1)
        paid = costs.of(problem.rows, np.broadcast_to(to, problem.rows.shape))
        able &= paid >= least
        if not problem.oracle.positive(to[None])[0]:
            continue
        gains = problem.multiplicity * np.maximum(0, prices - ONE_IN_COVERS * paid)
        for changed in combinations(range(len(point)), min(problem.max_changes, len(point))):
            outside = [f for f in range(len(point)) if f not in changed]
            joins = able & (problem.rows[:, outside] == to[outside]).all(axis=1) & (gains > 0)
            for group in range(1, 1 << int(joins.sum())):
                rows = [row for bit, row in enumerate(np.flatnonzero(joins)) if group >> bit & 1]
                anchor = min(rows, key=lambda row: (paid[row], first[row]))
                most[anchor] = max(most[anchor], gains[rows].sum())
    return most


@pytest.mark.parametrize("costed", [False, True])
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from([1, 3, 10, 10**6]))
def test_no_group_saves_more_than_is_proved(costed, seed, limit):
    problem, space, least, prices = market(seed, costed=costed)
    best = most_saved(problem, least, prices)
    search = SavingsSearch(space, least)
    for anchor in range(len(problem.rows)):
        saving = search.around(anchor, prices, 0, limit, Stop())
        assert saving.most >= best[anchor]
        if limit == 10**6:
            assert saving.complete
        floor = int(best[anchor]) + 5
        assert search.around(anchor, prices, floor, 10**6, Stop()).most >= floor


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_with_costs_of_one_no_rules_and_any_point_positive_the_bound_is_reached(seed):
    drawn, _, _, prices = market(seed, costed=False, ruled=False)
    every = AdditiveOracle([[0] * n for n in drawn.levels], threshold=0)  # all points are positive
    problem = replace(drawn, oracle=every)
    space = SearchSpace(problem, np.arange(len(problem.rows)))
    nothing = np.zeros(len(problem.rows), dtype=np.int64)
    best = most_saved(problem, nothing, prices)
    search = SavingsSearch(space, nothing)
    found = [search.around(row, prices, 0, 10**6, Stop()).most for row in range(len(problem.rows))]
    assert max(found) == best.max()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_fewest_changes_and_least_costs_are_those_of_one_row(seed):
    problem, space, _, _ = market(seed)
    fewest = fewest_changes(space, Stop())
    least = least_costs(problem, problem.rows, fewest)
    costs = problem.costs or Costs.changes(problem.levels)
    for row, cells in enumerate(problem.rows):
        points = np.array(list(product(*(range(n) for n in problem.levels))))
        moved = (points != cells).sum(axis=1)
        before = np.broadcast_to(cells, points.shape)
        good = problem.oracle.positive(points) & (moved <= problem.max_changes)
        good &= (problem.may_move(before, points) | (before == points)).all(axis=1)
        if good.any():
            assert fewest[row] == moved[good].min()
            assert least[row] <= costs.of(before, points)[good].min()
        else:
            assert fewest[row] == problem.max_changes


@pytest.mark.parametrize("seed", [9, 416, 418, 573])
def test_a_level_that_only_the_score_wants_is_tried(seed):
    problem, space, least, prices = market(seed, costed=False)
    best = most_saved(problem, least, prices)
    search = SavingsSearch(space, least)
    for anchor in range(len(problem.rows)):
        assert search.around(anchor, prices, 0, 10**6, Stop()).most >= best[anchor]


def test_features_of_many_levels_take_memory_for_pairs_of_levels_only():
    n = 200
    problem = Problem([[0, 0], [1, 1]], (n, n), AdditiveOracle([np.arange(n)] * 2, threshold=n), 2)
    space = SearchSpace(problem, np.arange(2))
    tracemalloc.start()
    search = SavingsSearch(space, np.zeros(2, dtype=np.int64))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert search.market.meeting[0, :2, :2].tolist() == [[0, 1], [1, 0]]
    assert peak < 20 * 2 * n * n * 8


@settings(max_examples=50, deadline=None)
@given(small=small_problems())
def test_a_row_needs_exactly_as_many_changes_as_its_nearest_positive_point_is_away(small):
    problem = problem_of(small)
    space, _, _ = parts_of(problem)
    points = np.array(list(product(*(range(n) for n in problem.levels))))
    positive = points[problem.oracle.positive(points)]
    expected = []
    for row in problem.rows[space.helpable]:
        may = np.array([problem.may_move(row[None], point).all() for point in positive])
        expected.append(int((positive[may] != row).sum(axis=1).min()))
    assert fewest_changes(space, Stop()).tolist() == expected
    assert not fewest_changes(space, Stop(0)).any()
    changes = np.array(expected, dtype=np.int64)
    assert least_costs(problem, problem.rows[space.helpable], changes).tolist() == expected


def test_moves_that_are_not_allowed_cost_more_than_anything():
    oracle = AdditiveOracle([[0, 1, 2], [0, 1]], threshold=2)
    costs = Costs(([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [[0, 7], [7, 0]]))
    upwards = np.triu(np.ones((3, 3), dtype=bool))
    problem = Problem([[1, 0]], (3, 2), oracle, 2, [upwards, None], costs=costs)
    table = move_costs(problem)
    assert table[0].tolist() == [[0, 2, 5], [NEVER, 0, 1], [NEVER, NEVER, 0]]
    assert leaving_costs(table)[:, :2].tolist() == [[2, 1], [7, 7]]
    assert [int(least_costs(problem, problem.rows, np.array([k]))[0]) for k in (0, 1, 2)] == [0, 1, 8]
