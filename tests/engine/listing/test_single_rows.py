"""What a row can do by itself, against trying every change."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, count, product
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import KINDS, draw_problem
from engine.problems import Shrugging, Veiled, oracle_of, problem_of, random_additive
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import MOST_WAYS, cheapest, cheapest_of_set, reach_rows
from oneformany.engine.scaling import UNPAYABLE
from oneformany.engine.screening import screen
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from reference_sharing import cost_of_joining
from strategies import small_problems

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
                assert cost == min(ways(problem, row, changed), default=UNPAYABLE)
                assert cost == UNPAYABLE or cost_of_joining(problem, row, changed, tuple(goal)) == cost


def test_of_no_rows_nothing_is_said():
    problem = draw_problem(np.random.default_rng(0), "tree", "features")
    ground = Ground.of(problem)
    costs, cells = cheapest_of_set(ground, Batches(ground, Stop()), np.zeros(0, dtype=np.int64), (0,))
    assert (costs.shape, cells.shape) == ((0,), (0, 1))


def reached(problem, stop=None):
    return reach_rows(Ground.of(problem), stop or Stop())


@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_every_row_gets_a_change_that_is_accepted_or_a_proof_also_where_the_oracle_shrugs(small):
    truth = screen(problem_of(small), Statistics())
    for oracle in (Veiled(oracle_of(small)), Shrugging(oracle_of(small))):
        problem = problem_of(small, oracle)
        found = reached(problem)
        assert np.flatnonzero(found.reachable).tolist() == truth.helpable.tolist()
        assert (found.unreachable == ~found.reachable).all()
        rows, ends = problem.rows[found.reachable], found.cells[found.reachable]
        if len(rows):
            assert problem.oracle.positive(ends).all()
            assert ((rows != ends).sum(axis=1) <= problem.max_changes).all()
            assert problem.may_move(rows, ends).all()


@settings(max_examples=20, deadline=None)
@given(small=small_problems())
def test_without_time_nothing_is_known(small):
    found = reached(problem_of(small, Veiled(oracle_of(small))), Stop(0))
    assert not found.reachable.any()
    assert not found.unreachable.any()


def test_the_fewest_of_many_changes_are_found_at_once():
    problem = random_additive(np.random.default_rng(3), rows=20, features=26, levels=5, max_changes=26)
    ground = Ground.of(problem)
    begin = process_time()
    costs, _ = cheapest(ground, Batches(ground, Stop()), np.arange(20), ground.changeable, ground.size)
    assert process_time() - begin < 10
    best = np.cumsum(np.sort(ground.potential, axis=1)[:, ::-1], axis=1)
    assert (costs == (best < ground.deficit[:, None]).sum(axis=1) + (ground.deficit > 0)).all()


@pytest.mark.parametrize("veiled", [False, True])
def test_the_cheapest_ways_are_not_looked_for_when_time_is_up(veiled):
    problem = random_additive(np.random.default_rng(3))
    ground = Ground.of(replace(problem, oracle=Veiled(problem.oracle)) if veiled else problem)
    with pytest.raises(OutOfTimeError):
        cheapest(ground, Batches(ground, Stop(0)), np.arange(5), ground.changeable, ground.size)


def dear(features, rows=8):
    """A problem in which each move costs something else."""
    rng = np.random.default_rng(features)
    problem = random_additive(rng, rows=rows, features=features, levels=4, max_changes=features)
    tables = (rng.integers(1, 1000, size=(n, n)) * (1 - np.eye(n, dtype=np.int64)) for n in problem.levels)
    return replace(problem, costs=Costs(tuple(tables)))


@pytest.mark.parametrize("steps", [1, 7, 100])
def test_a_search_that_looks_at_the_clock_goes_on_where_it_was(monkeypatch, steps):
    ground = Ground.of(dear(7))
    rows, batches = np.arange(len(ground.rows)), Batches(ground, Stop())
    at_once = cheapest(ground, batches, rows, ground.changeable, ground.size)
    monkeypatch.setattr("oneformany.engine.listing.single_rows.STEPS_AT_ONCE", steps)
    in_steps = cheapest(ground, batches, rows, ground.changeable, ground.size)
    assert all((one == other).all() for one, other in zip(at_once, in_steps, strict=True))


def test_the_clock_is_looked_at_while_the_cheapest_way_of_a_single_row_is_searched(monkeypatch):
    monkeypatch.setattr("oneformany.engine.listing.single_rows.STEPS_AT_ONCE", 100)
    ground, ticks = Ground.of(dear(20)), count()
    batches = Batches(ground, Stop(5, clock=lambda: next(ticks)))
    with pytest.raises(OutOfTimeError):
        cheapest(ground, batches, np.array([0]), ground.changeable, ground.size)
    assert 5 <= next(ticks) <= 8


@pytest.mark.parametrize("calls", [None, 2_000])
def test_rows_beyond_help_are_left_open_where_all_that_they_could_do_is_too_much_to_ask(calls):
    rng, stuck = np.random.default_rng(1), np.ones((5, 5), dtype=np.bool_)
    stuck[0] = False  # whoever is at level 0 stays there
    worth = rng.normal(size=(12, 5))
    worth[:, 0] = -5.0
    best = worth.max(axis=1).sum()

    def function(codes):
        return np.clip(0.5 + (worth[np.arange(12), codes].sum(axis=1) - best + 0.5) / 99, 0.0, 1.0)

    oracle = BlackBoxOracle(function, (5,) * 12, max_calls=calls, largest_box=100)
    rows = rng.integers(1, 5, size=(6, 12))
    rows[:2, :2] = 0
    ground = Ground.of(Problem(rows, (5,) * 12, oracle, 12, [stuck] * 12, share="action"))
    assert ground.ways(ground.goals).sum() > MOST_WAYS
    found = reach_rows(ground, Stop())
    assert not found.unreachable.any()
    assert not found.reachable[:2].any()
    assert found.reachable[2:].any()
    assert oracle.asked <= (calls or 10**6)
