import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import OnlyIncrease


def test_bins_move_upwards_and_special_codes_and_gaps_stay():
    assert small.matrix(OnlyIncrease("savings"), small.SAVINGS) == [
        [1, 1, 1, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]


def test_what_has_no_order_is_refused():
    with pytest.raises(InputError, match=r"OnlyIncrease\('job'\) needs an order"):
        OnlyIncrease("job").allowed(small.JOB)
