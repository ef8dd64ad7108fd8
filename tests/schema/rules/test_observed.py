import numpy as np
import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import Observed

REFERENCE = small.cells([0, 0, 0], [0, 0, 0], [1, 1, 0], [2, 2, 1])


def holds(rule, before, after):
    return rule.restriction(small.SCHEMA, REFERENCE).holds(small.cells(before), small.cells(after)).item()


def test_only_combinations_of_changed_features_that_occur_are_reached():
    assert holds(Observed(), [2, 2, 1], [1, 1, 1])
    assert not holds(Observed(), [2, 2, 1], [1, 0, 1])
    assert holds(Observed(), [2, 2, 1], [2, 0, 1])
    assert not holds(Observed(), [0, 0, 0], [1, 1, 1])


def test_only_named_features_count():
    assert holds(Observed("savings", "job"), [0, 0, 0], [1, 1, 1])
    assert not holds(Observed("savings", "job"), [2, 2, 1], [1, 0, 0])


def test_they_occur_at_least_so_often():
    assert holds(Observed(at_least=2), [1, 1, 0], [0, 0, 0])
    assert not holds(Observed(at_least=2), [0, 0, 0], [1, 1, 0])


def test_every_row_is_judged_as_if_alone():
    rng = np.random.default_rng(0)
    before, after = (rng.integers(0, [5, 3, 2], size=(50, 3)) for _ in range(2))
    reference = rng.integers(0, [5, 3, 2], size=(8, 3))
    for at_least in (1, 2):
        together = Observed(at_least=at_least).restriction(small.SCHEMA, reference).holds(before, after)
        for row in range(50):
            moved = before[row] != after[row]
            count = (reference[:, moved] == after[row, moved]).all(axis=1).sum()
            assert together[row] == (not moved.any() or count >= at_least)


@pytest.mark.parametrize("at_least", [0, 1.5, True, 5])
def test_counts_that_make_no_sense_are_refused(at_least):
    with pytest.raises(InputError, match="at_least is"):
        Observed(at_least=at_least).restriction(small.SCHEMA, REFERENCE)
