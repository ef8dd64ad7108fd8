import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import Feature, Range


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
    with pytest.raises(InputError, match="is not a range"):
        Range("savings", 5, 1).allowed(small.SAVINGS)
    with pytest.raises(InputError, match="is not a range"):
        Range("savings", "low").allowed(small.SAVINGS)
