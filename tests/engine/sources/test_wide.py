"""Columns of many changes: real ones, found where all are too many, with bounds that brute force confirms."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import Veiled, problem_of, random_additive
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.options import Options
from oneformany.engine.sources.wide import optimistic_cover, wide_listing
from oneformany.methods import solve
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.problem.own import OwnValues
from oneformany.stop import Stop
from reference_own import smallest_cover
from strategies import random_problem, small_problems

SHARES = ["point", "action", "features"]
LITTLE = Options(way="listing", most_work=1.0)  # next to nothing is listed


def problems(share, count=12):
    """Small problems with and without rules, own values, and a classifier that has to be asked."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        problem = replace(problem_of(random_problem(rng)), share=share)
        if seed % 2:
            problem = replace(problem, oracle=Veiled(problem.oracle))
        if seed % 3 == 0:
            every = tuple(np.arange(n) for n in problem.levels)
            problem = replace(problem, own=OwnValues(problem.codes, every, every))
        yield problem


@pytest.mark.parametrize("share", SHARES)
def test_columns_are_real_and_everybody_who_can_be_helped_has_one(share):
    for problem in problems(share):
        wide, ground = wide_listing(problem, Stop()), Ground.of(problem)
        table, batches = wide.listing.table, Batches(ground, Stop())
        _, unreachable = smallest_cover(problem)
        beyond = np.zeros(len(problem.rows), dtype=bool)
        beyond[problem.row_of[list(unreachable)]] = True
        assert (wide.listing.unreachable == beyond).all()
        assert (wide.listing.reachable == ~beyond).all()
        for column in range(len(table)):
            rows, features = table.group(column), np.flatnonzero(table.changed[column])
            assert len(features) <= problem.max_changes
            if share == "features":
                assert not (wide.ends[rows] != problem.rows[rows])[:, ~table.changed[column]].any()
                for row in rows:
                    assert batches.accepted(features, np.array([row]), wide.ends[[row]][:, features]).all()
            else:
                assert batches.accepted(features, rows, table.targets[[column]][:, features]).all()
            if share == "point":
                assert (problem.rows[rows] == table.targets[column])[:, ~table.changed[column]].all()


@pytest.mark.parametrize("share", SHARES)
def test_answers_without_a_listing_are_never_better_than_brute_force_nor_are_their_bounds_higher(share):
    proved = 0
    for problem in problems(share):
        best, unreachable = smallest_cover(problem)
        result = solve(problem, options=LITTLE)
        assert result.lower_bound <= len(best) <= result.count
        assert {entry.row for entry in result.unreachable} == set(unreachable)
        assert result.verify().outcome in {"confirmed", "unconfirmed"}
        assert result.status != "feasible" or result.lower_bound < result.count
        proved += result.status != "feasible"
    assert proved >= 6


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("asked", [False, True])
def test_with_every_feature_free_one_explanation_is_found_and_proved_at_once(share, asked):
    problem = random_additive(np.random.default_rng(3), rows=60, features=18, levels=5, max_changes=18)
    every = tuple(np.arange(n) for n in problem.levels)
    problem = replace(problem, share=share, own=OwnValues(problem.codes, every, every))
    if asked:
        problem = replace(problem, oracle=Veiled(problem.oracle))
    rounds = []
    result = solve(problem, options=Options(most_work=1e7), progress=rounds.append)
    assert (result.status, result.count, result.lower_bound) == ("optimal", 1, 1)
    first = next(step for step in rounds if step.bound == step.count == 1)
    assert first.gap == 0.0
    assert first.seconds < 20


@pytest.mark.parametrize("share", SHARES)
def test_more_changes_than_features_that_can_change_are_as_many_as_these(share):
    rng = np.random.default_rng(4)
    problem = random_additive(rng, rows=20, features=6, levels=3, max_changes=4)
    fixed = [np.eye(3), None, None, None, None, np.eye(3)]
    four, six = (replace(problem, share=share, allowed=fixed, max_changes=most) for most in (4, 6))
    answers = [solve(one, options=LITTLE) for one in (four, six)]
    assert answers[0].explanations == answers[1].explanations
    assert answers[0].statistics.counters == answers[1].statistics.counters
    assert answers[0].statistics.notes == answers[1].statistics.notes


def test_a_black_box_with_few_calls_is_asked_for_single_rows_only():
    oracle = BlackBoxOracle(lambda codes: (codes.sum(axis=1) > 3) * 1.0, (3,) * 4, max_calls=300)
    problem = Problem([[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1]], (3,) * 4, oracle, 4, share="action")
    wide = wide_listing(problem, Stop())
    assert wide.listing.reachable.all()
    assert oracle.asked <= 300
    apart = replace(problem, share="point", max_changes=2)
    assert wide_listing(apart, Stop()).bound == 2  # as cells tell, whoever is asked


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("calls", [30, 300, 1000])
def test_no_more_calls_are_made_than_allowed_where_not_everything_can_be_listed(share, calls):
    rng, stuck = np.random.default_rng(1), np.ones((4, 4), dtype=np.bool_)
    stuck[0] = False  # whoever is at level 0 stays there: some rows are beyond help
    worth = rng.integers(-3, 4, size=(8, 4))
    best = worth.max(axis=1).sum()
    oracle = BlackBoxOracle(
        lambda codes: np.clip(0.6 + (worth[np.arange(8), codes].sum(axis=1) - best) / 99, 0.0, 1.0),
        (4,) * 8,
        threshold=0.57,
        max_calls=calls,
    )
    problem = Problem(rng.integers(4, size=(12, 8)), (4,) * 8, oracle, 8, [stuck] * 8, share=share)
    result = solve(problem, options=Options(way="listing"))
    assert oracle.asked <= calls + len(problem.rows)  # a row's own score is asked for in any case
    assert result.covered + len(result.unreachable) + len(result.undecided) == len(problem.codes)


def test_features_of_many_cells_are_looked_at_through_few_rows(monkeypatch):
    problem = random_additive(np.random.default_rng(3), rows=60, features=18, levels=5, max_changes=18)
    monkeypatch.setattr("oneformany.engine.sources.wide.POINTS_COMPARED", 1)
    wide = wide_listing(replace(problem, share="action"), Stop())
    assert np.diff(wide.listing.table.starts).max() == len(problem.rows)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_interrupt_at_any_step_leaves_an_answer_with_a_bound(share, after):
    problem = random_additive(np.random.default_rng(6), rows=80, features=14, levels=4, max_changes=9)
    problem = replace(problem, share=share, oracle=Veiled(problem.oracle))
    steps = []

    def interrupt(step):
        steps.append(step)
        if len(steps) == after:
            signal.raise_signal(signal.SIGINT)

    options = Options(way="listing", most_work=1e6, lazy=False)
    result = solve(problem, options=options, progress=interrupt)
    assert len(steps) >= after
    assert result.covered + len(result.unreachable) + len(result.undecided) == len(problem.codes)
    assert 1 <= result.lower_bound <= result.count <= steps[0].count
    assert result.ended in {"interrupted", "proved"}


@pytest.mark.parametrize("share", SHARES)
def test_without_time_nothing_is_claimed(share):
    problem = replace(random_additive(np.random.default_rng(5)), share=share)
    result = solve(problem, options=LITTLE, time_limit=0)
    assert result.lower_bound <= 1
    assert result.ended == "time limit"
    assert len(result.undecided) == len(problem.codes)


@settings(max_examples=40, deadline=None)
@given(small=small_problems(), data=st.data())
def test_no_group_that_cells_and_moves_permit_weighs_more_and_no_answer_takes_fewer(small, data):
    problem = problem_of(small)
    result = solve(problem)
    covered = np.asarray(result.assignment) >= 0
    reachable = np.zeros(len(problem.rows), dtype=np.bool_)
    reachable[problem.row_of[covered]] = True
    if not reachable.any():
        return
    weights, capacity, groups = optimistic_cover(problem, reachable, Stop())
    assert not weights[~reachable].any()
    assert -(-int(weights.sum()) // capacity) <= result.count
    point = np.array([data.draw(st.integers(0, n - 1)) for n in problem.levels])
    order = data.draw(st.permutations(range(problem.n_features)))
    kept = np.array(order[problem.max_changes :], dtype=np.int64)
    inside = (problem.rows[:, kept] == point[kept]).all(axis=1) & problem.may_move(problem.rows, point).all(1)
    assert weights[inside].sum() <= capacity
    assert set(np.flatnonzero(reachable)) == {row for _, rows in groups for row in rows.tolist()}
    for features, rows in groups:
        assert len(features) <= problem.max_changes
        same = problem.rows[rows] == problem.rows[rows[0]]
        assert np.delete(same, features, axis=1).all()


def test_without_time_no_more_than_one_explanation_is_proved():
    problem = problem_of(random_problem(np.random.default_rng(0)))
    weights, capacity, _ = optimistic_cover(problem, np.ones(len(problem.rows), dtype=np.bool_), Stop(0))
    assert -(-int(weights.sum()) // capacity) <= 1
