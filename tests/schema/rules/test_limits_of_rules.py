"""Tests of what rules say at their limits: equal ends, one level, the first of several features."""

import warnings

import numpy as np
import pytest

from oneformany import Feature, Forbid, Immutable, Linked, NeverTarget, Observed, OnlyIncrease, Range, Schema
from oneformany.schema.rules.combine import allowed_moves, named_by_value, restrictions_of
from oneformany.schema.rules.moves import AtMostSteps

ROOMS = Feature("rooms", ("1", "2", "3"), ordered=True, numbers=(1, 2, 3))
ABC = Schema(tuple(Feature(name, ("no", "yes")) for name in "abc"))


def test_the_ends_of_a_range_belong_to_it_also_where_they_are_one_number():
    assert Range("rooms", 2, 2).allowed(ROOMS)[0].tolist() == [True, True, False]
    assert Range("rooms", low=2).allowed(ROOMS)[0].tolist() == [True, True, True]
    assert AtMostSteps("rooms") == AtMostSteps("rooms", 1)


def test_combinations_may_be_asked_for_in_every_reference_row():
    reference = np.zeros((2, 3), dtype=np.int64)
    assert Observed("a", at_least=2).restriction(ABC, reference).at_least == 2
    assert Observed("a").restriction(ABC, reference).at_least == 1


def test_values_stay_apart_only_for_rules_that_name_them():
    by_value = [NeverTarget("a", "yes"), Forbid("b", "no", "yes")]
    assert named_by_value([*by_value, Immutable("c"), Linked("c", "d")]) == {"a", "b"}


@pytest.mark.parametrize(
    ("rule", "fixed", "told"),
    [
        (Linked("a", "b", "c", one_way=True), "c", "a cannot change either, as c cannot"),
        (Linked("a", "b", "c", one_way=True), "a", None),
        (Linked("a", "b", "c"), "c", "a, b cannot change either, as c cannot"),
    ],
)
def test_what_a_fixed_feature_holds_back_is_named(rule, fixed, told):
    allowed = allowed_moves(ABC, [Immutable(fixed)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        restrictions_of(ABC, [rule], np.zeros((1, 3), dtype=np.int64), allowed)
    assert [told in str(warning.message) for warning in caught] == ([True] if told else [])


def test_a_rule_on_a_feature_of_one_level_is_not_warned_of():
    one = Schema((Feature("a", ("any number",), ordered=True, edges=()),))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        allowed_moves(one, [OnlyIncrease("a")])
