import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import NotTogether


def test_only_one_of_the_features_moves():
    restriction = NotTogether("savings", "job", "home").restriction(small.SCHEMA, small.cells([0, 0, 0]))
    before = small.cells([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0])
    after = small.cells([0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1])
    assert restriction.holds(before, after).tolist() == [True, True, False, False]


def test_fewer_than_two_features_are_refused():
    with pytest.raises(InputError, match=r"NotTogether\('job',\) needs at least two"):
        NotTogether("job").restriction(small.SCHEMA, small.cells([0, 0, 0]))
