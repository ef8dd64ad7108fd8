"""Who accepts what, against looking at one row and one choice at a time; no point is asked about twice."""

from __future__ import annotations

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.lazy_problems import larger
from engine.listing.sharing_problems import KINDS, draw_problem
from engine.problems import Veiled, random_additive
from oneformany.engine.listing import batches as module
from oneformany.engine.listing.batches import Answers, Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import list_columns
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from reference_sharing import cost_of_joining

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_a_row_joins_a_choice_exactly_when_it_may_go_there_and_is_accepted(kind, moved, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, "action")
    ground = Ground.of(problem)
    batches = Batches(ground, Stop())
    rows = np.arange(len(problem.rows))[::-1]
    every = np.ones(int(ground.offsets[-1]), dtype=np.bool_)
    for features in combinations(range(problem.n_features), min(2, problem.n_features)):
        choices = ground.choices(features, every)
        accepted = batches.accepted(np.array(features), rows, choices, moved=moved)
        for index, row in enumerate(rows.tolist()):
            for number, goal in enumerate(choices.tolist()):
                joins = cost_of_joining(problem, row, features, tuple(goal)) is not None
                stays = (problem.rows[row, list(features)] == goal).any()
                assert accepted[index, number] == (joins and not (moved and stays))


@pytest.mark.parametrize("kind", KINDS[1:])
def test_small_blocks_give_the_same_answers(monkeypatch, kind):
    ground = Ground.of(larger(0, kind))
    features, rows = ground.changeable[:2], np.arange(len(ground.rows))
    choices = ground.choices(features.tolist(), ground.reached)
    whole = Batches(ground, Stop()).accepted(features, rows, choices)
    monkeypatch.setattr(module, "PAIRS_ASKED", 1)
    monkeypatch.setattr(module, "JUDGED_PAIRS", 1)
    assert 0 < whole.sum() < whole.size
    np.testing.assert_array_equal(Batches(ground, Stop()).accepted(features, rows, choices), whole)


def test_no_choices_are_accepted_by_nobody():
    ground = Ground.of(random_additive(np.random.default_rng(0), rows=3))
    none = np.zeros((0, 1), dtype=np.int64)
    assert Batches(ground, Stop()).accepted(np.array([0]), np.arange(3), none).shape == (3, 0)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_classifier_is_asked_only_while_there_is_time(kind):
    ground = Ground.of(larger(0, kind))
    batches = Batches(ground, Stop(0))
    with pytest.raises(OutOfTimeError):
        batches.accepted(ground.changeable[:1], np.arange(len(ground.rows)), np.array([[0]]))
    assert batches.asked == 0


def test_moves_that_a_rule_forbids_are_not_asked_about():
    plain = random_additive(np.random.default_rng(0), rows=6, features=3, max_changes=2)
    problem = Problem(plain.codes, plain.levels, Veiled(plain.oracle), 2, [np.eye(3), None, None])
    ground = Ground.of(problem)
    batches = Batches(ground, Stop())
    rows = np.flatnonzero(ground.rows[:, 0] != 1)
    assert len(rows)
    assert not batches.accepted(np.array([0]), rows, np.array([[1]])).any()
    assert batches.asked == 0


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_no_point_is_asked_about_twice(share):
    rng = np.random.default_rng(3)
    asked = []

    def function(codes):
        asked.extend(map(tuple, np.asarray(codes).tolist()))
        return np.full(len(codes), 0.1)

    codes = rng.integers(3, size=(12, 4))
    listing = list_columns(Problem(codes, (3,) * 4, BlackBoxOracle(function, (3,) * 4), 2, share=share))
    assert len(asked) == len(set(asked)) == listing.asked
    assert listing.unreachable.all()


def test_answers_are_those_of_the_classifier_also_when_they_no_longer_fit(monkeypatch):
    monkeypatch.setattr("oneformany.engine.listing.batches.MOST_POINTS", 3_000)
    rng = np.random.default_rng(0)
    levels = (7,) * 25  # more points than one word can tell apart
    oracle = AdditiveOracle([rng.integers(-3, 4, size=7) for _ in levels], threshold=0)
    answers = Answers(oracle, Stop())
    points = rng.integers(7, size=(4_000, 25))
    for size in (500, 500, 2_000, 1_500, 10):
        some = points[rng.integers(4_000, size=size)]
        assert (answers.positive(some) == oracle.positive(some)).all()
    assert answers.asked < 4_510


def test_points_that_time_did_not_allow_to_ask_about_are_not_taken_for_negative():
    stop = Stop()
    answers = Answers(AdditiveOracle([[0, 1], [0, 1]], threshold=1), stop)
    points = np.array([[0, 0], [1, 0], [1, 1]])
    stop.interrupted = True
    for _ in range(2):
        with pytest.raises(OutOfTimeError):
            answers.positive(points)
    stop.interrupted = False
    assert answers.positive(points).tolist() == [False, True, True]


def test_one_choice_of_many_cells_takes_no_memory_for_all_cells():
    cells, n = 5_000, 2_000
    rng = np.random.default_rng(0)
    codes = np.column_stack((rng.integers(cells, size=n), rng.integers(4, size=n)))
    oracle = BlackBoxOracle(lambda points: (points.sum(axis=1) > cells).astype(float), (cells, 4))
    ground = Ground.of(Problem(codes, (cells, 4), oracle, max_changes=2))
    batches = Batches(ground, Stop())
    tracemalloc.start()
    accepted = batches.accepted(np.array([0, 1]), np.arange(len(ground.rows)), np.array([[cells - 1, 3]]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert accepted.all()
    assert peak < n * cells
