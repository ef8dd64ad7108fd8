import pytest

import rule_schema as small
from oneformany import (
    AtMostSteps,
    Feature,
    Forbid,
    Immutable,
    NeverTarget,
    OnlyDecrease,
    OnlyIncrease,
    Range,
)
from oneformany.exceptions import InputError


def test_an_immutable_feature_does_not_move():
    assert small.matrix(Immutable("job"), small.JOB) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("rule", "bins"),
    [
        (OnlyIncrease("savings"), [[1, 1, 1], [0, 1, 1], [0, 0, 1]]),
        (OnlyDecrease("savings"), [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
        (AtMostSteps("savings", 1), [[1, 1, 0], [1, 1, 1], [0, 1, 1]]),
    ],
)
def test_bins_move_as_their_order_says_and_special_codes_and_gaps_stay(rule, bins):
    assert small.matrix(rule, small.SAVINGS) == [[*row, 0, 0] for row in bins] + [
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]


@pytest.mark.parametrize("rule", [OnlyIncrease, OnlyDecrease, AtMostSteps])
def test_what_has_no_order_is_refused(rule):
    with pytest.raises(InputError, match=f'the rule "{rule("job")}" needs an order'):
        rule("job").allowed(small.JOB)


@pytest.mark.parametrize("steps", [0, -1, 1.5, True, "one"])
def test_steps_that_are_no_count_are_refused(steps):
    with pytest.raises(InputError, match="an integer of at least 1"):
        AtMostSteps("savings", steps).allowed(small.SAVINGS)


def test_one_move_is_forbidden_also_by_numbers_in_the_cells():
    assert small.matrix(Forbid("job", "full", "none"), small.JOB) == [[1, 1, 1], [1, 1, 1], [0, 1, 1]]
    assert not Forbid("savings", 700, 20).allowed(small.SAVINGS)[2, 0]
    assert Forbid("savings", 700, 20).allowed(small.SAVINGS).sum() == 24


def test_what_is_not_a_move_is_refused():
    with pytest.raises(InputError, match="is not a move"):
        Forbid("savings", 120, 480).allowed(small.SAVINGS)


def test_nobody_is_sent_there_and_who_is_there_may_stay():
    assert small.matrix(NeverTarget("job", "none"), small.JOB) == [[1, 1, 1], [0, 1, 1], [0, 1, 1]]
    assert small.matrix(NeverTarget("job", ["none", "part"]), small.JOB) == [[1, 0, 1], [0, 1, 1], [0, 0, 1]]
    into = NeverTarget("savings", 700).allowed(small.SAVINGS)[:, 2]
    assert into.tolist() == [False, False, True, False, False]


def test_unknown_levels_and_none_at_all_are_refused():
    with pytest.raises(InputError, match="'boss' is not one of the levels"):
        NeverTarget("job", "boss").allowed(small.JOB)
    with pytest.raises(InputError, match="names no level"):
        NeverTarget("job", []).allowed(small.JOB)
    with pytest.raises(InputError, match=r"'a': 1. is not a range"):
        NeverTarget("job", {"a": 1}).allowed(small.JOB)


def test_only_targets_within_the_limits_are_reached_and_everybody_may_stay():
    allowed = Range("savings", 100, 500).allowed(small.SAVINGS)
    assert allowed[:, 1].all()
    assert allowed.sum() == 5 + 4


def test_limits_belong_to_the_range_and_one_may_be_left_out():
    rooms = Feature("rooms", ("1", "2", "3"), ordered=True, numbers=(1, 2, 3))
    assert Range("rooms", high=2).allowed(rooms)[2].tolist() == [True, True, True]
    assert Range("rooms", high=2).allowed(rooms)[0].tolist() == [True, True, False]


def test_features_without_numbers_and_ranges_that_are_none_are_refused():
    with pytest.raises(InputError, match="needs numbers"):
        Range("job", 0, 1).allowed(small.JOB)
    for limits in ((5, 1), ("low",)):
        with pytest.raises(InputError, match="is not a range"):
            Range("savings", *limits).allowed(small.SAVINGS)
