"""Tests that a column holds all rows that its point covers, and that a pool holds each group once."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.problems import parts_of, problem_of, random_additive
from engine.run_of import run_of
from oneformany.engine.columns import (
    Column,
    ColumnPool,
    assign,
    cheap_point,
    level_prices,
    simplest_point,
)
from oneformany.engine.scaling import UNPAYABLE
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from strategies import small_problems


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_a_column_covers_every_row_that_may_move_to_its_point_within_its_features(small):
    problem = problem_of(small)
    space, items, oracle = parts_of(problem)
    assume(len(items))
    column = oracle.column(0, np.full(problem.n_features, -1))
    assume(column is not None)
    fits = ((space.rows == column.point) | column.changed).all(axis=1)
    fits &= problem.may_move(space.rows, column.point).all(axis=1)
    assert column.rows.tolist() == np.flatnonzero(fits).tolist()


def test_of_columns_with_the_same_rows_the_first_stays():
    problem = random_additive(np.random.default_rng(0))
    space, _, _ = parts_of(problem)
    point, changed = space.rows[0], np.zeros(problem.n_features, dtype=np.bool_)
    first, second = (Column(point, changed, np.array([0, 2])) for _ in range(2))
    other = Column(point, changed, np.array([1]))
    pool = ColumnPool()
    pool.add([first, second])
    assert pool.columns == [first]
    pool.add([second, other])
    assert pool.columns == [first, other]
    assert len(pool) == 2


@settings(max_examples=150, deadline=None)
@given(small=small_problems(), data=st.data())
def test_rows_are_covered_exactly_when_each_of_their_moves_is_in_the_column_and_allowed(small, data):
    problem = problem_of(small)
    space, _, _ = parts_of(problem)
    point = np.array([data.draw(st.integers(0, n - 1)) for n in problem.levels])
    changed = np.array([data.draw(st.booleans()) for _ in problem.levels])
    expected = []
    for row, codes in enumerate(space.rows):
        moves = [f for f in range(problem.n_features) if codes[f] != point[f]]
        allowed = all(problem.moves[f] is None or problem.moves[f][codes[f], point[f]] for f in moves)
        if allowed and all(changed[f] for f in moves):
            expected.append(row)
    assert Column.covering(space, point, changed).rows.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_every_row_goes_to_a_column_that_changes_fewest_of_its_features(small):
    problem = problem_of(small)
    run = run_of(problem)
    helpable, cover = run.space.helpable, run.pool.columns  # more than needed: rows have a choice
    groups = assign(problem, helpable, cover)
    assert sorted(row for rows in groups for row in rows.tolist()) == helpable.tolist()
    for column, rows in zip(cover, groups, strict=True):
        for row in rows.tolist():
            index = int(np.flatnonzero(helpable == row)[0])
            fewest = min(
                int((problem.rows[row] != other.point).sum()) for other in cover if index in other.rows
            )
            assert index in column.rows
            assert int((problem.rows[row] != column.point).sum()) == fewest


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_a_simpler_point_is_positive_and_nobody_has_more_to_change(small):
    problem = problem_of(small)
    run = run_of(problem)
    for column, rows in zip(run.best, assign(problem, run.space.helpable, run.best), strict=True):
        if len(rows):
            point = simplest_point(problem, column.point, rows)
            people = problem.multiplicity[rows]
            before, after = (
                people @ (problem.rows[rows] != goal).sum(axis=1) for goal in (column.point, point)
            )
            assert problem.oracle.positive(point[None])[0]
            assert problem.may_move(problem.rows[rows], point).all()
            assert after <= before


def test_a_change_that_is_not_needed_is_taken_back():
    oracle = AdditiveOracle([[0, 2], [0, 1]], threshold=2)
    problem = Problem([[0, 0]], (2, 2), oracle, 2)
    assert simplest_point(problem, np.array([1, 1]), np.array([0])).tolist() == [1, 0]


def near_the_middle(problem, rows):
    prices = level_prices(problem, rows)
    middle = prices.argmin(axis=1)
    positive = bool(problem.oracle.positive(middle[None])[0])
    return prices, cheap_point(problem, prices, middle, prices < UNPAYABLE, positive=positive)


def test_a_group_goes_to_a_positive_point_that_costs_it_least():
    oracle = AdditiveOracle([[0, 1], [0, 0], [0, 1]], threshold=1)
    problem = Problem([[0, 0, 0], [0, 1, 0]], (2, 2, 2), oracle, 2)
    prices, point = near_the_middle(problem, np.arange(2))
    assert prices[np.arange(3), point].sum() == 3


def test_the_middle_is_where_most_people_are_unless_somebody_may_not_go_there():
    oracle, people = AdditiveOracle([[0, 1, 1]], threshold=1), [5, 1]
    free = Problem([[0], [1]], (3,), oracle, 1, people=people)
    assert level_prices(free, np.arange(2)).tolist() == [[1, 5, 6]]
    upwards = Problem([[0], [1]], (3,), oracle, 1, [np.triu(np.ones((3, 3)))], people=people)
    assert level_prices(upwards, np.arange(2)).tolist() == [[UNPAYABLE, 5, 6]]


@settings(max_examples=100, deadline=None)
@given(small=small_problems(), data=st.data())
def test_every_row_may_go_to_a_cheap_point_which_is_positive(small, data):
    problem = problem_of(small)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(problem.rows) - 1), min_size=1, max_size=3))))
    prices = level_prices(problem, rows)
    assume((prices.min(axis=1) < UNPAYABLE).all())
    _, point = near_the_middle(problem, rows)
    if point is not None:
        assert problem.oracle.positive(point[None])[0]
        assert problem.may_move(problem.rows[rows], point).all()
