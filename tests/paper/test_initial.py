from __future__ import annotations

import numpy as np

from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.initial import initial_solution
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop


def problem(codes: list[list[int]], max_changes: int) -> Problem:
    """Score: number of ones; three are needed."""
    oracle = AdditiveOracle([[0, 1]] * len(codes[0]), threshold=3)
    return Problem(np.array(codes), (2,) * len(codes[0]), oracle, max_changes)


def test_every_row_gets_one_explanation_when_nothing_is_merged() -> None:
    initial = initial_solution(
        problem([[0, 1, 1], [1, 0, 1], [1, 1, 1]], 2), Statistics(), Stop(), merge=False
    )
    assert [column.group.tolist() for column in initial.columns] == [[0], [1], [2]]
    assert all(column.point.tolist() == [1, 1, 1] for column in initial.columns)


def test_rows_with_the_same_point_share_an_explanation_within_the_budget() -> None:
    initial = initial_solution(problem([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 2), Statistics(), Stop())
    assert [column.group.tolist() for column in initial.columns] == [[0, 1], [2]]
    assert [np.flatnonzero(column.changed).tolist() for column in initial.columns] == [[0, 1], [2]]


def test_a_row_that_is_positive_already_changes_nothing() -> None:
    initial = initial_solution(problem([[1, 1, 1]], 1), Statistics(), Stop())
    assert not initial.columns[0].changed.any()


def test_rows_out_of_reach_are_set_aside() -> None:
    initial = initial_solution(problem([[0, 0, 1], [0, 1, 1], [0, 1, 1]], 1), Statistics(), Stop())
    assert initial.rows.places.tolist() == [1]
    assert [entry.row for entry in initial.screened.unreachable] == [0]
    assert initial.rows.codes.tolist() == [[0, 1, 1]]
