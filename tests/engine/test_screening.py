"""Which rows can be helped: the closed form, the questions, and what is said of the others."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from engine.problems import Shrugging, Veiled, oracle_of, problem_of
from oneformany.engine.screening import screen
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from strategies import small_problems


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_the_closed_form_and_questions_find_the_same_rows(small):
    problem = problem_of(small)
    summed = screen(problem, Statistics())
    asked = screen(problem_of(small, Veiled(oracle_of(small))), Statistics())
    assert summed.helpable.tolist() == asked.helpable.tolist()
    assert set(summed.reasons) == set(asked.reasons)
    assert sorted([*summed.helpable.tolist(), *summed.reasons]) == list(range(len(problem.rows)))
    for screened in (summed, asked):
        points = np.array(screened.points, dtype=np.int64).reshape(-1, problem.n_features)
        rows = problem.rows[screened.helpable]
        assert problem.oracle.positive(points).all()
        assert ((points != rows).sum(axis=1) <= problem.max_changes).all()
        assert all(problem.may_move(row[None], point).all() for row, point in zip(rows, points, strict=True))


@settings(max_examples=30, deadline=None)
@given(small=small_problems())
def test_rows_of_which_nothing_is_known_are_neither_helpable_nor_beyond_help(small):
    shrugged = screen(problem_of(small, Shrugging(oracle_of(small))), Statistics())
    assert not shrugged.reasons
    no_time = screen(problem_of(small), Statistics(), Stop(0))
    assert (no_time.helpable.tolist(), no_time.points, no_time.reasons) == ([], [], {})


def test_the_reason_says_what_is_lacking_and_how_many_changes_would_do():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    few = screen(Problem([[0, 0, 0]], (2, 2, 2), oracle, 1), Statistics())
    assert few.reasons == {0: "no positive point within 1 change: score 0 now, needed 2; 2 changes would do"}
    fixed = [None, np.eye(2), np.eye(2)]
    none = screen(Problem([[0, 0, 0]], (2, 2, 2), oracle, 3, fixed), Statistics())
    assert none.reasons == {
        0: "no allowed move reaches the threshold: score 0 now, at most 1 with every feature free, needed 2"
    }


def test_points_that_are_known_are_not_asked_about_again():
    inner = AdditiveOracle([[0, 1], [0, 1]], threshold=2)
    asked = []

    class Listening(Veiled):
        def reach(self, question):
            asked.append(question.anchor.tolist())
            return inner.reach(question)

    problem = Problem([[0, 1], [1, 0]], (2, 2), Listening(inner), 1)
    screened = screen(problem, Statistics(), None, {0: np.array([1, 1])})
    assert asked == [[1, 0]]
    assert screened.helpable.tolist() == [0, 1]
