import json
import math
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from oneformany import Feature
from oneformany.exceptions import InputError
from oneformany.schema.feature import listed, number_label


@pytest.mark.parametrize(
    ("number", "level"),
    [(-1e9, 0), (18, 0), (18.0001, 1), (np.int64(33), 1), (33.5, 2), (np.float32(1e9), 2), ("19-33", 1)],
)
def test_a_bin_includes_its_right_edge_and_is_found_by_its_label_too(number, level):
    feature = Feature("age", ("<= 18", "19-33", "> 33"), ordered=True, edges=(18, 33))
    assert feature.find(number) == level


@pytest.mark.parametrize("stranger", ["unknown", float("inf"), float("nan"), True, None])
def test_a_binned_feature_knows_no_level_for_what_is_no_finite_number(stranger):
    assert Feature("age", ("low", "high"), edges=(18,)).find(stranger) is None


def test_levels_that_are_numbers_are_found_by_number_and_by_label():
    feature = Feature("rooms", ("one", "two"), ordered=True, numbers=(np.int64(1), 2))
    assert [feature.find(value) for value in (1, 1.0, np.int32(2), "two", 3, "1")] == [0, 0, 1, 1, None, None]


@pytest.mark.parametrize(
    "feature",
    [
        Feature("sex", ["female", "male"]),
        Feature("age", ("low", "high"), ordered=True, edges=[18.5], unit="years"),
        Feature("paid", ("False", "True"), numbers=(False, True)),
        Feature("age", ("low", "high", "missing"), edges=[18], missing=True, targets=(12.5, None, math.nan)),
    ],
)
def test_a_feature_survives_json(feature):
    again = Feature.from_dict(json.loads(json.dumps(feature.to_dict())))
    assert again == replace(feature, targets=again.targets)
    assert repr(again.targets) == repr(feature.targets)  # in which one may be missing, and not equal itself


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "", "levels": ("a",)}, "name must be a non-empty text"),
        ({"name": 3, "levels": ("a",)}, "name must be a non-empty text"),
        ({"name": "x", "levels": "ab"}, "levels must be a list"),
        ({"name": "x", "levels": ()}, "at least one label"),
        ({"name": "x", "levels": ("a", 1)}, "the label 1 is not a text"),
        ({"name": "x", "levels": ("a", "b", "a")}, "level 'a' twice"),
        ({"name": "x", "levels": ("a",), "missing": True, "unseen": True}, "must follow the regular ones"),
        ({"name": "x", "levels": ("a",), "special": (("a", (1,), 3),)}, "a special level has a label and"),
        ({"name": "x", "levels": ("a", "b"), "edges": (1, 2)}, "2 edges make 3 bins"),
        ({"name": "x", "levels": ("a", "b", "c"), "edges": (2, 2)}, "edges must increase"),
        ({"name": "x", "levels": ("a", "b"), "edges": (float("nan"),)}, "finite numbers"),
        ({"name": "x", "levels": ("a", "b"), "edges": ("1",)}, "finite numbers"),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1,)}, "1 numbers for 2 levels"),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1, 1.0)}, "twice"),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1, float("inf"))}, "neither a number"),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1, "2")}, "neither a number"),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1, 2), "edges": (1,)}, "both edges and numbers"),
        ({"name": "x", "levels": ("a", "b"), "ordered": "no"}, "ordered must be True or False, not 'no'"),
        ({"name": "x", "levels": ("a", "b"), "missing": 1}, "missing must be True or False, not 1"),
        ({"name": "x", "levels": ("a", "b"), "unit": 3}, "unit must be a text, not 3"),
        ({"name": "x", "levels": ("a", "b"), "groups": ("ab", "c")}, "a list of values, not 'ab'"),
        (
            {"name": "x", "levels": ("a", "b"), "special": ("b",)},
            "a label and a list of texts or numbers, not 'b'",
        ),
        ({"name": "x", "levels": ("a", "b"), "special": (("b", 3),)}, r"texts or numbers, not \('b', 3\)"),
        (
            {"name": "x", "levels": ("a", "b"), "special": (("b", [date(2026, 1, 1)]),)},
            "texts or numbers, not",
        ),
        ({"name": "x", "levels": ("a", "b"), "numbers": (1,), "special": (("b", [1]),)}, "value 1 twice"),
    ],
)
def test_a_feature_that_makes_no_sense_is_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        Feature(**arguments)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"name": "x"}, "the feature 'x' has no levels"),
        ({"levels": ["a"]}, "the feature '' has no name"),
        ({"name": "x", "level": ["a"]}, r"'level' is not a part of a feature; did you mean 'levels'\?"),
        ({"name": "x", "levels": 3}, "'x': levels must be a list, not 3"),
        ({"name": "x", "levels": ["a", "b"], "edges": 3}, "'x': edges must be a list, not 3"),
        ({"name": "x", "levels": ["a", "b"], "special": None}, "'x': special must be a list, not None"),
        ("x", "a feature has a name and levels, not just 'x'"),
    ],
)
def test_what_is_not_a_feature_in_a_file_is_refused(data, words):
    with pytest.raises(InputError, match=words):
        Feature.from_dict(data)


@pytest.mark.parametrize("special", [(), (("no record", (-9,)), ("odd", ("x", True)))])
@pytest.mark.parametrize("missing", [False, True])
def test_many_values_are_found_as_each_by_itself(special, missing):
    labels = ["low", "middle", "high", *dict(special), *["missing"] * missing]
    feature = Feature("x", labels, edges=(1.0, 2.0), special=special, missing=missing)
    numbers = np.array([np.nan, np.inf, -np.inf, -9.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    for values in (numbers, np.arange(-10, 4), pd.array([1, None, 3], dtype="Int64"), (2.5, "x", "low")):
        each = [feature.find(value) for value in values]
        assert feature.find_all(values).tolist() == [-1 if level is None else level for level in each]


@pytest.mark.parametrize("value", [[1], {"a": 1}, (1, [2])])
def test_what_cannot_be_looked_up_has_no_level(value):
    assert Feature("x", ("a", "b")).find(value) is None


def test_names_of_our_own_give_way_to_those_of_the_user():
    feature = Feature("x", ("missing", "b")).with_cells(missing=True, unseen=True)
    assert feature.levels == ("missing", "b", "missing_", "unseen in training")
    assert (feature.find("missing"), feature.find(None), feature.find("c")) == (0, 2, 3)


def test_the_level_of_missing_values_keeps_the_name_and_the_target_that_it_was_given():
    given = Feature("x", ("a", "b", "unknown"), missing=True, targets=("a", None, np.nan))
    feature = given.with_cells((("odd", ("c",)),), missing=True, unseen=True)
    assert feature.levels == ("a", "b", "odd", "unknown", "unseen in training")
    assert [feature.target(level) for level in (0, 1, 2, 4)] == ["a", None, None, None]
    assert np.isnan(feature.target(3))


AMOUNT = Feature(
    "amount",
    ("<= 10", "> 10", "no record", "missing"),
    edges=(10,),
    unit="DM",
    special=(("no record", (-9,)),),
    missing=True,
)


def test_only_regular_levels_are_told_with_a_unit_and_are_targets_by_themselves():
    assert [AMOUNT.cell_label(level) for level in range(4)] == ["<= 10 DM", "> 10 DM", "no record", "missing"]
    rooms = Feature("rooms", ("one", "two", "odd"), numbers=(1, 2), unit="rooms", special=(("odd", (-9,)),))
    assert [rooms.target(level) for level in range(3)] == [1, 2, None]
    assert [rooms.target_label(level) for level in range(3)] == ["one rooms", "two rooms", "odd"]
    assert rooms.target_values == (1, 2, "odd")


def test_a_target_is_told_as_the_value_itself_or_else_by_its_level():
    sent = replace(AMOUNT, targets=(7.5, None, -9, math.nan))
    assert [sent.target_label(level) for level in range(4)] == ["7.5 DM", "> 10 DM", "-9", "missing"]
    assert sent.target_values == (7.5, "> 10", -9, "missing")


def test_a_feature_that_is_not_read_has_one_level_for_everything():
    unread = Feature("note", ("any value",), unseen=True)
    assert (unread.unread, unread.n_regular, unread.missing_level) == (True, 0, 0)
    assert [unread.find(value) for value in ("x", None, math.nan, [1])] == [0, 0, 0, 0]
    read = Feature("note", ("a", "unseen"), unseen=True)
    assert (read.unread, read.missing_level, read.find("b"), read.find(None)) == (False, None, 1, None)


def test_what_a_feature_does_not_have_is_not_written():
    told = {"name": "x", "levels": ["a"], "ordered": False, "edges": None, "numbers": None, "unit": ""}
    assert Feature("x", ("a",)).to_dict() == told
    assert Feature("x", ("a", "missing"), missing=True).to_dict().keys() == {*told, "missing"}


def test_messages_name_twenty_values_at_most_and_count_the_others():
    assert listed(range(20)) == ", ".join(map(str, range(20)))
    assert listed(range(21)) == ", ".join(map(str, range(20))) + ", ... (21 in all)"


def test_integers_are_told_without_a_point_as_long_as_a_float_holds_them():
    assert number_label(-999_999_999_999_999.0) == "-999999999999999"
    assert number_label(1e15) == "1000000000000000.0"
    assert [number_label(value) for value in (2.0, 2.5, True, "2.0")] == ["2", "2.5", "True", "2.0"]


def test_levels_that_are_there_already_are_not_added_again():
    given = Feature("x", ("a", "no record", "rare"), special=(("no record", ("-9",)),), unseen=True)
    more = given.with_cells((("no record", ("-8",)), ("refused", ("-7",))), missing=True, unseen=True)
    assert more.levels == ("a", "no record", "refused", "missing", "rare")
    assert more.special == (("no record", ("-9",)), ("refused", ("-7",)))
    assert given.with_cells() == given
