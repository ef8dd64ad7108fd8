"""The question whether so many columns cover so many people: nothing is excluded that could be an answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.tables import people_of, table_of, tables
from oneformany.engine.table.budget_tree import BudgetQuestion
from oneformany.engine.table.tree import UndecidedError
from oneformany.stop import Stop

NONE = np.zeros(0, dtype=np.int64)


@settings(max_examples=150, deadline=None)
@given(case=tables(), k=st.integers(1, 3), target=st.integers(1, 20), data=st.data())
def test_what_the_relaxation_excludes_is_part_of_no_answer(case, k, target, data):
    table, people = case
    question = BudgetQuestion(table.incidence, people, k, target, Stop())
    chosen = data.draw(st.lists(st.integers(0, len(table) - 1), max_size=k - 1, unique=True))
    usable = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    usable[chosen] = False
    relaxed = question.relax(np.array(chosen, dtype=np.int64), usable)
    assert not relaxed.light[~usable].any()
    for size in range(k - len(chosen) + 1):
        for more in combinations(np.flatnonzero(usable).tolist(), size):
            if people_of(table, people, [*chosen, *more]) >= target:
                assert question.reached_by(np.array([*chosen, *more], dtype=np.int64))
                assert not relaxed.closed
                assert not relaxed.light[list(more)].any()


def test_two_of_three_pairs_hold_three_people_and_four_are_too_many():
    table, people = table_of([[0, 1], [1, 2], [0, 2]], 4), np.ones(4, dtype=np.int64)
    everything = np.ones(3, dtype=np.bool_)
    assert not BudgetQuestion(table.incidence, people, 2, 3, Stop()).relax(NONE, everything).closed
    assert BudgetQuestion(table.incidence, people, 2, 4, Stop()).relax(NONE, everything).closed


def test_a_node_ends_where_nothing_is_left_to_choose():
    question = BudgetQuestion(table_of([[0], [1]], 2).incidence, np.array([1, 1]), 1, 2, Stop())
    assert question.ended(NONE, np.array([True, False])) is None
    assert question.ended(NONE, np.array([False, False])) == {}
    assert question.ended(np.array([0]), np.array([False, True])) == {}


def test_without_time_a_node_is_not_decided():
    question = BudgetQuestion(table_of([[0], [1]], 2).incidence, np.array([1, 1]), 1, 2, Stop(0))
    with pytest.raises(UndecidedError):
        question.relax(NONE, np.ones(2, dtype=np.bool_))
