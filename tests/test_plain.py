"""Tests that frozen data classes become plain data and come back, and that other data are refused."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from oneformany.arrays import IntArray
from oneformany.plain import Plain, integers


@dataclass(frozen=True)
class Part(Plain):
    _sparse: ClassVar[bool] = True
    numbers: tuple[int, ...]
    note: str | None = None


@dataclass(frozen=True, eq=False)
class Whole(Plain):
    kind: ClassVar[str] = "whole"
    if_: tuple[tuple[int, tuple[int, ...]], ...]
    table: IntArray
    parts: tuple[Part, ...]

    @property
    def bound(self):
        return len(self.parts)


WHOLE = Whole(((1, (2, 3)),), np.arange(4).reshape(2, 2), (Part((4,)), Part((5,), "five")))


def test_what_is_written_are_the_fields_with_kind_and_bound():
    assert WHOLE.to_dict() == {
        "kind": "whole",
        "if": [[1, [2, 3]]],
        "table": [[0, 1], [2, 3]],
        "parts": [{"numbers": [4]}, {"numbers": [5], "note": "five"}],
        "bound": 2,
    }


def test_what_was_written_comes_back_with_its_types():
    again = Whole.from_dict(json.loads(json.dumps(WHOLE.to_dict())))
    assert (again.if_, again.parts) == (WHOLE.if_, WHOLE.parts)
    assert (again.table == WHOLE.table).all()


@pytest.mark.parametrize(
    "changes",
    [{"if": [[1]]}, {"if": [["one", [2]]]}, {"if": 3}, {"parts": [{"numbers": [0.5]}]}, {"parts": [{}]}],
)
def test_data_of_other_types_are_refused(changes):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Whole.from_dict(WHOLE.to_dict() | changes)


def test_integers_of_any_type_become_plain_ones():
    assert integers(np.array([3, 4])) == (3, 4)
    assert all(type(number) is int for number in integers(np.array([3, 4])))
