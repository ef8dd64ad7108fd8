"""Several classifiers at once: the engine finds what brute force finds, and forged members are seen."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from certificates import sealed
from conjunctions import PAIRS, answered, disagreement, kinds_in
from judgement_goals import is_true_of_goals
from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.oracles.conjunction import Conjunction, conjunction
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE, JudgesMoves, Question
from oneformany.verify import Outcome
from verify.test_fuzz import alter_number, outcome_of

TWO = AdditiveOracle([[0, 1], [0, 1]], threshold=2)
ONE = AdditiveOracle([[0, 1], [0, 1]], threshold=1)


@pytest.mark.parametrize("chunk", range(4))
def test_conjunctions_have_the_answers_of_brute_force_for_every_share_goal_and_pair_of_kinds(chunk):
    size = 3 * len(PAIRS)
    for number in range(chunk * size, (chunk + 1) * size):
        assert not disagreement(11, number), f"problem {number}"


def test_points_are_positive_when_enough_members_accept_them():
    points = [[0, 0], [0, 1], [1, 1]]
    assert conjunction([ONE, TWO]).positive(points).tolist() == [False, False, True]
    assert conjunction([ONE, TWO], 1).positive(points).tolist() == [False, True, True]
    assert conjunction([ONE, TWO]).score(points).tolist() == [-2, -1, 0]
    assert conjunction([ONE, TWO], 1).score(points).tolist() == [-1, 0, 1]


def test_near_is_not_the_least_of_what_members_say():
    near = AdditiveOracle([[0, 1], [0, 1]], threshold=2, margin=0.5).decided_by(lambda p: np.ones(len(p)) > 0)
    goals = np.array([[[0, 1], [0, 1]]], dtype=np.int32)
    start, both, move = np.zeros((1, 2), dtype=np.int64), np.array([0, 1]), np.array([[1, 1]])

    def judged(*members):
        return conjunction(members).judge_moves(start, both, goals, move)[0, 0]

    assert (judged(ONE, near), judged(ONE, TWO)) == (NEAR, POSITIVE)
    assert judged(near, AdditiveOracle([[0, 0], [0, 0]], threshold=1)) == NEGATIVE


def test_forbidden_moves_are_negative_also_where_a_member_can_only_be_asked():
    box = BlackBoxOracle(lambda codes: np.full(len(codes), 0.9), (2, 2))
    joint = conjunction([TWO, box], 1)
    assert isinstance(joint, JudgesMoves)
    goals = np.array([[[0, -1]]], dtype=np.int32)
    judged = joint.judge_moves(np.zeros((1, 2), dtype=np.int64), np.array([0]), goals, np.array([[1], [0]]))
    assert judged.tolist() == [[NEGATIVE, NEAR]]


def test_a_limit_on_calls_is_that_of_the_member_with_the_fewest_left():
    boxes = [
        BlackBoxOracle(lambda codes: np.full(len(codes), 0.1), (2,) * 12, max_calls=n) for n in (100, 40)
    ]
    joint = conjunction([AdditiveOracle([[0, 1]] * 12, threshold=1), *boxes])
    assert joint.max_calls == 40
    question = Question(np.zeros(12, np.int64), np.ones(12, np.bool_), 0, np.ones((12, 2), np.bool_))
    answer = joint.reach(question)
    assert (answer.point, answer.proved_none) == (None, False)
    assert max(box.asked for box in boxes) <= 40


@pytest.mark.parametrize(
    ("members", "at_least", "words"),
    [
        ([], None, "at least one"),
        ([ONE], 2, "from 1 to 1"),
        ([ONE], 0, "from 1 to 1"),
        ([ONE, AdditiveOracle([[0, 1]])], None, "reads levels"),
    ],
)
def test_what_cannot_be_joined_is_refused(members, at_least, words):
    with pytest.raises(InputError, match=words):
        Conjunction(members, at_least)


def alter_member(result, rng):
    """Change one member: a number in it, or which are needed; or leave it out."""
    oracle = result["problem"]["oracle"]
    members = oracle["members"]
    choice = int(rng.integers(4))
    if choice == 0 and len(members) > 1:
        members.pop(int(rng.integers(len(members))))
        oracle.pop("at_least", None)
    elif choice == 1:
        oracle["at_least"] = int(rng.integers(1, len(members) + 1))
    else:
        member = {"part": members[int(rng.integers(len(members)))]}
        alter_number(member, rng)


def test_forged_files_with_one_member_altered_are_not_confirmed_unless_they_are_true():
    said = Counter[str]()
    for number in range(8 * len(PAIRS)):
        original, rng = answered(3, number), np.random.default_rng(number)
        if "black box" in kinds_in(original["problem"]["oracle"]):
            continue
        for _ in range(4):
            forged = json.loads(json.dumps(original))
            alter_member(forged, rng)
            outcome = outcome_of(sealed(forged))
            said[outcome] += 1
            assert outcome is not Outcome.CONFIRMED or is_true_of_goals(forged), f"file {number}"
    assert said[Outcome.CONFIRMED] > 10
    assert said[Outcome.WRONG] > 50
