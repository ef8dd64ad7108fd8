"""The space refuses what the search would answer wrongly, and its columns are wide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.problems import parts_of, problem_of
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import SearchSpace
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
    ("changes", "words"),
    [
        ({"share": "action"}, "share='action'"),
        ({"share": "features"}, "share='features'"),
        ({"restrictions": (Never(),)}, "restrictions"),
        (
            {"own": OwnValues(CODES, (np.arange(2), np.arange(3)), (np.arange(2), np.arange(3)))},
            "own values",
        ),
    ],
)
def test_what_the_search_would_answer_wrongly_is_refused(changes, words):
    problem = Problem(CODES, (2, 3), ORACLE, 1, **changes)
    with pytest.raises(AssertionError, match=words):
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
