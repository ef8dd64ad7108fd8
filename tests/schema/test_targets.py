import numpy as np
import pandas as pd
import pytest

from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature
from oneformany.schema.targets import choose_targets, named_targets
from oneformany.schema.values import ColumnValues

BINS = Feature("x", ("<= 10", "11-20", "> 20"), ordered=True, edges=(10, 20))


def chosen(feature, values, asked=None):
    found = ColumnValues.of(pd.Series(values, name="x"))
    counts = np.bincount(found.codes, minlength=len(found.array))
    cells = np.array([feature.find(value) for value in found.plain])
    return choose_targets(feature, found, counts, cells, asked)


def test_a_target_is_the_lower_median_of_what_occurs():
    assert chosen(BINS, [3, 4, 9, 12, 13, 14, 14]).targets == (4, 13, None)
    assert chosen(BINS, [3, 3, 3, 9]).targets == (3, None, None)
    assert chosen(BINS, [3, 9]).targets == (3, None, None)


def test_a_rounder_number_next_to_the_median_is_taken_if_it_occurs():
    feature = Feature("x", ("any number",), ordered=True, edges=())
    numbers = [*range(480, 520)]
    assert chosen(feature, numbers).targets == (500,)
    assert chosen(feature, [n for n in numbers if n not in (490, 500, 510)]).targets[0] in range(495, 506)


def test_values_stand_for_themselves():
    feature = Feature("x", ("a", "b"))
    assert chosen(feature, ["a", "b"]) == feature
    assert chosen(
        Feature("x", ("a", "b", "c"), groups=(("a",), ("b",), ("c", "d"))), ["a", "d", "c", "d"]
    ).targets == (
        "a",
        None,
        "d",
    )


def test_special_codes_and_gaps_are_targets_only_if_asked_for():
    feature = BINS.with_cells([("-9", (-9,))], missing=True)
    values = [3, -9, None]
    assert chosen(feature, values).targets == (3, None, None, None, None)
    asked = named_targets(feature, {"missing": "missing", "-9": -9, "<= 10": None})
    assert str(chosen(feature, values, asked).targets) == "(None, None, None, -9, nan)"


def test_targets_may_be_listed():
    assert named_targets(BINS, [5, 15]) == {0: 5, 1: 15}
    assert named_targets(BINS, None) == {}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tall": 3}, "targets name 'tall' of 'x', whose cells are '<= 10'"),
        ({"<= 10": 15}, "15 of 'x' does not lie in the cell '<= 10'"),
        (15, "must be a list of values or a dict"),
    ],
)
def test_targets_that_make_no_sense_are_refused(asked, words):
    with pytest.raises(InputError, match=words):
        named_targets(BINS, asked)
