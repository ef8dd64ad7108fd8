import rule_schema as small
from oneformany.schema import Immutable


def test_nothing_moves():
    assert small.matrix(Immutable("job"), small.JOB) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
