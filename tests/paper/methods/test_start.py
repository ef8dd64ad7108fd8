from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.methods.published import initial_solution
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from strategies import random_problem


def problem(codes: list[list[int]], max_changes: int) -> Problem:
    """Score: number of ones; three are needed."""
    oracle = AdditiveOracle([[0, 1]] * len(codes[0]), threshold=3)
    return Problem(np.array(codes), (2,) * len(codes[0]), oracle, max_changes)


def test_every_row_gets_one_explanation_when_nothing_is_merged() -> None:
    _, columns, _ = initial_solution(
        problem([[0, 1, 1], [1, 0, 1], [1, 1, 1]], 2), Statistics(), Stop(), merge=False
    )
    assert [column.rows.tolist() for column in columns] == [[0], [1], [2]]
    assert all(column.point.tolist() == [1, 1, 1] for column in columns)


def test_rows_with_the_same_point_share_an_explanation_within_the_budget() -> None:
    _, columns, _ = initial_solution(problem([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 2), Statistics(), Stop())
    assert [column.rows.tolist() for column in columns] == [[0, 1], [2]]
    assert [np.flatnonzero(column.changed).tolist() for column in columns] == [[0, 1], [2]]


def test_rows_share_a_point_that_was_found_for_another() -> None:
    given = problem([[0, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 0]], 2)
    _, columns, _ = initial_solution(given, Statistics(), Stop())
    assert [column.rows.tolist() for column in columns] == [[0, 1, 2]]


def test_a_row_does_not_share_a_point_to_which_it_may_not_move() -> None:
    oracle = AdditiveOracle([[1, 0], [0, 1]], threshold=1)
    given = Problem(np.array([[0, 0], [1, 0]]), (2, 2), oracle, 2, (np.eye(2, dtype=bool), None))
    _, columns, _ = initial_solution(given, Statistics(), Stop())
    assert [column.rows.tolist() for column in columns] == [[0], [1]]


@pytest.mark.parametrize("merge", [True, False])
@settings(max_examples=100, deadline=None)
@drawn(seed=st.integers(0, 10**6))
def test_every_row_in_reach_has_one_explanation_that_it_may_use(merge: bool, seed: int) -> None:
    small = random_problem(np.random.default_rng(seed))
    oracle = AdditiveOracle(small.tables, small.intercept, small.threshold)
    codes, levels = np.array(small.codes), tuple(small.levels)
    given = Problem(codes, levels, oracle, small.max_changes, small.allowed)
    space, columns, _ = initial_solution(given, Statistics(), Stop(), merge=merge)
    covered = np.concatenate([np.empty(0, int), *(column.rows for column in columns)])
    assert sorted(covered.tolist()) == list(range(len(space.rows)))
    for column in columns:
        members = space.rows[column.rows]
        assert oracle.positive(column.point[None]).all()
        assert ((members != column.point).any(axis=0) == column.changed).all()
        assert column.changed.sum() <= given.max_changes
        assert given.may_move(members, column.point).all()


def test_without_time_to_merge_rows_keep_their_own_points(monkeypatch: pytest.MonkeyPatch) -> None:
    given = problem([[0, 1, 1], [1, 0, 1], [1, 1, 1]], 2)
    _, _, screened = initial_solution(given, Statistics(), Stop())
    monkeypatch.setattr("oneformany.paper.methods.published.screen", lambda *_: screened)
    _, columns, _ = initial_solution(given, Statistics(), Stop(0.0))
    assert [column.rows.tolist() for column in columns] == [[0], [1], [2]]


def test_a_row_that_is_positive_already_changes_nothing() -> None:
    _, columns, _ = initial_solution(problem([[1, 1, 1]], 1), Statistics(), Stop())
    assert not columns[0].changed.any()


def test_rows_out_of_reach_are_set_aside() -> None:
    space, _, screened = initial_solution(problem([[0, 0, 1], [0, 1, 1], [0, 1, 1]], 1), Statistics(), Stop())
    assert space.helpable.tolist() == [1]
    assert screened.unreachable.tolist() == [True, False]
    assert space.rows.tolist() == [[0, 1, 1]]
