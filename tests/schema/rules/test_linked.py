import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import Linked


def holds(rule, before, after):
    return (
        rule.restriction(small.SCHEMA, small.cells(before))
        .holds(small.cells(before), small.cells(after))
        .item()
    )


def test_features_move_together_or_not_at_all():
    rule = Linked("savings", "job")
    assert holds(rule, [0, 0, 0], [1, 1, 0])
    assert holds(rule, [0, 0, 0], [0, 0, 1])
    assert not holds(rule, [0, 0, 0], [1, 0, 0])
    assert not holds(rule, [0, 0, 0], [0, 1, 0])


def test_one_way_the_first_never_moves_without_the_others():
    rule = Linked("savings", "job", one_way=True)
    assert holds(rule, [0, 0, 0], [1, 1, 0])
    assert holds(rule, [0, 0, 0], [0, 1, 0])
    assert not holds(rule, [0, 0, 0], [1, 0, 0])


@pytest.mark.parametrize("names", [("job",), (), ("job", "job")])
def test_fewer_than_two_features_are_refused(names):
    with pytest.raises(InputError, match="at least two different features"):
        Linked(*names).restriction(small.SCHEMA, small.cells([0, 0, 0]))
