import pytest

import rule_schema as small
from oneformany.exceptions import InputError
from oneformany.schema import Implies

RULE = Implies({"job": ["none", "part"]}, {"home": "rent", "savings": [50, 300]})


def holds(before, after):
    restriction = RULE.restriction(small.SCHEMA, small.cells(before))
    return restriction.holds(small.cells(before), small.cells(after)).tolist()


def test_a_changed_row_with_these_values_has_those():
    assert holds([2, 2, 1], [2, 0, 1]) == [False]
    assert holds([2, 2, 1], [1, 0, 0]) == [True]
    assert holds([2, 2, 1], [0, 2, 1]) == [True]
    assert holds([1, 0, 0], [1, 0, 1]) == [False]


def test_what_a_row_was_is_no_advice():
    assert holds([2, 0, 1], [2, 0, 1]) == [True]
    assert holds([2, 0, 1], [1, 0, 1]) == [False]


def test_unknown_names_and_values_are_refused():
    for rule, words in (
        (Implies({"jobs": "none"}, {"home": "rent"}), "no feature 'jobs'"),
        (Implies({"job": "boss"}, {"home": "rent"}), "'boss' is none of the levels"),
        (Implies({}, {"home": "rent"}), "if_ must be a dict"),
        (Implies({"job": "none"}, "home"), "then must be a dict"),
    ):
        with pytest.raises(InputError, match=words):
            rule.restriction(small.SCHEMA, small.cells([0, 0, 0]))
