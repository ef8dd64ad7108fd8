"""The classifier is asked as rarely as possible, and never the same thing twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import Veiled, random_additive
from oneformany.engine.pricing import cached_oracle as module
from oneformany.engine.pricing.cached_oracle import CachedOracle, NoGoods
from oneformany.engine.pricing.space import SearchSpace
from oneformany.oracles.protocol import Question
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from tree_questions import all_points, questions, usable


def cached(max_changes=4):
    additive = random_additive(np.random.default_rng(0), max_changes=max_changes)
    problem = Problem(additive.codes, additive.levels, Veiled(additive.oracle), max_changes)
    return CachedOracle(SearchSpace(problem, np.arange(len(problem.rows))), Statistics())


def test_the_same_question_is_asked_once():
    oracle = cached()
    nothing = np.full(8, -1)
    first, again = oracle.ask(0, nothing), oracle.ask(0, nothing)
    assert first is again
    assert oracle.statistics.counters == {"questions answered by a point": 1}


def test_a_known_point_answers_another_question():
    oracle = cached()
    nothing = np.full(8, -1)
    one_free = np.array([0, *[-1] * 7])
    oracle.ask(0, nothing)
    point = oracle.ask(0, one_free).point
    assert point is not None
    assert sum(oracle.statistics.counters.values()) == 2


def test_a_column_holds_its_row_and_a_positive_point():
    oracle = cached()
    for row in range(5):
        column = oracle.column(row, np.full(8, -1))
        assert row in column.rows
        assert oracle.space.problem.oracle.positive(column.point[None])[0]


LEVELS = (2, 3, 2, 3)


def no_goods(*known):
    kept = NoGoods(len(LEVELS), max(LEVELS))
    for question in known:
        kept.learn(question)
    return kept


@settings(max_examples=500, deadline=None)
@given(questions(LEVELS), questions(LEVELS))
def test_no_point_of_an_answered_question_is_outside_the_known_one(known, question):
    points = all_points(LEVELS)
    if no_goods(known).answer(question):
        assert not (usable(question, points) & ~usable(known, points)).any()


@settings(max_examples=200, deadline=None)
@given(questions(LEVELS), st.integers(0, 3))
def test_a_question_within_another_is_answered(known, feature):
    assert no_goods(known).answer(known)
    narrower = known.domain.copy()
    if narrower[feature].sum() > 1:
        narrower[feature, narrower[feature].argmax()] = False
        assert no_goods(known).answer(Question(known.anchor, known.free, known.extra, narrower))


def test_one_change_more_is_not_answered():
    everywhere = np.arange(max(LEVELS)) < np.array(LEVELS)[:, None]
    anchor, free = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.bool_)
    kept = no_goods(Question(anchor, free, 2, everywhere))
    assert kept.answer(Question(anchor, free, 1, everywhere))
    assert not kept.answer(Question(anchor, free, 3, everywhere))
    assert not no_goods().answer(Question(anchor, free, 0, everywhere))


def test_memory_is_bounded_and_the_latest_is_kept(monkeypatch):
    monkeypatch.setattr(module, "ENTRIES", 100)
    everywhere = np.arange(max(LEVELS)) < np.array(LEVELS)[:, None]
    anchor, free = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.bool_)
    kept = no_goods(*(Question(anchor, free, 0, everywhere) for _ in range(50)))
    kept.learn(Question(anchor, free, 3, everywhere))
    assert len(kept._extra) == 1 + 100 // 12
    assert kept.answer(Question(anchor, free, 2, everywhere))
