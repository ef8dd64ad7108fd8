import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.schema.cells import (
    MOST_CELLS,
    Choice,
    Told,
    bins_of,
    decide_cells,
    group_labels,
    infer_schema,
    levels_of_values,
    same_rows,
)
from oneformany.schema.feature import Feature
from oneformany.schema.frames import ColumnValues
from oneformany.schema.targets import beyond_data


def column(values, name="x"):
    return ColumnValues.of(pd.Series(values, name=name))


def cells(values, told=None, **choice):
    found = column(values)
    counts = np.bincount(found.codes, minlength=len(found.array))
    return decide_cells(found, counts, told, Choice(**choice))


def told(found, function, weights=None):
    """A model that sees a function of the numbers."""
    rows = np.array([[np.nan if value is None else function(value)] for value in found.plain])
    return Told.of(rows, weights)


def test_few_numbers_stay_values():
    feature = cells([3, 1, 2, 2])
    assert (feature.levels, feature.numbers, feature.ordered) == (("1", "2", "3"), (1, 2, 3), True)


def test_many_numbers_are_cut_at_round_quantiles():
    rng = np.random.default_rng(0)
    feature = cells(rng.gamma(2, 900, 5000).round(2))
    assert feature.n_levels == MOST_CELLS
    assert all(edge % 50 == 0 for edge in feature.edges)
    counts = np.bincount([feature.find(value) for value in rng.gamma(2, 900, 5000)])
    assert counts.min() > 5000 / MOST_CELLS / 2


def test_a_number_that_most_rows_have_does_not_take_the_place_of_others():
    rng = np.random.default_rng(1)
    feature = cells([0.0] * 900 + rng.integers(1000, 20000, 100).tolist())
    assert feature.n_levels >= MOST_CELLS - 1
    assert feature.find(0) != feature.find(1500)


def test_the_user_chooses_edges_or_how_many_cells():
    numbers = np.arange(100.0)
    assert cells(numbers, edges=(10, 20)).edges == (10, 20)
    assert cells(numbers, bins=3).n_levels == 3
    own = Feature("x", ("low", "high"), ordered=True, edges=(50,))
    assert cells(numbers, feature=own) == own


def test_gaps_and_special_codes_have_cells_of_their_own():
    feature = cells([1.0, 2.0, np.nan, -9.0], special=(("no record", (-9,)),))
    assert feature.levels == ("1", "2", "no record", "missing")
    assert [feature.find(value) for value in (1, -9, None, np.nan)] == [0, 2, 3, 3]


def test_what_a_model_does_not_tell_apart_is_one_cell():
    found = column(np.arange(40.0))
    counts = np.ones(40, dtype=int)
    thirds = decide_cells(found, counts, told(found, lambda x: x // 15, np.ones(40)))
    assert [thirds.find(value) for value in (14, 15, 29, 30)] == [0, 1, 1, 2]
    nothing = decide_cells(found, counts, told(found, lambda _: 0.0, np.zeros(40)))
    assert nothing.levels == ("any number",)
    assert nothing.find(-1e6) == 0


def test_bins_of_a_pipelines_steps_are_kept_however_many_they_are():
    found = column(np.arange(100.0))
    feature = decide_cells(found, np.ones(100, dtype=int), told(found, lambda x: x // 7))
    assert feature.n_levels == 15
    assert all(
        (feature.find(a) == feature.find(b)) == (a // 7 == b // 7) for a in range(100) for b in (0, 6, 7, 50)
    )


def test_of_many_splits_the_weightiest_are_edges():
    found = column(np.arange(200.0))
    weights = np.ones(200)
    heavy = [20, 50, 80, 110, 140, 170, 190]
    weights[heavy] = 50 + np.arange(7)
    feature = decide_cells(found, np.ones(200, dtype=int), told(found, float, weights))
    assert [feature.find(at) - feature.find(at - 1) for at in heavy] == [1] * 7
    assert feature.n_levels == MOST_CELLS


def test_no_cell_between_weighty_splits_is_nearly_empty():
    found = column(np.arange(200.0))
    weights = np.ones(200)
    weights[100:110] = 99
    feature = decide_cells(found, np.ones(200, dtype=int), told(found, float, weights))
    sizes = np.bincount([feature.find(value) for value in range(200)])
    assert sizes.min() >= 4


def test_categories_that_a_model_does_not_tell_apart_are_one_cell_that_is_named():
    found = column(["a", "b", "c", "d"])
    feature = decide_cells(found, np.ones(4, dtype=int), told(found, lambda x: float(x in "ab")))
    assert feature.levels == ("a or b", "c or d")
    assert [feature.find(value) for value in "abcd"] == [0, 0, 1, 1]
    one = decide_cells(found, np.ones(4, dtype=int), told(found, lambda x: float(x == "a")))
    assert one.levels == ("a", "not a")


@pytest.mark.parametrize(
    ("groups", "labels"),
    [
        (["abcdefgh"], ("any value",)),
        (["abcdefg", "h"], ("not h", "h")),
        (["abcdef", "gh"], ("a or b or c or d or 2 more", "g or h")),
        (["abcd", "ef"], ("a or b or c or d", "e or f")),
        (["abcde", "fgh", "ij"], ("a or b or c or d or 1 more", "f or g or h", "i or j")),
    ],
)
def test_a_cell_of_many_categories_is_named_by_the_shorter_list(groups, labels):
    found = column(list("".join(groups)))
    cell = {value: float(number) for number, group in enumerate(groups) for value in group}
    feature = decide_cells(found, np.ones(len(cell), dtype=int), told(found, cell.get))
    assert feature.levels == labels


def test_a_cell_of_several_categories_has_no_name_of_another():
    found = column(["a", "a or b", "b", "w", "z"])
    feature = decide_cells(found, np.ones(5, dtype=int), told(found, lambda x: float(x in "ab")))
    assert feature.levels == ("a or b_", "a or b or w or z")
    seen = {"a": 0.0, "b": 0.0, "a or b": 1.0, "w": 2.0, "z": 3.0}
    alone = decide_cells(found, np.ones(5, dtype=int), told(found, seen.get))
    assert alone.levels == ("a or b_", "a or b", "w", "z")
    assert [alone.find(value) for value in ("a", "b", "a or b")] == [0, 0, 1]


def test_ordered_categories_are_joined_only_to_neighbours():
    kind = pd.CategoricalDtype(list("abcd"), ordered=True)
    found = column(pd.Categorical(list("abcd"), dtype=kind))
    feature = decide_cells(found, np.ones(4, dtype=int), told(found, lambda x: float(x in "ad")))
    assert feature.levels == ("a", "b or c", "d")


def test_categories_unseen_in_training_share_a_last_cell():
    feature = cells(["a", "b", "q", "r"], known=frozenset("ab"))
    assert feature.levels == ("a", "b", "unseen in training")
    assert [feature.find(value) for value in ("q", "anything")] == [2, 2]


def test_truth_values_and_numbered_categories_keep_their_values():
    assert cells([True, False]).numbers == (False, True)
    assert cells(pd.Categorical([3, 1])).numbers == (1, 3)
    mixed = cells(pd.Categorical([3, "x"]))
    assert [mixed.find(3), mixed.find("x")] == [0, 1]


def test_edges_for_texts_are_refused():
    with pytest.raises(InputError, match="of category values; leave it out"):
        cells(["a", "b"], bins=2)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6) | st.none(), min_size=1, max_size=60), st.integers(0, 3))
def test_every_value_has_exactly_one_cell_and_order_is_kept(values, kind):
    found = column(pd.Series(values, dtype=float).to_list())
    counts = np.bincount(found.codes, minlength=len(found.array))
    seen = told(found, lambda x: float(x // 10**kind), np.ones(len(found.array))) if kind else None
    feature = decide_cells(found, counts, seen)
    places = [feature.find(value) for value in found.plain]
    assert None not in places
    regular = [place for place, value in zip(places, found.plain, strict=True) if value is not None]
    assert regular == sorted(regular)
    assert feature.n_levels <= MOST_CELLS + 1


def test_rows_with_gaps_in_equal_places_are_equal():
    rows = np.array([[np.nan, 1], [0, 1], [np.nan, 1], [0, np.nan]])
    numbers = same_rows(rows)
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 3


def test_bins_of_numbers_that_no_float_counts_one_by_one_are_not_named_by_integers():
    assert bins_of("x", [3e300, 5e300], np.array([1e300, 9e300])).levels[1] == "above 3e+300 up to 5e+300"
    assert bins_of("x", [3, 5], np.array([1.0, 9.0])).levels[1] == "4-5"
    assert bins_of("x", [3, 5], np.array([1.0, 9.5])).levels[1] == "above 3 up to 5"


def test_many_numbers_are_eight_cells_and_ten_of_them_are_levels_in_a_schema_of_their_own():
    assert cells(list(range(100))).n_levels == 8
    ten, eleven = (infer_schema(pd.DataFrame({"x": range(n)})).features[0] for n in (10, 11))
    assert (ten.n_levels, ten.binned, eleven.n_levels, eleven.binned) == (10, False, 4, True)


def test_labels_say_the_type_of_a_value_only_where_two_would_be_alike():
    assert levels_of_values("x", ["a", 1]).levels == ("a", "1")
    assert levels_of_values("x", ["1", 1]).levels == ("'1'", "1")


def test_only_numbers_lie_beyond_the_data():
    numbers = Feature("x", ("0", "1"), numbers=(0, 1))
    found = column([0, 0]).with_values([1])
    assert list(beyond_data(numbers, found, np.array([0, 1]))) == ["x 1 (all numbers there: 0 to 0)"]
    assert list(beyond_data(Feature("x", ("a", "b")), column(["a"]), np.array([0]))) == []
    assert list(beyond_data(numbers.with_cells(missing=True), column([None, np.nan]), np.array([2]))) == []


@pytest.mark.parametrize(("groups", "binned"), [(4, True), (5, False)])
def test_numbers_that_a_model_tells_into_at_most_half_as_many_groups_are_bins(groups, binned):
    found = column(list(range(8)))
    feature = cells(list(range(8)), told(found, lambda number: min(number, groups - 1)))
    assert (feature.binned, feature.n_levels) == (binned, groups if binned else 8)


def test_no_number_need_be_a_level_but_fewer_than_none_are_refused():
    assert infer_schema(pd.DataFrame({"x": [1, 2, 3]}), bins=2, max_levels=0).features[0].binned
    with pytest.raises(InputError, match="max_levels is -1"):
        infer_schema(pd.DataFrame({"x": [1]}), max_levels=-1)


def test_cells_of_many_categories_are_named_in_a_number_of_steps_linear_in_them(monkeypatch):
    n, calls = 2_000, []
    monkeypatch.setattr(
        "oneformany.schema.cells.number_label", lambda value: calls.append(value) or str(value)
    )
    pairs = Told.of(np.arange(n)[:, None] // 2 * 1.0)
    feature = cells([f"shop{number:04}" for number in range(n)], pairs)
    assert feature.n_levels == n // 2
    assert feature.levels[0] == "shop0000 or shop0001"
    assert len(calls) <= 4 * n


VALUES = ["a", "b", "c", "a_", "not a", "a or b", 1, "1"]


@given(groups=st.lists(st.lists(st.sampled_from(VALUES), min_size=1, unique=True), min_size=1))
def test_names_of_cells_are_unlike_each_other_and_unlike_categories_elsewhere(groups):
    labels = group_labels(groups)
    assert len(set(labels)) == len(groups)
    for index, label in enumerate(labels):
        others = [str(value) for at, group in enumerate(groups) for value in group if at != index]
        assert label not in others


def test_long_rows_are_told_apart_as_short_ones_are():
    rows = np.random.default_rng(0).integers(0, 2, (300, 8)).astype(float)
    rows[rows[:, 0] > 0, 1] = np.nan
    long = np.hstack([rows, np.zeros((300, 100))])
    assert same_rows(np.asfortranarray(long)).tolist() == same_rows(rows).tolist()
    assert same_rows(long).tolist() == same_rows(rows).tolist()
    first = rows[:, :1] * np.where(np.arange(300)[:, None] % 2, 1.0, -0.0)
    assert same_rows(first).tolist() == same_rows(np.hstack([first, np.zeros((300, 2))])).tolist()
