"""Which rows can be helped: the closed form, the questions, and what is said of the others."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings

from engine.listing.sharing_problems import NotBoth
from engine.problems import Shrugging, Veiled, oracle_of, problem_of
from oneformany.engine.options import Options
from oneformany.engine.screening import reasons_of, screen
from oneformany.methods import solve
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
    assert (summed.unreachable == asked.unreachable).all()
    assert (summed.reachable != summed.unreachable).all()
    for screened in (summed, asked):
        points, rows = screened.cells[screened.helpable], problem.rows[screened.helpable]
        assert problem.oracle.positive(points).all()
        assert ((points != rows).sum(axis=1) <= problem.max_changes).all()
        assert all(problem.may_move(row[None], point).all() for row, point in zip(rows, points, strict=True))


@settings(max_examples=30, deadline=None)
@given(small=small_problems())
def test_rows_of_which_nothing_is_known_are_neither_helpable_nor_beyond_help(small):
    shrugged = screen(problem_of(small, Shrugging(oracle_of(small))), Statistics())
    assert not shrugged.unreachable.any()
    no_time = screen(problem_of(small), Statistics(), Stop(0))
    assert not (no_time.reachable | no_time.unreachable).any()


FIXED = [None, np.eye(2), np.eye(2)]
FEW = "no positive point within 1 change: score 0 now, needed 2"
NEVER = "no allowed move reaches the threshold: score 0 now, at most 1 with every feature free, needed 2"


@pytest.mark.parametrize("way", ["search", "listing"])
@pytest.mark.parametrize("veiled", [False, True])
def test_the_reason_says_what_is_lacking_and_how_many_changes_would_do(way, veiled):
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    oracle = Veiled(oracle) if veiled else oracle
    remedy = "" if veiled else "; 2 changes would do"  # only a closed form knows
    for changes, rules, words in ((1, None, FEW + remedy), (3, FIXED, NEVER)):
        problem = Problem([[0, 0, 0]], (2, 2, 2), oracle, changes, rules)
        (entry,) = solve(problem, options=Options(way=way)).unreachable
        assert entry.reason == words


def test_without_time_the_reason_does_not_tell_what_takes_long_to_find_out():
    oracle = Veiled(AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2))
    problem = Problem([[0, 0, 0]], (2, 2, 2), oracle, 3, FIXED)
    row = np.array([0])
    assert reasons_of(problem, row) == {0: NEVER}
    assert reasons_of(problem, row, Stop(0)) == {0: FEW.replace("1 change", "3 changes")}


def test_the_clock_is_looked_at_for_each_row_whose_reason_takes_long_to_find_out():
    class Slow(Veiled):
        bounded = 0

        def upper_bound(self, domain):
            self.bounded += 1
            return self.oracle.upper_bound(domain)

    oracle, ticks = Slow(AdditiveOracle([[0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]], threshold=2)), count()
    problem = Problem([[level, 0] for level in range(6)], (6, 6), oracle, 1)
    reasons = reasons_of(problem, np.arange(6), Stop(3, clock=lambda: next(ticks)))
    assert list(reasons) == list(range(6))
    assert oracle.bounded < 4


def test_a_rule_on_whole_rows_may_forbid_what_is_positive():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    problem = Problem([[0, 0, 0]], (2, 2, 2), oracle, 2, FIXED, restrictions=(NotBoth(0, 1),))
    assert reasons_of(problem, np.array([0])) == {
        0: "the classifier accepts no allowed point within 2 changes"
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
