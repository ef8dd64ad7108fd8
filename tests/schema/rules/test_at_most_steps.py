import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import AtMostSteps


def test_only_near_bins_are_reached():
    assert small.matrix(AtMostSteps("savings", 1), small.SAVINGS) == [
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]


@pytest.mark.parametrize("steps", [0, -1, 1.5, True, "one"])
def test_steps_that_are_no_count_are_refused(steps):
    with pytest.raises(InputError, match="an integer of at least 1"):
        AtMostSteps("savings", steps).allowed(small.SAVINGS)


def test_what_has_no_order_is_refused():
    with pytest.raises(InputError, match="needs an order"):
        AtMostSteps("job").allowed(small.JOB)
