import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import OnlyDecrease


def test_bins_move_downwards_and_special_codes_and_gaps_stay():
    assert small.matrix(OnlyDecrease("savings"), small.SAVINGS) == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]


def test_what_has_no_order_is_refused():
    with pytest.raises(InputError, match=r"OnlyDecrease\('job'\) needs an order"):
        OnlyDecrease("job").allowed(small.JOB)
