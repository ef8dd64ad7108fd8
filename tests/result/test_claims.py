"""Tests that a result claims what was proved and no more, whatever ended the run."""

from __future__ import annotations

import _thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import Shrugging, Veiled, oracle_of, problem_of, random_additive
from oneformany.engine.screening import screen
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.protocol import Answer
from oneformany.problem import Problem
from oneformany.problem.own import OwnValues
from oneformany.result.result import Result
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from reference import brute_force
from strategies import small_problems


def ticking(after: int) -> Stop:
    """A clock that runs out after it was looked at so many times."""
    looks = iter(range(10**9))
    return Stop(after, clock=lambda: float(next(looks)))


class Forgetful(Veiled):
    """An oracle that answers only every other question."""

    def __init__(self, oracle):
        super().__init__(oracle)
        self.asked = 0

    def reach(self, question):
        self.asked += 1
        return Answer.unknown() if self.asked % 2 else self.oracle.reach(question)


def assert_adds_up(result: Result, rows: int) -> None:
    """Every row is covered, proved to be beyond help, or undecided, and only one of these."""
    covered = {row for row, number in enumerate(result.assignment) if number >= 0}
    beyond_help = {entry.row for entry in result.unreachable}
    undecided = set(result.undecided)
    assert len(covered) + len(beyond_help) + len(undecided) == rows
    assert covered | beyond_help | undecided == set(range(rows))
    assert (result.status == "infeasible") == (len(beyond_help) == rows)
    assert (result.ended == "proved") == (result.status != "feasible")


@pytest.mark.parametrize("veil", [None, Veiled, Shrugging, Forgetful])
@pytest.mark.parametrize("time_limit", [0, None])
@settings(max_examples=25, deadline=None)
@given(small=small_problems())
def test_nobody_is_called_hopeless_without_proof(veil, time_limit, small):
    oracle = oracle_of(small) if veil is None else veil(oracle_of(small))
    result = solve(problem_of(small, oracle), time_limit=time_limit)
    count, unreachable = brute_force(**small.arguments())
    assert_adds_up(result, len(small.codes))
    assert {entry.row for entry in result.unreachable} <= set(unreachable)
    assert result.lower_bound <= count
    assert count <= result.count + len(result.undecided)
    if time_limit == 0:
        assert (result.status, result.gap, result.ended) == ("feasible", 1.0, "time limit")
    if result.status == "optimal":
        assert (result.count, result.gap) == (count, 0.0)


@settings(max_examples=40, deadline=None)
@given(small=small_problems(), looks=st.integers(0, 6), veiled=st.booleans())
def test_screening_looks_at_the_clock_and_leaves_the_rest_undecided(small, looks, veiled):
    oracle = Veiled(oracle_of(small)) if veiled else oracle_of(small)
    problem = problem_of(small, oracle)
    screened = screen(problem, Statistics(), ticking(looks))
    complete = screen(problem, Statistics())
    assert set(screened.helpable.tolist()) <= set(complete.helpable.tolist())
    assert not (screened.unreachable & ~complete.unreachable).any()
    if looks <= 1:
        assert not len(screened.helpable)
        assert not screened.unreachable.any()


@settings(max_examples=100, deadline=None)
@given(small=small_problems())
def test_screening_in_one_go_agrees_with_asking_row_by_row(small):
    at_once = screen(problem_of(small), Statistics())
    asked = screen(problem_of(small, Veiled(oracle_of(small))), Statistics())
    assert at_once.helpable.tolist() == asked.helpable.tolist()
    assert (at_once.unreachable == asked.unreachable).all()
    problem = problem_of(small)
    for row, point in zip(at_once.helpable, at_once.cells[at_once.helpable], strict=True):
        moved = np.flatnonzero(point != problem.rows[row])
        assert len(moved) <= problem.max_changes
        assert problem.oracle.positive(point[None])[0]
        assert all(problem.question(int(row)).domain[feature, point[feature]] for feature in moved)


@st.composite
def with_own_values(draw):
    """Rows whose values are finer than the cells they can be sent to."""
    features = draw(st.integers(1, 3))
    cell_of, targets = [], []
    for _ in range(features):
        cells = draw(st.integers(1, 3))
        of = [*range(cells), *draw(st.lists(st.integers(0, cells - 1), max_size=3))]
        inside = [[value for value, cell in enumerate(of) if cell == wanted] for wanted in range(cells)]
        targets.append(np.array([draw(st.sampled_from([-1, *values])) for values in inside]))
        cell_of.append(np.array(of))
    rows = draw(st.integers(1, 5))
    values = np.array([[draw(st.integers(0, len(of) - 1)) for of in cell_of] for _ in range(rows)])
    tables = [[draw(st.integers(-4, 4)) for _ in of] for of in cell_of]
    own = OwnValues(values, tuple(cell_of), tuple(targets))
    oracle = AdditiveOracle(tables, threshold=draw(st.integers(-4, 8)))
    levels = tuple(len(target) for target in targets)
    return Problem(own.cells, levels, oracle, draw(st.integers(1, features)), own=own)


@settings(max_examples=200, deadline=None)
@given(problem=with_own_values())
def test_screening_with_own_values_agrees_with_trying_everything(problem):
    screened = screen(problem, Statistics())
    helpable = {int(row): screened.cells[row] for row in screened.helpable}
    for row in range(len(problem.rows)):
        points = [
            cells
            for cells in np.ndindex(*problem.levels)
            if (np.array(cells) != problem.rows[row]).sum() <= problem.max_changes
            and follows(problem, row, np.array(cells))
        ]
        assert (row in helpable) == bool(points)
        assert screened.unreachable[row] == (not points)
        if points:
            assert tuple(helpable[row].tolist()) in {tuple(map(int, cells)) for cells in points}


def follows(problem: Problem, row: int, cells: np.ndarray) -> bool:
    moved = cells != problem.rows[row]
    if any(problem.own.targets[f][cells[f]] < 0 for f in np.flatnonzero(moved)):
        return False
    values = problem.own.follow(problem.values[[row]], cells, np.ones(len(cells), dtype=bool))
    return bool(problem.oracle.positive(values)[0])


def test_the_reason_says_how_many_changes_would_do():
    oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1], [0, 0]], threshold=3)
    result = solve(Problem(np.array([[0, 0, 0, 0], [1, 1, 0, 0]]), (2, 2, 2, 2), oracle, max_changes=2))
    assert [entry.row for entry in result.unreachable] == [0]
    assert result.unreachable[0].reason.endswith("3 changes would do")
    hopeless = AdditiveOracle([[0, 1], [0, 1]], threshold=3)
    result = solve(Problem(np.array([[0, 0]]), (2, 2), hopeless, max_changes=2))
    assert "no allowed move reaches the threshold: score 0 now, at most 2" in result.unreachable[0].reason


def test_a_rule_on_whole_rows_puts_a_row_beyond_help_that_the_oracle_alone_would_accept():
    class Never:
        def holds(self, before, after):
            return np.zeros(len(before), dtype=bool) & (before == after).all()

        def to_dict(self):
            return {"rule": "never"}

    oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    problem = Problem(np.array([[0, 0]]), (2, 2), oracle, max_changes=1, restrictions=[Never()])
    result = solve(problem)
    assert (result.status, result.covered) == ("infeasible", 0)
    assert result.unreachable[0].reason == "the classifier accepts no allowed point within 1 change"


def test_an_interrupt_is_told_in_the_result_and_in_the_file():
    problem = random_additive(np.random.default_rng(2), rows=150, features=14, max_changes=7)
    rounds = []

    def interrupt_once(record):
        rounds.append(record)
        if len(rounds) == 2:
            _thread.interrupt_main()

    result = solve(problem, progress=interrupt_once)
    assert (result.status, result.ended) == ("feasible", "interrupted")
    assert result.covered == 150
    assert "The search was interrupted." in result.summary()
    assert Result.from_json(result.to_json()).ended == "interrupted"


@pytest.mark.parametrize("time_limit", [0, None])
def test_open_results_survive_a_file(time_limit):
    oracle = Forgetful(AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2))
    codes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    result = solve(Problem(codes, (2, 2, 2), oracle, max_changes=2), time_limit=time_limit)
    assert result.undecided
    assert Result.from_json(result.to_json()) == result


def test_words_count_people_where_rows_stand_for_several():
    oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=2)
    told = solve(Problem([[0, 0], [1, 0]], (2, 2), oracle, 1, people=[5, 7]))
    assert "1 explanation covers 7 of 12 people, at least 1 is needed, 5 beyond help" in repr(told)
    assert "5 people cannot be helped that way: proved." in told.summary()
    assert "covers 7 people (row 1):\n    feature 1  -> level 1  (7 from level 0)" in told.summary()
