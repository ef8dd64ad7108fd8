import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import Forbid


def test_one_move_is_forbidden_also_by_numbers_in_the_cells():
    assert small.matrix(Forbid("job", "full", "none"), small.JOB) == [[1, 1, 1], [1, 1, 1], [0, 1, 1]]
    assert not Forbid("savings", 700, 20).allowed(small.SAVINGS)[2, 0]
    assert Forbid("savings", 700, 20).allowed(small.SAVINGS).sum() == 24


def test_what_is_not_a_move_is_refused():
    with pytest.raises(InputError, match="is not a move"):
        Forbid("savings", 120, 480).allowed(small.SAVINGS)
