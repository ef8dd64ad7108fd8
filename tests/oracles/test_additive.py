"""Additive oracles answer in closed form, exactly."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.protocol import Question


@st.composite
def questions(draw):
    """An oracle with small whole tables and a question with random domains."""
    levels = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    tables = [[draw(st.integers(-3, 3)) for _ in range(n)] for n in levels]
    oracle = AdditiveOracle(tables, draw(st.integers(-2, 2)), draw(st.integers(-4, 6)))
    width = max(levels)
    anchor = np.array([draw(st.integers(0, n - 1)) for n in levels])
    free = np.array([draw(st.booleans()) for _ in levels])
    domain = np.zeros((len(levels), width), dtype=bool)
    for feature, n in enumerate(levels):
        domain[feature, :n] = [draw(st.booleans()) for _ in range(n)]
        domain[feature, anchor[feature]] |= not free[feature]
    return oracle, Question(anchor, free, draw(st.integers(0, len(levels))), domain)


def points_of(oracle, question):
    """Every point that the question admits."""
    for point in product(*(range(n) for n in oracle.levels)):
        moved = 0
        for feature, level in enumerate(point):
            inside = question.domain[feature, level]
            if question.free[feature]:
                if not inside:
                    break
            elif level != question.anchor[feature]:
                moved += 1
                if not inside:
                    break
        else:
            if moved <= question.extra:
                yield np.array(point)


def test_decimal_ties_are_ties():
    oracle = AdditiveOracle([[0, 0.1], [0, 0.2]], threshold=0.3)
    assert oracle.positive(np.array([[1, 1]])).tolist() == [True]


def test_a_margin_excludes_ties():
    oracle = AdditiveOracle([[0, 0.1], [0, 0.2]], threshold=0.3, margin=1e-9)
    assert oracle.positive(np.array([[1, 1]])).tolist() == [False]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([],), "at least one feature"),
        (([[0, 1], []],), "feature 1"),
        (([[0, np.nan]],), "feature 0 is nan at level 1"),
        (([[0, 1]], np.inf), "intercept"),
        (([[0, 1]], 0.0, np.nan), "threshold"),
        (([[0, 1e30]],), "too large"),
    ],
)
def test_tables_that_make_no_score_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        AdditiveOracle(*arguments)


def test_huge_scores_use_a_coarser_grid():
    oracle = AdditiveOracle([[0, 1e9]], threshold=1e9)
    assert oracle.positive(np.array([[1], [0]])).tolist() == [True, False]
