"""Small covers and budgets by a mixed-integer program, against trying everything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.integer_program import program

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
    found = program(table, 10.0, np.arange(len(groups)))
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
    found = program(table, 10.0, np.array([0]), people, budget)
    most = max(
        int(people[sorted(frozenset().union(*some))].sum())
        for some in combinations(groups, min(budget, len(groups)))
    )
    assert len(found.chosen) <= budget
    assert int(people[table.covered_by(found.chosen)].sum()) == most
