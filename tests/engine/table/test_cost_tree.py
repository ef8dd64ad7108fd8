"""The question whether so many columns serve so many people within a cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import people_of, table_of, tables
from engine.table.test_cost import cost_maps, total
from oneformany.engine.cover.merging import merged
from oneformany.engine.table.cost_tree import CostQuestion
from oneformany.engine.table.tree import UndecidedError
from oneformany.stop import Stop

NONE = np.zeros(0, dtype=np.int64)


def question_of(table, people, k, needed, target):
    rows = merged(table.starts, table.rows, table.costs, people, apart=True)
    return CostQuestion(rows, k, needed, target, 100, Stop())


def within(table, people, chosen, needed, target):
    enough = people_of(table, people, chosen) >= needed
    return enough and total(cost_maps(table), people, chosen, needed) <= target


@settings(max_examples=150, deadline=None)
@given(
    case=tables(most_columns=6, with_costs=True),
    k=st.integers(1, 3),
    needed=st.integers(1, 12),
    target=st.integers(0, 20),
    data=st.data(),
)
def test_what_the_relaxation_excludes_is_part_of_no_answer(case, k, needed, target, data):
    table, people = case
    question = question_of(table, people, k, needed, target)
    chosen = data.draw(st.lists(st.integers(0, len(table) - 1), max_size=k - 1, unique=True))
    usable = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    usable[chosen] = False
    start = np.array(chosen, dtype=np.int64)
    ended = question.ended(start, usable)
    relaxed = question.relax(start, usable) if ended is None else None
    for size in range(k - len(chosen) + 1):
        for more in combinations(np.flatnonzero(usable).tolist(), size):
            columns = [*chosen, *more]
            reached = within(table, people, columns, needed, target)
            assert question.reached_by(np.array(columns, dtype=np.int64)) == reached
            if reached and relaxed is not None:
                assert not relaxed.closed
                assert not relaxed.light[list(more)].any()
            if reached and relaxed is None:
                assert ended == {"evaluated": True}


def test_a_node_ends_where_its_columns_serve_too_few_or_none_is_left_to_choose():
    table = table_of([[0], [1], [0, 1]], 2, [[1], [1], [4, 4]])
    question = question_of(table, np.array([1, 1]), 2, 2, 3)
    assert question.ended(NONE, np.array([True, False, False])) == {"short": True}
    assert question.ended(NONE, np.array([True, True, False])) is None
    assert question.ended(np.array([0, 1]), np.array([False, False, True])) == {"evaluated": True}


def test_prices_close_a_node_as_soon_as_the_cost_is_too_low():
    table = table_of([[0], [1], [0, 1]], 2, [[1], [1], [4, 4]])
    everything, people = np.ones(3, dtype=np.bool_), np.array([1, 1])
    assert question_of(table, people, 2, 2, 1).relax(NONE, everything).closed
    open_ = question_of(table, people, 2, 2, 2).relax(NONE, everything)
    assert not open_.closed
    assert not open_.light[:2].any()
    assert question_of(table, people, 1, 2, 7).relax(NONE, everything).closed  # one column serves both for 8


def test_a_knapsack_that_is_too_large_leaves_a_node_undecided(monkeypatch):
    monkeypatch.setattr("oneformany.engine.table.left_out.MOST_STEPS", 0)
    table = table_of([[0, 1, 2]], 3, [[5, 4, 4]])
    people, chosen, nothing = np.array([3, 2, 2]), np.array([0]), np.zeros(1, dtype=np.bool_)
    assert question_of(table, people, 1, 3, 16).ended(chosen, nothing) == {"evaluated": True}
    assert question_of(table, people, 1, 3, 11).ended(chosen, nothing) == {"evaluated": True}
    with pytest.raises(UndecidedError):  # 15 is possible, but the rows that are found pay 16
        question_of(table, people, 1, 3, 15).ended(chosen, nothing)
