import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import NeverTarget


def test_nobody_is_sent_there_and_who_is_there_may_stay():
    assert small.matrix(NeverTarget("job", "none"), small.JOB) == [[1, 1, 1], [0, 1, 1], [0, 1, 1]]
    assert small.matrix(NeverTarget("job", ["none", "part"]), small.JOB) == [[1, 0, 1], [0, 1, 1], [0, 0, 1]]
    assert NeverTarget("savings", 700).allowed(small.SAVINGS)[:, 2].tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]


def test_unknown_levels_and_none_at_all_are_refused():
    with pytest.raises(InputError, match="'boss' is none of the levels"):
        NeverTarget("job", "boss").allowed(small.JOB)
    with pytest.raises(InputError, match="names no level"):
        NeverTarget("job", []).allowed(small.JOB)
