"""Tests of rules that compare numbers: what is read, what is refused, and what holds exactly."""

import math
from fractions import Fraction

import numpy as np
import pytest

from oneformany import AtLeast, Feature, Implies, NeverTarget, Observed, Schema
from oneformany.exceptions import InputError
from oneformany.schema.rules.combine import compared_names, rules_from_toml
from oneformany.schema.rules.conditions import Interval, span_of
from oneformany.schema.rules.rows import cell_rule

AGE = Feature("age", ("<= 25", "26-40", "> 40"), ordered=True, edges=(25.0, 40.0))
WORK = Feature("work", ("0", "5", "10", "none"), ordered=True, numbers=(0, 5, 10), special=(("none", (-9,)),))
JOB = Feature("job", ("no", "> 10"))
SCHEMA = Schema((AGE, WORK, JOB))
NOBODY = np.zeros((1, 3), dtype=np.int64)


@pytest.mark.parametrize(
    ("given", "span"),
    [
        ("> 10", Interval(low=10, open_low=True)),
        (" >=-1.5e1 ", Interval(low=-15)),
        ("<.5", Interval(high=0.5, open_high=True)),
        ("<= 5", Interval(high=5)),
        ((30, 80), Interval(30, 80)),
        ((None, 80), Interval(high=80)),
        ((np.float64(3), np.int64(3)), Interval(3, 3)),
        ({"low": 30, "high": 80}, Interval(30, 80)),
        ({"high": 80}, Interval(high=80)),
        *((values, None) for values in (5, "yes", [30, 80], {30, 80}, ("a", "b"), (1, 2, 3), (True, False))),
    ],
)
def test_ranges_and_comparisons_are_told_from_values(given, span):
    assert span_of(given) == span


@pytest.mark.parametrize(
    "given",
    [
        (80, 30),
        (None, math.nan),
        (5, "x"),
        (math.nan, 5),
        {"low": 5, "hi": 6},
        {},
        {"low": "5"},
        (-math.inf, math.inf),
    ],
)
def test_what_looks_like_a_range_and_is_none_is_refused_with_the_forms_that_can_be_read(given):
    for rule in (Implies({"age": given}, {"work": 5}), NeverTarget("age", given)):
        with pytest.raises(InputError, match=r"is not a range; give a value or a list.*\(30, 80\)"):
            rule.restriction(SCHEMA, NOBODY) if isinstance(rule, Implies) else rule.allowed(AGE)
        assert "age" in str(rule)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"work": "=> 5"}, "'=> 5' is not one of the levels.*a comparison such as"),
        ({"work": "5 to 10"}, "is not one of the levels.*a comparison such as"),
        ({"job": (1, 2)}, "compares numbers, and 'job' has none"),
        ({"job": ">= 3"}, "compares numbers, and 'job' has none"),
        ({"age": "> 30"}, "of the numbers in the cell '26-40' of 'age' only some are more than 30"),
        ({"work": "> 10"}, "none of the levels of 'work' are more than 10"),
    ],
)
def test_conditions_that_cannot_hold_of_a_feature_are_refused(part, words):
    with pytest.raises(InputError, match=words):
        Implies(part, {"work": 5}).restriction(SCHEMA, NOBODY)


def test_levels_serve_where_they_lie_wholly_inside_or_outside():
    rule = Implies({"age": "> 25"}, {"work": ">= 5"}).restriction(SCHEMA, NOBODY)
    assert rule.to_dict() == {"kind": "implies", "if": [[0, [1, 2]]], "then": [[1, [1, 2]]]}
    assert Implies({"age": "<= 40"}, {"work": 0}).restriction(SCHEMA, NOBODY).if_ == {0: [0, 1]}


def test_a_label_comes_before_a_comparison_that_is_written_alike():
    assert Implies({"job": "> 10"}, {"work": 5}).restriction(SCHEMA, NOBODY).if_ == {2: [1]}
    assert Implies({"age": "> 40"}, {"work": 5}).restriction(SCHEMA, NOBODY).if_ == {0: [2]}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AtLeast("age"), "needs two different features, not 'age'"),
        (lambda: AtLeast("age", "age"), "needs two different features"),
        (lambda: AtLeast("a", "b", "c"), "needs two different features"),
        (lambda: AtLeast("age", "work", plus="14"), "plus is '14'; it must be a number"),
        (lambda: AtLeast("age", "work", plus=math.inf), "it must be a number"),
        (
            lambda: AtLeast("age", "work").restriction(SCHEMA, NOBODY),
            "'age' has cells of several numbers each",
        ),
        (lambda: AtLeast("work", "job").restriction(SCHEMA, NOBODY), "'job' has no numbers"),
    ],
)
def test_two_columns_of_numbers_are_compared(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_numbers_are_added_as_their_digits_say():
    numbers = {0: np.array([0.3, 0.1 + 0.2, 1e15 + 0.5]), 1: np.array([0.2, 0.3, 1e15])}
    two = Schema(tuple(Feature(name, ("a", "b", "c"), numbers=(1, 2, 3)) for name in "xy"))
    rule = AtLeast("x", "y", plus=0.1).restriction(two, NOBODY, numbers)
    pairs = np.array([[a, b] for a in range(3) for b in range(3)])
    told = {feature: of[pairs[:, feature]] for feature, of in numbers.items()}
    exact = [
        Fraction(repr(a)) >= Fraction(repr(b)) + Fraction("0.1")
        for a, b in zip(*map(np.ndarray.tolist, told.values()), strict=True)
    ]
    assert rule.holds((pairs + 1) % 3, pairs, told).tolist() == exact
    assert exact[0]  # 0.3 is 0.2 and 0.1, though their binary fractions add up to more
    again = cell_rule(rule.to_dict())
    assert again.holds((pairs + 1) % 3, pairs, told).tolist() == exact


def test_a_row_may_stay_as_it_is_and_what_is_no_number_reaches_nothing():
    rule = AtLeast("a", "b").restriction(
        Schema(
            tuple(
                Feature(name, ("1", "2", "none"), numbers=(1, 2), special=(("none", (9,)),)) for name in "ab"
            )
        ),
        NOBODY,
    )
    after = np.array([[0, 1], [0, 1], [2, 0], [1, 2], [1, 1]])
    before = np.array([[0, 1], [0, 0], [1, 0], [1, 1], [0, 1]])
    told = {feature: of[after[:, feature]] for feature, of in rule.numbers.items()}
    assert rule.holds(before, after, told).tolist() == [True, False, False, False, True]
    assert rule.to_dict()["numbers"] == [[0, [1.0, 2.0, None]], [1, [1.0, 2.0, None]]]


def test_a_file_of_rules_has_ranges_comparisons_and_two_columns(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(
        """
        implies = [{ if = { work = "> 10" }, then = { age = { low = 30, high = 80 } } }]
        at_least = [{ features = ["age", "work"], plus = 14 }, { features = ["a", "b"] }]
        never_target = { age = "> 60" }
        observed = [{}]
        """
    )
    rules = rules_from_toml(file)
    assert rules[1:3] == [AtLeast("age", "work", plus=14), AtLeast("a", "b")]
    assert rules[4] == Observed()
    assert compared_names(rules) == {"age", "work", "a", "b"}
    assert [str(rule) for rule in (rules[0], rules[3])] == [
        "after a change, if work is more than 10, then age is from 30 to 80",
        "nobody is sent to age more than 60",
    ]
    file.write_text('at_least = [{ features = ["age"] }]')
    with pytest.raises(InputError, match=r"the part 'at_least' cannot be read: .*two different features"):
        rules_from_toml(file)
