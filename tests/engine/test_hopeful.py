"""Points that only the model can decide about, and that are too many to be listed."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import draw_problem
from oneformany.engine.hopeful import hopeful_problems
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem.goal import Goal
from reference_goals import best_answer
from test_goals import check_best


def doubtful(rng: np.random.Generator, share: str) -> ofm.Problem:
    """Draw a problem with a model that decides about scores near the threshold as it likes."""
    problem = draw_problem(rng, "additive", share, restricted=False)
    levels = problem.oracle.levels
    tables = [rng.integers(-3, 4, size=n) for n in levels]
    threshold = float(sum(rng.choice(table) for table in tables) + rng.integers(3))
    likes = rng.random(levels) < 0.5
    oracle = AdditiveOracle(tables, 0.0, threshold, margin=float(rng.choice([0.25, 1.25])))
    with patch("oneformany.oracles.ties.MOST_SUMS", 0):
        oracle = oracle.decided_by(lambda codes: likes[tuple(np.asarray(codes).T)])
    return replace(problem, oracle=oracle)


@pytest.mark.parametrize("share", ["point", "action", "features"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_what_the_model_itself_decides_is_counted_as_brute_force_counts_it(share, seed):
    problem = doubtful(np.random.default_rng(seed), share)
    result = ofm.solve(problem, options=ofm.Options(least_cost=True))
    check_best(problem, Goal(), result)
    assert ofm.verify.verify(result.to_json()).outcome != "wrong"


def test_an_answer_that_the_model_turns_down_is_looked_for_anew_in_the_time_that_is_left():
    tables = [[0, 1, 1], [0, 1, 1], [0, 0, 0]]
    asked = []

    def decide(codes):
        asked.extend(codes.tolist())
        return (codes[:, 0] == 2) & (codes[:, 1] == 2)

    oracle = AdditiveOracle(tables, threshold=2, margin=0.25)
    with patch("oneformany.oracles.ties.MOST_SUMS", 0):
        problem = ofm.Problem([[0, 0, 0], [0, 0, 1]], (3, 3, 3), oracle.decided_by(decide), max_changes=2)
    (hopeful,) = hopeful_problems(problem)
    assert ofm.solve(hopeful).explanations[0].point[:2] == (1, 1)
    assert not asked
    result = ofm.solve(problem)
    assert (result.status, result.count) == ("optimal", best_answer(problem, Goal()).explanations)
    assert {explanation.point[:2] for explanation in result.explanations} == {(2, 2)}
    late = ofm.solve(problem, time_limit=0)
    assert (late.status, late.unreachable) == ("feasible", ())
