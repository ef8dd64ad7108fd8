"""The covering program minimises cost, keeps its demands, and says when time was too short."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.program import CoveringProgram, as_matrix, best_columns
from oneformany.stop import Stop

GROUPS = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2]), np.array([0]), np.array([1]), np.array([2])]


def triangle():
    program = CoveringProgram(np.ones(3))
    program.add_columns(as_matrix(GROUPS, 3))
    return program


def test_an_odd_cycle_is_covered_by_halves():
    relaxed = triangle().solve(Stop())
    assert relaxed.value == pytest.approx(1.5)
    assert relaxed.duals.sum() == pytest.approx(1.5)
    assert relaxed.values[:3].tolist() == pytest.approx([0.5, 0.5, 0.5])


def test_what_is_not_asked_for_costs_nothing():
    program = triangle()
    program.demand(np.array([1.0, 0.0, 0.0]))
    assert program.solve(Stop()).value == pytest.approx(1.0)
    program.demand(np.ones(3))
    assert program.solve(Stop()).value == pytest.approx(1.5)


def test_columns_that_may_not_be_used_are_not():
    program = triangle()
    program.use(np.array([False, False, False, True, True, True]))
    assert program.solve(Stop()).value == pytest.approx(3.0)
    program.use(np.zeros(6, dtype=np.bool_))
    assert program.solve(Stop()) is None


def test_a_column_costs_what_it_is_said_to():
    program = CoveringProgram(np.ones(2))
    program.add_columns(
        as_matrix([np.array([0, 1]), np.array([0]), np.array([1])], 2), np.array([5.0, 1.0, 2.0])
    )
    assert program.solve(Stop()).value == pytest.approx(3.0)


def test_time_that_is_up_is_not_an_error():
    assert triangle().solve(Stop(0)) is None


def test_rows_come_in_later_with_entries_in_columns_that_are_there():
    program = triangle()
    program.add_rows(np.array([2.0]), as_matrix([np.array([0])] * 6, 1).tocsr())
    assert len(program.solve(Stop()).duals) == 4
    assert program.solve(Stop()).value == pytest.approx(2.0)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_value_and_duals_are_those_of_another_solver(data):
    n = data.draw(st.integers(1, 6))
    groups = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), max_size=10))
    groups += [{row} for row in range(n)]
    costs = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(groups), max_size=len(groups))))
    matrix = as_matrix([np.array(sorted(group)) for group in groups], n)
    program = CoveringProgram(np.ones(n))
    program.add_columns(matrix, costs)
    relaxed = program.solve(Stop())
    other = linprog(costs, A_ub=-matrix.toarray(), b_ub=-np.ones(n))
    assert relaxed.value == pytest.approx(other.fun)
    assert (matrix.T @ relaxed.duals <= costs + 1e-6).all()


N_ROWS = 6
groups_of_rows = st.lists(st.frozensets(st.integers(0, N_ROWS - 1), min_size=1), min_size=1, max_size=6).map(
    lambda groups: [*groups, frozenset(range(N_ROWS)) - frozenset().union(*groups) or frozenset({0})]
)


def incidence_of(groups):
    ends = np.cumsum([0, *(len(group) for group in groups)])
    rows = np.array([row for group in groups for row in sorted(group)], dtype=np.int32)
    return Incidence.of(ends, rows, N_ROWS)


@settings(max_examples=40, deadline=None)
@given(groups=groups_of_rows)
def test_a_cover_is_as_small_as_can_be(groups):
    table = incidence_of(groups)
    found = best_columns(table, 10.0, np.arange(len(groups)))
    fewest = next(
        size
        for size in range(1, len(groups) + 1)
        if any(len(frozenset().union(*some)) == N_ROWS for some in combinations(groups, size))
    )
    assert found.proved
    assert table.covered_by(found.chosen).all()
    assert len(found.chosen) == fewest


@settings(max_examples=40, deadline=None)
@given(groups=groups_of_rows, budget=st.integers(1, 3), data=st.data())
def test_a_budget_covers_the_most_people(groups, budget, data):
    table = incidence_of(groups)
    people = np.array(data.draw(st.lists(st.integers(1, 5), min_size=N_ROWS, max_size=N_ROWS)))
    found = best_columns(table, 10.0, np.array([0]), people, budget)
    most = max(
        int(people[sorted(frozenset().union(*some))].sum())
        for some in combinations(groups, min(budget, len(groups)))
    )
    assert len(found.chosen) <= budget
    assert int(people[table.covered_by(found.chosen)].sum()) == most
