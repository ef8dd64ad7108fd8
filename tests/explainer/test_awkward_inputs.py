"""Tests of the front door with rows as people have them: each works, or says what to do."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from explainer.raw_rows import FRAME, TARGET, explained, pipeline, rows
from oneformany import Immutable, NeverTarget, Range
from oneformany.exceptions import InputError, OneForManyError, UnsupportedModelError
from oneformany.explainer import OneForMany
from oneformany.explainer.settings import Cells
from oneformany.verify import verify


def test_categories_that_the_encoder_does_not_know_are_never_targets():
    frame = FRAME.copy()
    frame.loc[::5, "job"] = "retired"
    with pytest.warns(UserWarning, match="'job', row 0 .*: the model was not fitted on 'retired'"):
        result, moved = explained(pipeline(handle_unknown="ignore"), frame)
    job = result.schema.features[result.schema.index("job")]
    assert job.levels[-1] == "unseen in training"
    assert not ((moved["job"] == "retired") & (frame.loc[moved.index, "job"] != "retired")).any()


def test_categories_that_the_encoder_refuses_are_named():
    frame = FRAME.copy()
    frame.loc[5, "job"] = "retired"
    with pytest.raises(InputError, match="retired"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(frame)


@pytest.mark.parametrize("value", [3, 2.5, True])
def test_numbers_where_the_encoder_knows_texts_are_named(value):
    with pytest.raises(
        InputError, match=rf"column 'job', row 0: the model was not fitted on {value}; write 'full'"
    ):
        OneForMany(pipeline(), max_changes=2, share="point").explain(FRAME.assign(job=value))


def test_categories_that_the_reference_data_lack_are_never_targets():
    reference = FRAME[FRAME["job"] != "none"]
    result, moved = explained(pipeline(), FRAME, reference=reference)
    job = result.schema.features[result.schema.index("job")]
    assert job.target(job.find("none")) is None
    assert not ((moved["job"] == "none") & (FRAME.loc[moved.index, "job"] != "none")).any()


def test_targets_and_edges_come_from_reference_data():
    reference = rows(400, 1)
    result, _ = explained(pipeline(), FRAME, reference=reference)
    for name in ("age", "income"):
        feature = result.schema.features[result.schema.index(name)]
        targets = [feature.target(cell) for cell in range(feature.n_levels)]
        assert set(targets) <= set(reference[name])


def test_no_rows_say_so():
    with pytest.raises(InputError, match="the rows are an empty frame"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(FRAME.head(0))


def test_no_columns_say_so():
    with pytest.raises(InputError, match="have no columns"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(FRAME[[]])


def test_a_single_row_cannot_move_without_reference_data_and_can_with_them():
    model = pipeline()
    row = FRAME[model.predict(FRAME) == 0].head(1)
    alone, _ = explained(model, row)
    assert (alone.status, len(alone.unreachable)) == ("infeasible", 1)
    helped, _ = explained(model, row, reference=FRAME)
    assert helped.count == 1


def test_columns_that_no_split_reads_stay_features_with_one_cell():
    frame = FRAME[["age", "income"]].assign(noise=1)
    frame.loc[::2, "noise"] = 0
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(frame, TARGET)
    result, _ = explained(model, frame, rules=[Immutable("noise")])
    assert result.schema.levels[2] == 1


def test_when_all_rows_are_positive_there_is_nothing_to_explain():
    model = pipeline()
    with pytest.raises(InputError, match="nothing to explain"):
        OneForMany(model, max_changes=2, share="point").explain(FRAME[model.predict(FRAME) == 1])


def test_texts_as_index_are_kept():
    frame = FRAME.set_axis([f"client {n}" for n in range(len(FRAME))])
    result, moved = explained(pipeline(), frame)
    assert moved.index.tolist() == [
        f"client {result.problem['rows'][n]}" for n in np.flatnonzero(np.array(result.assignment) >= 0)
    ]


def test_a_duplicated_index_is_kept():
    frame = FRAME.set_axis(np.zeros(len(FRAME), dtype=int))
    _, moved = explained(pipeline(), frame)
    assert set(moved.index) == {0}


def test_an_index_of_several_levels_is_kept():
    frame = FRAME.set_axis(pd.MultiIndex.from_product([["a", "b"], range(len(FRAME) // 2)], names=["x", "y"]))
    _, moved = explained(pipeline(), frame)
    assert moved.index.names == ["x", "y"]


def test_an_index_of_dates_is_kept():
    frame = FRAME.set_axis(pd.date_range("2024-01-01", periods=len(FRAME)))
    _, moved = explained(pipeline(), frame)
    assert isinstance(moved.index, pd.DatetimeIndex)


@pytest.mark.parametrize("name", [0, "0"])
def test_columns_may_be_numbered(name):
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)
    model = LogisticRegression(max_iter=1000).fit(frame, TARGET)
    result, moved = explained(model, frame, rules=[Immutable(name)])
    assert result.schema.names == ("0", "1")
    assert moved.columns.tolist() == [0, 1]
    assert moved[0].tolist() == frame.loc[moved.index, 0].tolist()


def test_numbered_columns_may_have_edges():
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)
    model = LogisticRegression(max_iter=1000).fit(frame, TARGET)
    result, _ = explained(model, frame, cells=Cells(edges={1: [1000, 2000]}))
    assert result.schema.features[1].edges == (1000, 2000)


def test_columns_may_be_called_by_tuples_and_their_index_has_a_name():
    labels = pd.Index([("x", 1), ("x", 2)], name="part", tupleize_cols=False)
    frame = FRAME[["age", "income"]].set_axis(labels, axis=1)

    def chance(rows):
        assert list(rows.columns) == list(labels)
        return (rows[[("x", 1)]].to_numpy()[:, 0] > 40) * 1.0

    result = OneForMany(chance, max_changes=1, rules=[Immutable(("x", 2))], share="point").explain(frame)
    pd.testing.assert_index_equal(result.apply(frame).columns, labels)
    assert (chance(result.apply(frame)) == 1).all()


def test_a_function_gets_the_columns_by_their_own_names():
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1)

    def chance(given):
        return 1 / (1 + np.exp(-(given[0] / 20 + given[1] / 1500 - 4).to_numpy(float)))

    result = OneForMany(chance, max_changes=1, share="point").explain(frame)
    assert (chance(result.apply(frame)) >= 0.5).all()


def test_columns_whose_names_are_the_same_as_texts_are_refused():
    frame = FRAME[["age", "income"]].set_axis([1, "1"], axis=1)
    with pytest.raises(InputError, match="2 columns named '1'; keep one"):
        OneForMany(lambda given: np.zeros(len(given)), max_changes=1, share="point").explain(frame)


def test_columns_of_several_levels_are_refused():
    frame = FRAME[["age", "income"]]
    frame.columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    with pytest.raises(InputError, match="columns of several levels; join"):
        OneForMany(lambda given: np.zeros(len(given)), max_changes=1, share="point").explain(frame)


@pytest.mark.parametrize("stranger", [np.zeros(3), [[1, 2]], {"age": [1]}, None, 7])
def test_what_is_not_a_frame_is_refused(stranger):
    with pytest.raises(InputError, match="must be a pandas DataFrame"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(stranger)


@pytest.mark.parametrize("frames", [[FRAME, FRAME], (pl.from_pandas(FRAME),)])
def test_a_list_of_frames_is_refused_with_the_way_to_have_them_read_in_batches(frames):
    words = rf"the rows are a {type(frames).__name__} of frames; .* give iter\(frames\)"
    with pytest.raises(InputError, match=words):
        OneForMany(pipeline(), max_changes=2, share="point").explain(frames)


def test_several_outputs_are_refused():
    ragged = np.stack([TARGET, np.arange(len(TARGET)) % 3], axis=1)
    for targets in (ragged, ragged % 2):
        model = RandomForestClassifier(2).fit(FRAME[["age", "income"]], targets)
        with pytest.raises(UnsupportedModelError, match="predicts 2 outputs; fit one model for each"):
            OneForMany(model, max_changes=2, share="point").explain(FRAME)


def test_further_columns_are_kept_as_they_are():
    frame = FRAME.assign(name=[f"n{n}" for n in range(len(FRAME))], list=[[n] for n in range(len(FRAME))])
    _, moved = explained(pipeline(), frame, read=lambda given: given.drop(columns=["name", "list"]))
    assert moved["name"].tolist() == frame.loc[moved.index, "name"].tolist()


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match="the frame lacks 'income'; add it"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(FRAME.drop(columns="income"))


def test_a_column_that_the_reference_data_lack_is_named():
    with pytest.raises(InputError, match="reference data lack the column 'income'"):
        OneForMany(pipeline(), max_changes=2, reference=FRAME.drop(columns="income"), share="point").explain(
            FRAME
        )


def test_infinite_numbers_are_named():
    frame = FRAME.copy()
    frame.loc[7, "income"] = np.inf
    with pytest.raises(InputError, match="column 'income', row 7: the number is infinite"):
        OneForMany(pipeline(), max_changes=2, share="point").explain(frame)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([1, "two"] * 30, "'odd' holds numbers and texts: the first of these texts is 'two' in row 1"),
        ([[1]] * 60, "'odd' holds mixed values|more than single values"),
        ([Decimal("1.5"), Decimal("2.5")] * 30, "'odd' holds decimal values; turn them into"),
        ([1 + 2j, 3j] * 30, "'odd' holds complex values"),
    ],
)
def test_values_that_are_no_single_kind_are_refused(column, words):
    with pytest.raises(InputError, match=words):
        OneForMany(lambda given: np.zeros(len(given)), max_changes=1, share="point").explain(
            FRAME.assign(odd=column)
        )


def test_texts_for_a_model_of_numbers_are_refused():
    model = LogisticRegression(max_iter=1000).fit(FRAME[["age", "income"]], TARGET)
    with pytest.raises(InputError, match="'age' holds texts, which LogisticRegression cannot read"):
        OneForMany(model, max_changes=2, share="point").explain(FRAME.assign(age="old"))


def test_numbers_written_as_texts_are_refused():
    model = LogisticRegression(max_iter=1000).fit(FRAME[["age", "income"]], TARGET)
    with pytest.raises((InputError, ValueError), match=r"texts|string"):
        OneForMany(model, max_changes=2, share="point").explain(
            FRAME.assign(age=FRAME["age"].astype(str) + " years")
        )


def test_very_large_and_very_small_numbers_are_read():
    frame = FRAME[["age", "income"]].assign(income=FRAME["income"] * 1e12, age=FRAME["age"] * 1e-9)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, TARGET)
    explained(model, frame)


def test_one_distinct_number_in_every_row_still_gives_groups():
    frame = pd.DataFrame({"x": np.linspace(0, 1, 80), "y": np.linspace(1, 0, 80) ** 2})
    model = LogisticRegression().fit(frame, (frame["x"] > 0.5).astype(int))
    result, _ = explained(model, frame, max_changes=1)
    assert result.count <= 8


def test_bins_of_the_pipeline_are_the_cells():
    steps = make_column_transformer(
        (KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"), ["age", "income"])
    )
    model = make_pipeline(steps, LogisticRegression()).fit(FRAME, TARGET)
    result, _ = explained(model, FRAME, read=lambda given: given)
    assert result.schema.levels == (4, 4, 1, 1)


def test_wishes_for_a_column_of_texts_are_refused():
    with pytest.raises(InputError, match="edges are given for column 'job' of category values; leave it out"):
        OneForMany(pipeline(), max_changes=2, cells=Cells(edges={"job": [1, 2]}), share="point").explain(
            FRAME
        )


def test_targets_that_are_one_value_are_refused():
    with pytest.raises(InputError, match="targets of 'age' must be a list of values or a dict"):
        OneForMany(pipeline(), max_changes=2, cells=Cells(targets={"age": 30}), share="point").explain(FRAME)


def test_a_number_of_bins_concerns_only_columns_that_the_model_reads():
    numbers = FRAME[["age", "income"]]
    model = LogisticRegression(max_iter=1000).fit(numbers, TARGET)
    result = OneForMany(model, max_changes=2, cells=Cells(bins=3), share="point").explain(
        FRAME.assign(number=range(len(FRAME)))
    )
    assert (
        result.count
        == OneForMany(model, max_changes=2, cells=Cells(bins=3), share="point").explain(numbers).count
    )


def test_targets_of_columns_on_which_nothing_depends_or_which_hold_dates_do_no_harm():
    frame, model = with_names(FRAME), dropping()
    result = OneForMany(
        model, max_changes=2, cells=Cells(targets={"name": ["person 1"]}), share="point"
    ).explain(frame)
    assert (model.predict(result.apply(frame)) == 1).all()
    with pytest.raises(InputError, match="'born' holds dates or times"):
        OneForMany(
            model, max_changes=2, cells=Cells(targets={"born": [frame["born"][0]]}), share="point"
        ).explain(frame)


def test_rules_may_name_values_in_cells():
    result, moved = explained(pipeline(), FRAME, rules=[NeverTarget("job", ["full"])])
    assert not ((moved["job"] == "full") & (FRAME.loc[moved.index, "job"] != "full")).any()
    assert result.problem["rows"]


def test_a_cell_offers_a_number_that_the_rules_allow_if_it_has_one():
    frame = pd.DataFrame({"amount": [200, 300, 500, 800, 1100, 1200, 1300, 3000, 4000]})
    rules = [Range("amount", low=1000), Range("amount", high=1250)]
    asked = {"rules": rules, "cells": Cells(edges={"amount": [1500]})}
    result = OneForMany(
        lambda rows: (rows["amount"] < 2000) * 1.0, max_changes=1, share="point", **asked
    ).explain(frame)
    assert result.apply(frame)["amount"].tolist() == [1100, 1100]
    free = OneForMany(
        lambda rows: (rows["amount"] < 2000) * 1.0, max_changes=1, cells=asked["cells"], share="point"
    ).explain(frame)
    assert free.schema.features[0].targets == (800, 3000)


def test_an_unfitted_model_and_a_regressor_are_refused():
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        OneForMany(LogisticRegression(), max_changes=1, share="point").explain(FRAME)
    with pytest.raises(OneForManyError):
        OneForMany(LogisticRegression, max_changes=1, share="point").explain(FRAME)


def with_names(frame):
    """Columns that a pipeline was given and drops: whatever they hold, nothing depends on them."""
    people = [f"person {number}" for number in range(len(frame))]
    born = pd.Timestamp("1990-01-01") + pd.to_timedelta(np.arange(len(frame)), "D")
    return frame.assign(name=people, born=born, notes=[[1, 2]] * len(frame))


def dropping():
    steps = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["job"]))
    return make_pipeline(steps, LogisticRegression()).fit(with_names(FRAME), TARGET)


def test_columns_that_a_pipeline_drops_may_hold_anything(tmp_path):
    frame, model = with_names(FRAME), dropping()
    result = OneForMany(
        model, max_changes=2, share="action", rules=[Immutable("name")], reference=frame
    ).explain(frame)
    plain = make_pipeline(*(step for _, step in model.steps)).fit(FRAME, TARGET)
    assert (
        result.count == OneForMany(plain, max_changes=2, share="action", reference=FRAME).explain(FRAME).count
    )
    assert (model.predict(result.apply(frame)) == 1).all()
    assert result.schema.features[result.schema.index("born")].levels == ("any value",)
    new = frame[model.predict(frame) == 0].assign(name="somebody new", born=pd.NaT)
    assert result.assign(new, model=model).tolist() == [n for n in result.assignment if n >= 0]
    result.to_json(tmp_path / "result.json")
    assert verify(tmp_path / "result.json").outcome == "confirmed"


def test_a_column_that_looks_like_the_names_of_rows_is_told_unless_it_stays():
    frame = pd.concat([FRAME] * 5, ignore_index=True)
    frame["name"] = [f"person {number}" for number in range(len(frame))]

    def score(rows):
        return np.where(rows["age"] > 30, 0.9, 0.1)

    with pytest.warns(UserWarning, match="column 'name' has .* different values .* make it the index"):
        OneForMany(score, max_changes=1, share="action").explain(frame, time_limit=2)
    assert (
        OneForMany(score, max_changes=1, share="action", rules=[Immutable("name")]).explain(frame).count == 1
    )


@pytest.mark.parametrize("classifier", [LogisticRegression(), SVC()])
def test_columns_that_a_pipeline_drops_may_be_lacking(classifier):
    steps = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["age", "income"]))
    names = ["name", "job", "born", "income", "age"]  # some come before those that are read
    frame = with_names(FRAME)[names]
    model = make_pipeline(steps, classifier).fit(frame, TARGET)
    labelled, plain = (
        frame.set_index("name").drop(columns="born"),
        OneForMany(model, max_changes=2, share="action"),
    )
    result = plain.explain(labelled)
    assert result.schema.names == ("job", "income", "age")
    assert (model.predict(result.apply(labelled)) == 1).all()
    assert result.count == plain.explain(frame).count
    known = OneForMany(model, max_changes=2, share="action", reference=labelled).explain(frame)
    assert (model.predict(known.apply(frame)) == 1).all()
    with pytest.raises(InputError, match="lacks 'income'"):
        plain.explain(labelled.drop(columns="income"))


@pytest.mark.parametrize("classifier", [SVC(), CalibratedClassifierCV(LogisticRegression(), cv=2)])
def test_columns_that_an_unread_pipeline_drops_may_hold_anything(classifier):
    frame = with_names(FRAME)
    steps = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["job"]))
    model = make_pipeline(steps, classifier).fit(frame, TARGET)
    for asked in [model, GridSearchCV(model, {}, cv=2).fit(frame, TARGET)]:
        result, _ = explained(asked, frame, max_changes=1, share="action")
        assert "black box" in result.summary()
        assert result.schema.features[result.schema.index("born")].levels == ("any value",)


@pytest.mark.parametrize("chosen", [[0, 1], slice(0, 2), slice("age", "income"), [True, True, *[False] * 4]])
def test_columns_that_a_pipeline_drops_are_known_however_the_others_were_chosen(chosen):
    frame = with_names(FRAME[["age", "income", "job"]])
    model = make_pipeline(ColumnTransformer([("numbers", StandardScaler(), chosen)]), LogisticRegression())
    result, _ = explained(model.fit(frame, TARGET), frame, max_changes=2, share="action")
    unread = [feature.name for feature in result.schema.features if feature.levels == ("any value",)]
    assert unread == ["job", "name", "born", "notes"]


def test_columns_are_chosen_by_their_place_where_names_are_numbers():
    frame = pd.DataFrame({1: FRAME["age"], 0: with_names(FRAME)["born"]})
    model = make_pipeline(ColumnTransformer([("age", StandardScaler(), [0])]), LogisticRegression())
    result, _ = explained(model.fit(frame, TARGET), frame, max_changes=1, share="action")
    assert [feature.name for feature in result.schema.features if feature.n_levels > 1] == ["1"]


def test_columns_that_a_pipeline_drops_make_no_rows_distinct():
    frame = pd.concat([FRAME, FRAME], ignore_index=True)
    frame = with_names(frame).drop(columns="notes")
    model = make_pipeline(*(step for _, step in dropping().steps)).fit(frame, np.tile(TARGET, 2))
    refused = int((model.predict(frame) == 0).sum())
    result = OneForMany(model, max_changes=2, share="action", reference=frame).explain(iter([frame]))
    assert (len(result.assignment), result.people) == (refused // 2, refused)


def test_a_missing_value_that_the_model_cannot_read_is_named():
    model = make_pipeline(
        make_column_transformer((SimpleImputer(), ["age"]), (StandardScaler(), ["income"])),
        LogisticRegression(),
    ).fit(FRAME, TARGET)
    frame = FRAME.set_axis([f"p{number}" for number in range(len(FRAME))], axis=0).astype({"age": float})
    frame.iloc[3, 0] = np.nan
    frame.iloc[5, 1] = np.nan
    with pytest.raises(InputError, match="column 'income', row p5: the value is missing, and the model does"):
        OneForMany(model, max_changes=2, share="point").explain(frame)


def test_a_row_alone_is_told_where_other_values_come_from():
    model = pipeline()
    refused = FRAME[model.predict(FRAME) == 0].head(1)
    alone = OneForMany(model, max_changes=2, share="point").explain(refused)
    assert alone.status == "infeasible"
    assert "no column has another value to go to; reference data would offer some" in alone.summary()
    assert OneForMany(model, max_changes=3, reference=FRAME, share="point").explain(refused).covered == 1


def test_a_path_without_a_file_is_named():
    with pytest.raises(InputError, match=r"there is no file 'model\.onnx'; a model that is a path"):
        OneForMany("model.onnx", max_changes=2, share="point").explain(FRAME)


def test_a_target_that_is_a_text_in_a_column_of_numbers_is_told():
    frame = pd.DataFrame({"income": np.arange(40.0), "debts": np.arange(40) % 3})
    model = LogisticRegression().fit(frame, frame["income"] > 20)
    with pytest.raises(InputError, match="targets of 'income' must be numbers, as the column is, not 'rich'"):
        OneForMany(model, max_changes=1, cells=Cells(targets={"income": ["rich"]}), share="point").explain(
            frame
        )


def three_classes():
    frame = pd.DataFrame({"a": [0, 1, 2, 0, 1, 2] * 5, "b": [0, 0, 0, 1, 1, 1] * 5})
    return frame, LogisticRegression(C=100).fit(frame, frame["a"])


def test_of_more_than_two_classes_the_positive_one_has_to_be_named():
    frame, model = three_classes()
    with pytest.raises(InputError, match=r"tells 3 classes apart \(0, 1, 2\); name the positive one"):
        OneForMany(model, max_changes=1, share="point").explain(frame)
    explainer = OneForMany(model, max_changes=1, positive=2, share="point")
    result = explainer.explain(frame)
    assert (model.predict(result.apply(frame)) == 2).all()
    assert result.problem["model"]["positive"] == 2
    # The model alone is asked about the class that the rows were explained for.
    assert result.assign(frame, model).tolist() == result.assign(frame, explainer).tolist()
    assert (result.assign(frame, model) < 0).tolist() == (frame["a"] == 2).tolist()


def test_an_array_of_numbers_is_a_frame_whose_columns_are_numbered():
    frame, _ = three_classes()
    rows, labels = frame.to_numpy(), (frame["a"] + frame["b"] > 1).astype(int)
    model = LogisticRegression(C=100).fit(rows, labels)
    result = OneForMany(model, max_changes=2, share="point").explain(rows)
    assert result.status == "optimal"
    assert model.predict(result.apply(rows).to_numpy()).all()
    with pytest.raises(InputError, match="not ndarray"):
        OneForMany(model, max_changes=2, share="point").explain(rows[:, 0])
