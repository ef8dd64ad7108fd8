"""Tests that a question is answered again only where something else is known of points near the threshold."""

import numpy as np
import pytest

from oneformany.engine.again import accepts, until_accepted
from oneformany.methods import solve, solve_for
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.facts import Facts, TurnedDownError
from oneformany.stop import Stop

TABLES = [[0, 1, 1], [0, 1, 1], [0, 0, 0]]


def problem_of(decide=None, margin=0.25):
    oracle = AdditiveOracle(TABLES, threshold=2, margin=margin)
    oracle = oracle if decide is None else oracle.decided_by(decide)
    return Problem([[0, 0, 0], [0, 0, 1]], (3, 3, 3), oracle, max_changes=2)


class Fussy:
    """Turns down so many answers, and notes each that it saw."""

    def __init__(self, times):
        self.times, self.seen = times, []

    def facts(self, answer):
        self.seen.append(answer)
        if len(self.seen) <= self.times:
            raise TurnedDownError
        return Facts(problem={"seen": len(self.seen)})


def test_where_nothing_is_near_the_threshold_the_first_answer_is_the_last():
    problem, asked = problem_of(), []
    assert until_accepted(problem, lambda one: asked.append(one) or 7, Stop()) == 7
    assert asked == [problem]


def test_at_first_all_points_near_the_threshold_count_as_positive_then_the_model_is_asked():
    said = []

    def decide(codes):
        said.extend(codes.tolist())
        return codes[:, 0] == 2

    problem, asked = problem_of(decide), []

    def answer(one):
        asked.append(one)
        if one is not problem:
            assert one.oracle.positive(np.array([[1, 1, 0]])).all()
            assert not said
            raise TurnedDownError
        return one.oracle.positive(np.array([[1, 1, 0]])).tolist()

    assert until_accepted(problem, answer, Stop()) == [False]
    assert [one is problem for one in asked] == [False, True]
    assert set(map(tuple, said)) == {(1, 1, 0)}  # in companies of one and more


def test_time_that_is_up_ends_hope_but_not_the_answer():
    problem, asked = problem_of(lambda codes: codes[:, 0] == 2), []

    def answer(one):
        asked.append(one)
        if one is not problem:
            raise TurnedDownError
        return "found"

    assert until_accepted(problem, answer, Stop(0)) == "found"
    assert len(asked) == 2


@pytest.mark.parametrize("times", [0, 1, 3])
@pytest.mark.parametrize("doubtful", [False, True])
def test_whoever_asks_may_turn_an_answer_down_and_what_it_knows_is_in_the_result(times, doubtful):
    problem = problem_of((lambda codes: codes[:, 0] > 0) if doubtful else None)
    asker = Fussy(times)
    result = solve_for(asker, problem)
    assert len(asker.seen) == times + 1
    assert result.problem["seen"] == times + 1
    assert all("seen" not in draft.problem for draft in asker.seen)
    plain = solve(problem)
    assert (result.count, result.lower_bound, result.proof) == (plain.count, plain.lower_bound, plain.proof)


def test_rows_are_accepted_as_the_oracle_says():
    cells = np.array([[1, 1, 0], [1, 0, 1]])
    sure = problem_of(lambda codes: codes[:, 0] > 0)
    assert accepts(sure, np.array([0, 1]), cells).tolist() == [True, False]
    unsure = problem_of(lambda codes: codes[:, 0] == 2)
    assert accepts(unsure, np.array([0]), cells[:1]).tolist() == [False]
