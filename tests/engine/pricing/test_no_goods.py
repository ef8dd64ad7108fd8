"""Tests that a kept proof answers a question only if it covers all of its points."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.pricing import no_goods as module
from oneformany.engine.pricing.no_goods import NoGoods
from oneformany.oracles.protocol import Question
from tree_questions import all_points, questions, usable

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
