"""Tests that options that mean nothing are refused."""

from __future__ import annotations

import pytest

from oneformany.engine.options import Options
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_nodes": 0}, "max_nodes is 0"),
        ({"max_columns": 1.5}, "max_columns is 1.5"),
        ({"max_rounds": True}, "max_rounds is True"),
        ({"way": "guess"}, "way is 'guess'"),
        ({"pricer": None}, "pricer is None"),
        ({"most_work": float("nan")}, "most_work is nan"),
        ({"table": {"max_rounds": 1}}, "it must be TableOptions"),
    ],
)
def test_options_that_mean_nothing_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        Options(**wrong)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_rounds": -1}, "max_rounds is -1"),
        ({"max_failures": 2.5}, "max_failures is 2.5"),
        ({"max_columns": True}, "max_columns is True"),
        ({"max_nodes": None}, "max_nodes is None"),
    ],
)
def test_options_of_a_table_that_mean_nothing_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        TableOptions(**wrong)
