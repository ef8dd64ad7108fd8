import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany.oracles.box import anchored, list_points
from oneformany.oracles.protocol import Question
from tree_questions import all_points, questions, usable

LEVELS = (2, 3, 1, 4, 2)


@given(st.data())
def test_the_points_of_a_question_are_listed_once_each_and_counted(data):
    question = data.draw(questions(LEVELS))
    whole = anchored(question)
    listed = np.zeros((0, len(LEVELS))) if whole is None else list_points(whole)
    points = all_points(LEVELS)
    expected = {tuple(point) for point in points[usable(question, points)].tolist()}
    assert {tuple(point) for point in listed.tolist()} == expected
    assert len(listed) == len(expected) == (0 if whole is None else whole.size)


def test_points_with_fewer_moves_come_first():
    question = Question(np.zeros(5, np.int64), np.zeros(5, np.bool_), 3, np.ones((5, 4), np.bool_))
    moves = (list_points(anchored(question)) != 0).sum(axis=1).tolist()
    assert moves == sorted(moves)
    assert moves[0] == 0


def test_counting_does_not_list():
    p = 200
    question = Question(np.zeros(p, np.int64), np.zeros(p, np.bool_), p, np.ones((p, 9), np.bool_))
    assert anchored(question).size == pytest.approx(9.0**p)
