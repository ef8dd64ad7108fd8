"""The space refuses what the search would answer wrongly, and its columns are wide."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.problems import parts_of, problem_of, random_additive
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import Decisions, Items, SearchSpace
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.own import OwnValues
from strategies import small_problems

ORACLE = AdditiveOracle([[0, 1], [0, 1, 2]], threshold=2)
CODES = np.array([[0, 0], [1, 0]])


class Never:
    def holds(self, before, _after):
        return np.zeros(len(before), dtype=np.bool_)


@pytest.mark.parametrize(
    "changes",
    [
        {"share": "action"},
        {"share": "features"},
        {"restrictions": (Never(),)},
        {"own": OwnValues(CODES, (np.arange(2), np.arange(3)), (np.arange(2), np.arange(3)))},
    ],
)
def test_what_the_search_would_answer_wrongly_is_refused(changes):
    problem = Problem(CODES, (2, 3), ORACLE, 1, **changes)
    with pytest.raises(AssertionError, match="list columns instead"):
        SearchSpace(problem, np.arange(2))


@settings(max_examples=150, deadline=None)
@given(small=small_problems())
def test_spending_the_changes_left_never_breaks_the_budget_and_never_loses_rows(small):
    problem = problem_of(small)
    space, items, _ = parts_of(problem)
    assume(len(items))
    for row in range(len(space.rows)):
        point = problem.oracle.reach(problem.question(int(space.helpable[row]))).point
        own = point != space.rows[row]
        wide = own.copy()
        space.absorb(point, wide)
        assert (wide | ~own).all()
        assert wide.sum() <= problem.max_changes
        narrow_rows = Column.covering(space, point, own).rows
        wide_rows = Column.covering(space, point, wide).rows
        assert row in narrow_rows
        assert set(narrow_rows.tolist()) <= set(wide_rows.tolist())


@settings(max_examples=100, deadline=None)
@given(small=small_problems())
def test_questions_allow_exactly_the_moves_that_rules_allow(small):
    problem = problem_of(small)
    space, items, _ = parts_of(problem)
    assume(len(items))
    question = space.question(0, np.full(problem.n_features, -1))
    for feature, n in enumerate(problem.levels):
        matrix = problem.moves[feature]
        level = space.rows[0, feature]
        expected = np.ones(n, dtype=np.bool_) if matrix is None else matrix[level]
        assert question.domain[feature, :n].tolist() == expected.tolist()
        assert not question.domain[feature, n:].any()


def test_many_levels_take_no_square_of_memory():
    n = 60_000
    oracle = AdditiveOracle([np.arange(n), [0, 1]], threshold=n)
    problem = Problem(np.column_stack((np.arange(0, n, 1000), np.zeros(60, dtype=int))), (n, 2), oracle, 2)
    space = SearchSpace(problem, np.arange(len(problem.rows)))
    assert problem.moves == (None, None)
    assert sum(array.nbytes for array in space.arrays if isinstance(array, np.ndarray)) < 10_000_000


SPACE = parts_of(random_additive(np.random.default_rng(0), rows=8))[0]


def test_rows_kept_together_are_one_item():
    items = Items(SPACE, Decisions(together=((1, 4), (4, 6))))
    assert items.item_of[[1, 4, 6]].tolist() == [1, 1, 1]
    assert len(items) == len(SPACE.rows) - 2
    assert items.group(np.array([1, 4])).tolist() == []
    assert items.group(np.array([0, 1, 4, 6])).tolist() == [0, 1]
    assert items.rows_of(np.array([0, 1])).tolist() == [0, 1, 4, 6]
    assert Items(SPACE, Decisions()).rows_of(np.array([0, 3])).tolist() == [0, 3]


def test_rows_kept_apart_are_in_conflict():
    items = Items(SPACE, Decisions(apart=((0, 3), (3, 5))))
    assert sorted(items.conflicts(3)) == [0, 5]
    assert items.conflicts(1) == []


@given(data=st.data())
def test_the_heaviest_selection_without_conflict_is_found(data):
    pairs = data.draw(st.lists(st.sampled_from(list(combinations(range(6), 2))), max_size=6))
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=8, max_size=8)))
    items = Items(SPACE, Decisions(apart=tuple(pairs)))
    best = max(
        weights[list(chosen)].sum()
        for size in range(7)
        for chosen in combinations(range(6), size)
        if not any(i in chosen and j in chosen for i, j in pairs)
    )
    chosen = items.heaviest(np.arange(6), weights)
    assert weights[chosen].sum() == best
    assert not any(i in chosen and j in chosen for i, j in pairs)


def test_rows_of_common_levels_are_searched_last():
    items = Items(SPACE, Decisions())
    common = [sum((SPACE.rows[:, f] == level).sum() for f, level in enumerate(row)) for row in SPACE.rows]
    assert [common[item] for item in items.by_crowding] == sorted(common)
