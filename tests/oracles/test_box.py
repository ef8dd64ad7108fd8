import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oneformany.oracles.box import choices, count_points, list_points
from oneformany.oracles.protocol import Question
from tree_questions import all_points, questions, usable

LEVELS = (2, 3, 1, 4, 2)


@given(st.data())
def test_the_points_of_a_question_are_listed_once_each_and_counted(data):
    question = data.draw(questions(LEVELS))
    listed = list_points(question)
    points = all_points(LEVELS)
    expected = {tuple(point) for point in points[usable(question, points)].tolist()}
    assert {tuple(point) for point in listed.tolist()} == expected
    assert len(listed) == len(expected) == count_points(question)


def test_points_with_fewer_moves_come_first():
    question = Question(np.zeros(5, np.int64), np.zeros(5, np.bool_), 3, np.ones((5, 4), np.bool_))
    moves = (list_points(question) != 0).sum(axis=1).tolist()
    assert moves == sorted(moves)
    assert moves[0] == 0


def test_counting_does_not_list():
    p = 200
    question = Question(np.zeros(p, np.int64), np.zeros(p, np.bool_), p, np.ones((p, 9), np.bool_))
    assert count_points(question) == 9**p


def test_a_feature_that_costs_has_its_own_level_not_among_its_choices():
    domain = np.array([[True, True, False], [True, True, True]])
    question = Question(np.array([1, 1]), np.array([True, False]), 1, domain)
    assert [levels.tolist() for levels in choices(question)] == [[0, 1], [0, 2]]
