"""Tests that subgroups are counted rightly and that intervals are what the literature says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.studies.audit import _means, _shares
from report.made_results import made_result


@pytest.fixture(scope="module")
def made():
    """Six of ten rows are refused; women 4 of 5, men 2 of 5."""
    frame = pd.DataFrame(
        {
            "income": [2, 1, 1, 1, 2, 1, 1, 2, 2, 2],
            "savings": [1, 1, 1, 1, 2, 1, 2, 2, 2, 2],
            "sex": ["f"] * 5 + ["m"] * 5,
        },
        index=[f"p{i}" for i in range(10)],
    )
    return ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(frame), frame


def made_model(frame):
    features = frame[["income", "savings"]]
    return DecisionTreeClassifier().fit(features, (features.sum(axis=1) == 4).astype(int))


def test_every_number_of_the_table_is_as_counted_by_hand(made):
    table = ofm.audit(*made, by="sex").table
    assert table.index.name == "sex"
    assert table["rows"].to_dict() == {"f": 5, "m": 5}
    assert table["refused"].to_dict() == {"f": 4, "m": 2}
    assert table["covered"].to_dict() == {"f": 4, "m": 2}
    assert table["beyond_help"].to_dict() == {"f": 0, "m": 0}
    # women change 1, 2, 2 and 2 features, men 2 and 1
    assert table["mean_changes"].to_dict() == {"f": 7 / 4, "m": 3 / 2}
    assert table["explanations"].to_dict() == {"f": 1, "m": 1}


def test_rows_with_names_are_found_in_any_order(made):
    result, frame = made
    audited = ofm.audit(result, frame, by="sex")
    for shuffled in (frame.iloc[::-1], frame.sample(frac=1, random_state=3)):
        again = ofm.audit(result, shuffled, by="sex")
        assert again.table.equals(audited.table)
        assert again.differences.equals(audited.differences)
        again = ofm.audit(result, shuffled[["sex"]], by="sex")
        assert again.table.equals(audited.table)
    with pytest.raises(ofm.InputError, match="row p1 is not as it was when it was explained"):
        ofm.audit(result, frame.iloc[::-1].assign(income=frame["income"].to_numpy()), by="sex")


def test_differences_are_those_of_the_table(made):
    lines = ofm.audit(*made, by="sex").differences
    refused = lines.loc["f", "refused"]
    assert (refused["value"], refused["others"]) == (0.8, 0.4)
    assert refused["difference"] == pytest.approx(0.4)
    assert lines.loc["m", "refused"]["low"] == pytest.approx(-refused["high"])


def test_newcombes_interval_is_the_one_of_his_examples():
    """Newcombe 1998, table II, method 10: 56/70 against 48/80, 9/10 against 3/10, 10/10 against 0/10."""
    published = {
        (56, 70, 48, 80): (0.0524, 0.3339),
        (9, 10, 3, 10): (0.1705, 0.8090),
        (6, 7, 2, 7): (0.0582, 0.8062),
        (5, 56, 0, 29): (-0.0381, 0.1926),
        (0, 10, 0, 10): (-0.2775, 0.2775),
        (10, 10, 0, 10): (0.6075, 1.0),
    }
    for counts, (low, high) in published.items():
        assert _shares(*counts)[-2:] == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


def test_the_bootstrap_of_means_is_near_the_normal_interval_and_repeatable():
    mine, others = np.repeat([1, 2, 3], 100), np.repeat([1, 2], 150)
    counts = np.bincount(mine, minlength=4), np.bincount(others, minlength=4)
    _, _, difference, low, high = found = _means(*counts, np.random.default_rng(0))
    half = 1.96 * np.sqrt(mine.var() / 300 + others.var() / 300)
    assert difference == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * half, rel=0.1)
    assert found == _means(*counts, np.random.default_rng(0))


def test_a_few_rows_that_are_alike_make_no_narrow_interval():
    *_, difference, low, high = _means(np.array([0, 2, 0]), np.array([0, 0, 1]), np.random.default_rng(0))
    assert difference == -1
    assert low < -1 < 0 < high


def test_rare_explanations_are_the_smallest_up_to_a_tenth_of_the_covered_rows():
    result = made_result(explanations=11, rows=35)  # 33 covered rows, three each
    frame = pd.DataFrame({"who": ["a", "b"] * 17 + ["a"]}, index=list(result.index))
    audit = ofm.audit(result, frame, by="who")
    assert audit.rare == (1,)
    assert audit.table["needs_rare"].sum() == 3


def test_beyond_help_and_undecided_are_counted_where_they_are():
    result = made_result()  # row 10 is beyond help, row 11 undecided
    frame = pd.DataFrame({"who": ["a"] * 11 + ["b"]}, index=list(result.index))
    table = ofm.audit(result, frame, by="who").table
    assert table["beyond_help"].to_dict() == {"a": 1, "b": 0}
    assert table["undecided"].to_dict() == {"a": 0, "b": 1}
    assert np.isnan(table.loc["b", "mean_changes"])


def test_words_name_what_is_clear_of_chance_and_only_that():
    result = made_result(rows=60)
    values = ["a"] * 58 + ["b", "b"]  # the two without an explanation are both b
    frame = pd.DataFrame({"who": values}, index=list(result.index))
    words = ofm.audit(result, frame, by="who").summary()
    assert "beyond help, of those refused: 0.0% against 50.0% of the others" in words
    assert "changes per covered row" not in words


def test_missing_values_are_a_subgroup(made):
    result, frame = made
    gaps = frame.assign(sex=["f"] * 5 + [None] * 5)
    assert ofm.audit(result, gaps, by="sex").table.index.tolist() == ["f", "missing"]


def test_missing_values_are_not_those_that_are_called_so(made):
    result, frame = made
    told = frame.assign(sex=["missing", None] * 5)
    assert ofm.audit(result, told, by="sex").table["rows"].to_dict() == {"missing": 5, "missing_": 5}


def test_rows_of_an_index_of_dates_and_gaps_are_known_again_after_a_file(made):
    frame = made[1]
    days = pd.to_datetime(["2026-01-01"] * 9 + [None])
    frame = frame.set_axis(pd.MultiIndex.from_arrays([days, [*range(9), None]]))
    result = ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(frame)
    again = ofm.Result.from_json(result.to_json())
    pd.testing.assert_index_equal(again.assignment_frame().index, result.assignment_frame().index)
    assert ofm.audit(again, frame, by="sex").table.equals(ofm.audit(result, frame, by="sex").table)


@pytest.mark.parametrize("names", [[(1, 2), (3, 4)], [b"f", b"m"], pd.interval_range(0, 2)])
def test_subgroups_may_have_any_name(made, names):
    result, frame = made
    found = ofm.audit(result, frame.assign(sex=pd.Series([*names] * 5, frame.index)), by="sex")
    assert (found.table.index.tolist(), found.table["rows"].tolist()) == ([*names], [5, 5])
    assert [line.subgroup for line in found.told()] == [names[0]] * 4


def test_only_a_result_is_compared(made):
    with pytest.raises(InputError, match="result must be a Result, as explain gives it, not DataFrame"):
        ofm.audit(made[1], made[0], by="sex")


def test_frames_of_polars_and_pyarrow_are_compared_too(made):
    result, frame = made
    explained = ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(
        frame.reset_index(drop=True)
    )
    expected = ofm.audit(result, frame, by="sex").table
    for taken in (pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        pd.testing.assert_frame_equal(ofm.audit(explained, taken, by="sex").table, expected)


def test_a_row_that_stands_for_several_people_counts_as_so_many(made):
    _, frame = made
    model = made_model(frame)
    people = np.arange(1, 11)
    explainer = ofm.OneForMany(model, max_changes=2, share="action")
    result = explainer.explain(frame, people=people, explanations=1)
    spread = frame.loc[np.repeat(frame.index, people)]
    counted = ofm.audit(result, frame, by="sex", people=people)
    listed = ofm.audit(explainer.explain(spread, explanations=1), spread, by="sex")
    pd.testing.assert_frame_equal(counted.table.rename(columns={"people": "rows"}), listed.table)
    pd.testing.assert_frame_equal(counted.differences, listed.differences)
    assert counted.rare == listed.rare


def test_a_rare_explanation_has_few_people_however_many_rows():
    made = made_result(explanations=2, rows=12)
    people = [1, 30] * 5 + [1, 1]  # five rows each, 5 people and 150
    result = replace(made, problem=made.problem | {"people": people}, covered_bound=None)
    frame = pd.DataFrame({"who": ["a", "b"] * 6}, index=list(result.index))
    audit = ofm.audit(result, frame, by="who")  # all rows were refused: their people are known
    assert audit.rare == (1,)
    assert audit.table["needs_rare"].to_dict() == {"a": 5, "b": 0}
    assert audit.table["people"].to_dict() == {"a": 6, "b": 151}


def test_where_people_are_counted_words_and_plot_speak_of_people():
    made = made_result(explanations=2, rows=12)
    result = replace(made, problem=made.problem | {"people": [50] * 12}, covered_bound=None)
    frame = pd.DataFrame({"who": ["a", "b"] * 6}, index=list(result.index))
    audit = ofm.audit(result, frame, by="who")
    assert audit.words("mean_changes") == "changes per covered person"
    ax = audit.plot(measure="mean_changes")
    assert ax.get_title(loc="left") == "By who: changes per covered person"
    assert all(label.get_text().endswith("people)") for label in ax.get_yticklabels())
    audit = ofm.audit(made, frame, by="who")
    assert audit.words("mean_changes") == "changes per covered row"


def test_people_that_are_not_known_or_not_those_explained_are_told(made):
    _, frame = made
    people = np.arange(1, 11)
    result = ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(frame, people=people)
    with pytest.raises(InputError, match="as it was given to explain"):
        ofm.audit(result, frame, by="sex")
    with pytest.raises(InputError, match="row p0 stood for 1 people when it was explained, and for 10 now"):
        ofm.audit(result, frame, by="sex", people=people[::-1])
    with pytest.raises(InputError, match="people must be 10 integers"):
        ofm.audit(result, frame, by="sex", people=[1])


def test_rows_that_were_read_in_batches_are_not_those_of_a_frame(made):
    _, frame = made
    result = ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(iter([frame]))
    with pytest.raises(InputError, match=r"read in batches.*explain this one in memory"):
        ofm.audit(result, frame, by="sex")
    with pytest.raises(InputError, match=r"read in batches.*give model= too"):
        result.apply(frame)


def test_a_column_that_named_the_rows_is_pointed_to(made):
    _, frame = made
    result = ofm.OneForMany(made_model(frame), max_changes=2, share="point").explain(frame.rename_axis("who"))
    with pytest.raises(InputError, match="the column 'who' named the rows then: make it the index"):
        ofm.audit(result, frame.rename_axis("who").reset_index(), by="sex")


@pytest.mark.parametrize(
    ("change", "by", "words"),
    [
        (lambda frame: frame, "race", "no column 'race'"),
        (lambda frame: frame, "Sex", r"no column 'Sex' .*did you mean 'sex'\?"),
        (lambda frame: frame, {"sex"}, "give one column, or a list of columns to cross"),
        (lambda frame: frame.assign(sex="f"), "sex", "holds only f; there are no subgroups"),
        (
            lambda frame: frame.assign(sex=range(10)).head(9),
            "sex",
            "has 9 rows, 10 were explained; pass the very frame",
        ),
        (lambda frame: frame.set_axis([f"q{i}" for i in range(10)]), "sex", "was called p0"),
        (lambda frame: frame.set_axis(["p"] * 10), "sex", "was called p0"),
        (lambda frame: frame.assign(savings=frame["savings"].to_numpy()[::-1]), "sex", "p0 is not as it was"),
        (lambda frame: pd.concat([frame] * 3).assign(sex=range(30)), "sex", "subgroups need 2 to 20"),
    ],
)
def test_what_cannot_be_compared_is_told(made, change, by, words):
    result, frame = made
    with pytest.raises(InputError, match=words):
        ofm.audit(result, change(frame), by=by)


def test_the_name_in_the_package_is_the_function():
    assert callable(ofm.audit)
    assert ofm.audit.__module__ == "oneformany.studies.audit"
