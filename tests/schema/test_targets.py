import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.schema.cells import Choice, roundest
from oneformany.schema.feature import Feature
from oneformany.schema.frames import ColumnValues
from oneformany.schema.targets import Movers, choose_targets, named_targets, roundness

BINS = Feature("x", ("<= 10", "11-20", "> 20"), ordered=True, edges=(10, 20))


def chosen(feature, values, asked=None, limits=(-np.inf, np.inf)):
    found = ColumnValues.of(pd.Series(values, name="x"))
    counts = np.bincount(found.codes, minlength=len(found.array))
    cells = np.array([feature.find(value) for value in found.plain])
    return choose_targets(feature, found, counts, cells, Choice(targets=asked, limits=limits))


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


def test_a_level_that_the_user_names_and_nobody_has_stands_for_itself_but_not_what_only_rows_have():
    feature = Feature("x", ("no", "yes", "new"), numbers=(0, 1, 2))
    found = ColumnValues.of(pd.Series([0, 2, 0], name="x")).with_values([1])  # two rows, one of reference
    counts, cells = np.array([1, 0, 0]), np.array([0, 1, 2])
    assert choose_targets(feature, found, counts, cells, Choice()).targets == (0, 1, None)


def test_special_codes_and_gaps_are_targets_only_if_asked_for():
    feature = BINS.with_cells((("-9", (-9,)),), missing=True)
    values = [3, -9, None]
    assert chosen(feature, values).targets == (3, None, None, None, None)
    asked = {"missing": "missing", "-9": -9, "<= 10": None}
    assert str(chosen(feature, values, asked).targets) == "(None, None, None, -9, nan)"


def test_a_target_lies_within_limits_where_there_are_such_numbers():
    values = [1, 2, 3, 8, 9, 12, 13, 30]
    assert chosen(BINS, values).targets == (3, 12, 30)
    assert chosen(BINS, values, limits=(4, 25)).targets == (8, 12, 30)
    assert chosen(BINS, values, limits=(13, 13)).targets == (3, 13, 30)


def test_targets_may_be_listed():
    assert named_targets(BINS, [5, 15]) == {0: 5, 1: 15}
    assert named_targets(BINS, None) == {}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tall": 3}, "targets name 'tall' of 'x', whose cells are '<= 10'"),
        ({"<= 10": 15}, "15 of 'x' does not lie in the cell '<= 10'"),
        ([5, 15, 7], "targets of 'x' name two values of the cell '<= 10'; keep one"),
    ],
)
def test_targets_that_make_no_sense_are_refused(asked, words):
    with pytest.raises(InputError, match=words):
        named_targets(BINS, asked)


def test_the_roundest_number_is_found():
    assert roundest(1480, 1530, 1505) == 1500
    assert roundest(18, 18.9, 18.5) == 18
    assert roundest(0.13, 0.17, 0.15) == 0.15
    assert roundest(-3, 4, 1) == 0
    assert roundest(7, 7, 7) == 7
    assert roundest(-1530, -1480, -1505) == -1500
    assert roundest(1_040_000, 3_100_000, 2_900_000) == 2_000_000
    assert [roundest(-7, 3, 2), roundest(0, 9, 8), roundest(-9, 0, -8)] == [0, 0, 0]
    assert roundest(1e308, 1.5e308, 1.2e308) == 1e308
    assert roundest(2.2250738585e-313, 2.22507385855e-313, 2.2250738585e-313) == 2.2250738585e-313


@given(st.floats(-1e9, 1e9), st.floats(0, 1e6))
def test_it_lies_within_the_interval_and_is_no_less_round_than_its_ends(low, width):
    high = low + width
    found = roundest(low, high, (low + high) / 2)
    assert low <= found <= high
    assert roundness(found) <= max(roundness(low), roundness(high))


def test_fewer_digits_are_rounder():
    assert roundness(1500) < roundness(1510) < roundness(1511)
    assert roundness(0.25) == 2


def sided(values, rows, up=True, down=True):
    """Targets of the bins for rows that are going to move, by the value that each has."""
    found = ColumnValues.of(pd.Series([*values, *rows], name="x"))
    first, last = found.codes[: len(values)], found.codes[len(values) :]
    counts, movers = (np.bincount(codes, minlength=len(found.array)) for codes in (first, last))
    cells = np.array([BINS.find(value) for value in found.plain])
    return choose_targets(BINS, found, counts, cells, Choice(), Movers(movers, up, down)).targets


DATA = [*range(1, 31)]


@pytest.mark.parametrize(
    ("rows", "targets"),
    [
        ([25, 26, 27], (10, 20, 25)),  # all come from above, and nobody to the last cell
        ([2, 3, 4], (5, 11, 21)),  # from below: to the lower sides; nobody to the first cell
        ([2, 3, 25], (10, 11, 21)),
        ([2, 25], (10, 15, 21)),  # as many from either side: to the middle
        ([], (5, 15, 25)),
    ],
)
def test_a_near_target_is_at_the_side_from_which_most_rows_come(rows, targets):
    assert sided(DATA, rows) == targets


def test_rows_that_may_only_go_one_way_come_from_one_side():
    assert sided(DATA, [2, 3, 4, 25], up=False)[:2] == (10, 20)
    assert sided(DATA, [2, 25, 26, 27], down=False)[1:] == (11, 21)


def test_a_rounder_number_near_the_side_is_taken():
    cell = Feature("x", ("<= 990", "> 990"), ordered=True, edges=(990,))
    found = ColumnValues.of(pd.Series([*range(890, 991, 3), 2000]))
    cells = np.array([cell.find(value) for value in found.plain])
    movers = np.bincount(found.codes[-1:], minlength=len(found.array))
    counts = np.bincount(found.codes, minlength=len(found.array))
    (target, _) = choose_targets(cell, found, counts, cells, Choice(), Movers(movers)).targets
    assert target == 980  # 989 is nearest, of the uppermost fifth 980 is the roundest


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=40)


@given(values=numbers, rows=numbers, up=st.booleans(), down=st.booleans())
def test_most_rows_that_may_come_are_as_near_to_a_near_target_as_to_the_median(values, rows, up, down):
    near, usual = sided(values, rows, up, down), sided(values, [])
    for cell, (target, median) in enumerate(zip(near, usual, strict=True)):
        assert (target is None) == (median is None)
        if target is None:
            continue
        assert BINS.find(target) == cell
        assert target in values
        below, above = (
            [row for row in rows if side(BINS.find(row), cell)] for side in (int.__lt__, int.__gt__)
        )
        coming = [*below * up, *above * down]
        nearer = [abs(row - target) <= abs(row - median) for row in coming]
        assert 2 * sum(nearer) >= len(nearer)
