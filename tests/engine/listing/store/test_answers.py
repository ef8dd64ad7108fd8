"""No point is asked about twice, and nothing is said about points that nobody asked about."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.engine.listing.listing import list_columns
from oneformany.engine.listing.store.answers import Answers, OutOfTimeError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.stop import Stop


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
    monkeypatch.setattr("oneformany.engine.listing.store.answers.MOST_POINTS", 3_000)
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
