"""Tests of the front door with every kind of model: a few refused applicants of german credit."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oneformany import Feature, Immutable, OnlyDecrease, OnlyIncrease, Schema, infer_schema
from oneformany.datasets import load
from oneformany.exceptions import InputError, PredictionMismatchError
from oneformany.explainer import OneForMany
from oneformany.explainer.settings import Cells
from oneformany.readers.callables import BlackBox
from oneformany.result.result import Result

GERMAN = load("german")
ROWS = GERMAN.frame.head(40)


def text_columns(encoder):
    return (encoder, make_column_selector(dtype_exclude="number"))


def number_columns(step):
    return (step, make_column_selector(dtype_include="number"))


def points_of(result):
    return np.array([explanation.point for explanation in result.explanations])


def check_groups(result, codes, max_changes):
    """Every explained row becomes its point by changing what is named, and that is little enough."""
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        explanation = result.explanations[place]
        assert set(np.flatnonzero(codes[row] != explanation.point)) <= set(explanation.changed)
        assert len(explanation.changed) <= max_changes


ON_COLUMNS = {
    "logistic regression": LogisticRegression(solver="liblinear"),
    "network": MLPClassifier((10,), random_state=0),
    "forest": RandomForestClassifier(30, max_depth=4, class_weight="balanced", random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=20),
    "xgboost": xgboost.XGBClassifier(n_estimators=20, max_depth=4, n_jobs=1),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1),
}


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("name", ON_COLUMNS)
@pytest.mark.parametrize("threshold", [None, 0.6])
def test_models_on_one_hot_columns_are_explained_with_proof(name, threshold):
    model = ON_COLUMNS[name].fit(GERMAN.one_hot, GERMAN.target)
    result = OneForMany(
        model, max_changes=4, threshold=threshold, cells=GERMAN.schema, share="point"
    ).explain(ROWS)
    points = GERMAN.schema.one_hot(points_of(result))
    assert result.status == "optimal"
    chances = model.predict_proba(GERMAN.one_hot[:40])[:, 1]
    accepted = model.predict(GERMAN.one_hot[:40]) == 1 if threshold is None else chances >= threshold
    assert result.problem["rows"] == np.flatnonzero(~accepted).tolist()
    if threshold is None:
        assert (model.predict(points) == 1).all()
    else:
        assert (model.predict_proba(points)[:, 1] >= threshold).all()
    check_groups(result, GERMAN.codes, 4)
    assert Result.from_json(result.to_json()) == result


SOME = ["checking_account", "duration", "housing", "amount", "telephone"]
FEW = GERMAN.frame[SOME].head(40)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(max_iter=1000),
        RandomForestClassifier(20, max_depth=4, random_state=0),
        xgboost.XGBClassifier(n_estimators=10, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1),
    ],
)
def test_pipelines_on_original_columns_are_explained_with_proof(classifier):
    steps = make_column_transformer(number_columns(StandardScaler()), text_columns(OneHotEncoder()))
    model = make_pipeline(steps, classifier).fit(GERMAN.frame[SOME], GERMAN.target)
    result = OneForMany(model, max_changes=2, share="point").explain(FEW)
    refused = model.predict(FEW) == 0
    assert result.problem["rows"] == np.flatnonzero(refused).tolist()
    moved = result.apply(FEW)
    assert (model.predict(moved) == 1).all()
    assert (moved.dtypes == FEW.dtypes).all()
    check_groups(result, result.schema.encode(FEW), 2)


def test_a_pipeline_that_bins_numbers_has_its_bins_as_levels():
    bins = KBinsDiscretizer(3, strategy="uniform")
    steps = make_column_transformer(number_columns(bins), text_columns(OneHotEncoder()))
    model = make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(GERMAN.frame, GERMAN.target)
    result = OneForMany(model, max_changes=4, share="point").explain(ROWS)
    assert result.status == "optimal"
    assert result.schema.features[result.schema.index("amount")].n_levels == 3
    assert result.problem["rows"] == np.flatnonzero(model.predict(ROWS) == 0).tolist()
    assert (model.predict(result.apply(ROWS)) == 1).all()


@pytest.fixture(scope="module")
def pipeline():
    steps = make_column_transformer(number_columns(StandardScaler()), text_columns(OneHotEncoder()))
    return make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(GERMAN.frame[SOME], GERMAN.target)


def test_with_bins_every_refused_row_is_explained_and_accepted_after_following(pipeline):
    edges = {"duration": [12, 24], "amount": [2000, 5000]}
    result = OneForMany(pipeline, max_changes=2, cells=Cells(edges=edges), share="point").explain(FEW)
    assert [result.schema.features[result.schema.index(name)].edges for name in edges] == [
        (12, 24),
        (2000, 5000),
    ]
    refused = np.flatnonzero(pipeline.predict(FEW) == 0)
    assert result.problem["rows"] == refused.tolist()
    covered = sum(place >= 0 for place in result.assignment)
    assert covered + len(result.unreachable) == len(refused)
    assert (pipeline.predict(result.apply(FEW)) == 1).all()
    same = OneForMany(pipeline, max_changes=2, cells=infer_schema(FEW, edges=edges), share="point").explain(
        FEW
    )
    assert same.count == result.count


def test_a_tree_has_the_same_count_with_its_own_cells_as_with_its_thresholds_by_hand():
    frame = GERMAN.frame[["duration", "amount", "age"]]
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, GERMAN.target)
    own = OneForMany(model, max_changes=2, share="point").explain(frame)
    found = {name: set() for name in frame}
    for column, threshold in zip(model.tree_.feature, model.tree_.threshold, strict=True):
        if column >= 0:
            found[frame.columns[column]].add(float(threshold))
    by_hand = {name: sorted(cuts) for name, cuts in found.items() if cuts}
    assert {name for name in frame if name not in by_hand} == {
        feature.name for feature in own.schema.features if feature.n_levels == 1
    }
    same = OneForMany(model, max_changes=2, cells=Cells(edges=by_hand), share="point").explain(frame)
    assert (own.status, own.count, own.lower_bound) == (same.status, same.count, same.lower_bound)
    assert own.status == "optimal"
    assert (model.predict(own.apply(frame)) == 1).all()


def test_rules_hold_for_pipelines(pipeline):
    rules = [Immutable("housing"), OnlyIncrease("duration"), OnlyDecrease("amount")]
    result = OneForMany(pipeline, max_changes=3, rules=rules, share="point").explain(FEW)
    codes = result.schema.encode(FEW)
    housing, duration, amount = (result.schema.index(rule.feature) for rule in rules)
    assert any(place >= 0 for place in result.assignment)
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        if place >= 0:
            point = result.explanations[place].point
            assert point[housing] == codes[row, housing]
            assert point[duration] >= codes[row, duration]
            assert point[amount] <= codes[row, amount]


def test_an_explainable_boosting_machine_is_explained_with_proof():
    model = ExplainableBoostingClassifier(
        interactions=2, outer_bags=1, max_rounds=40, n_jobs=1, random_state=0
    ).fit(GERMAN.frame[SOME], GERMAN.target)
    result = OneForMany(model, max_changes=2, threshold=0.6, share="point").explain(FEW)
    refused = np.flatnonzero(model.predict_proba(FEW)[:, 1] < 0.6)
    assert result.problem["rows"] == refused.tolist()
    assert (model.predict_proba(result.apply(FEW))[:, 1] >= 0.6).all()


SMALL = ["checking_account", "savings", "housing", "telephone"]


def test_a_function_on_few_features_is_explained_with_proof():
    frame = GERMAN.frame[SMALL]
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    model = KNeighborsClassifier(25).fit(encoder.transform(frame), GERMAN.target)

    def chance(rows):
        return model.predict_proba(encoder.transform(rows))

    result = OneForMany(chance, max_changes=2, threshold=0.6, share="point").explain(frame.head(60))
    assert result.status == "optimal"
    assert result.problem["rows"] == np.flatnonzero(chance(frame.head(60))[:, 1] < 0.6).tolist()
    assert (chance(result.schema.decode(points_of(result)))[:, 1] >= 0.6).all()
    assert result.problem["oracle"]["unanswered"] == 0


def test_a_function_on_many_features_is_feasible_when_something_stays_open():
    model = LogisticRegression(solver="liblinear").fit(GERMAN.one_hot, GERMAN.target)
    schema = GERMAN.schema
    everybody = schema.decode(GERMAN.codes).astype(str)
    some = everybody.head(40)

    def chance(rows):
        return model.predict_proba(schema.one_hot(schema.encode(rows)))[:, 1]

    def explained(largest_box):
        box = BlackBox(chance, largest_box=largest_box)
        return OneForMany(box, max_changes=2, threshold=0.9, reference=everybody, share="point").explain(some)

    proved = OneForMany(model, max_changes=2, threshold=0.9, cells=schema, share="point").explain(ROWS)
    asked = explained(50)
    assert len(proved.unreachable) > 0
    assert asked.status == "feasible"
    assert asked.problem["oracle"]["unanswered"] > 0
    assert asked.lower_bound <= proved.count
    assert (chance(asked.apply(some)) >= 0.9).all()
    enough = explained(5000)
    assert (enough.count, len(enough.unreachable)) == (proved.count, len(proved.unreachable))
    assert enough.problem["oracle"]["unanswered"] == 0


def test_a_function_that_changes_its_mind_is_noticed():
    calls = []

    def moody(rows):
        calls.append(len(rows))
        return rows["a"].to_numpy() * (0.3 if len(calls) < 5 else 0.1)

    frame = pd.DataFrame({"a": [0, 1, 2], "b": [0, 1, 2]})
    with pytest.raises(PredictionMismatchError, match="not positive by the model's own"):
        OneForMany(moody, max_changes=1, share="point").explain(frame)


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_one_of_several_classes_may_be_the_positive_one():
    target = GERMAN.frame["housing"]
    schema = Schema(tuple(feature for feature in GERMAN.schema.features if feature.name != "housing"))
    data = schema.one_hot(schema.encode(GERMAN.frame))
    for model in (
        LogisticRegression(max_iter=1000).fit(data, target),
        MLPClassifier((5,), random_state=0).fit(data, target),
    ):
        result = OneForMany(model, max_changes=6, positive="own", cells=schema, share="point").explain(
            GERMAN.frame.head(80)
        )
        assert result.status == "optimal"
        assert set(model.predict(schema.one_hot(points_of(result)))) == {"own"}
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(data, target)
    result = OneForMany(
        forest, max_changes=6, threshold=0.6, positive="own", cells=schema, share="point"
    ).explain(GERMAN.frame.head(80))
    place = forest.classes_.tolist().index("own")
    assert (forest.predict_proba(schema.one_hot(points_of(result)))[:, place] >= 0.6).all()


def test_a_schema_made_by_hand_serves_a_function():
    schema = Schema((Feature("rooms", ("few", "many"), edges=(3,)), Feature("heated", ("no", "yes"))))
    frame = pd.DataFrame({"rooms": [1, 2, 2, 5, 8, 9], "heated": ["no", "no", "yes", "no", "no", "yes"]})

    def chance(rows):
        return 1 / (1 + np.exp(-(rows["rooms"] - 4.5 + 3 * (rows["heated"] == "yes")).to_numpy(float)))

    result = OneForMany(chance, max_changes=1, cells=schema, share="point").explain(frame)
    assert (result.status, result.count) == ("optimal", 1)
    assert result.apply(frame)["rooms"].tolist() == [8, 8]
    assert points_of(result).tolist() == [[1, 0]]


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_boosters_read_columns_by_their_names_in_any_order_beside_others_and_within_a_schema(library):
    frame, target = GERMAN.frame[["duration", "amount", "age"]], GERMAN.target
    if library == "xgboost":
        booster = xgboost.XGBClassifier(n_estimators=5, max_depth=3).fit(frame, target).get_booster()
        refused = booster.predict(xgboost.DMatrix(frame)) < 0.5
    else:
        booster = lightgbm.LGBMClassifier(n_estimators=9, verbose=-1, n_jobs=1).fit(frame, target).booster_
        refused = booster.predict(frame) < 0.5
    assert refused.any()
    for given in (frame, frame[["age", "amount", "duration"]], frame.assign(note="none")[::-1]):
        result = OneForMany(booster, max_changes=1, share="point").explain(given)
        assert set(result.index) == set(np.flatnonzero(refused))
    within = OneForMany(booster, max_changes=1, cells=infer_schema(frame), share="point").explain(frame)
    assert set(within.index) == set(np.flatnonzero(refused))
    with pytest.raises(InputError, match="Booster was fitted on 3 columns, the frame lacks 'amount'"):
        OneForMany(booster, share="point").explain(frame.drop(columns="amount"))


def test_lightgbm_fitted_on_an_array_reads_columns_by_number_unless_they_are_called_so():
    frame, target = GERMAN.frame[["duration", "amount", "age"]], GERMAN.target
    options = {"n_estimators": 9, "verbose": -1, "n_jobs": 1}
    booster = lightgbm.LGBMClassifier(**options).fit(frame.to_numpy(), target).booster_
    refused = set(np.flatnonzero(booster.predict(frame.to_numpy()) < 0.5))
    called = frame.set_axis(["Column_0", "Column_1", "Column_2"], axis=1)
    for given in (frame, called, called[["Column_2", "Column_0", "Column_1"]]):
        assert set(OneForMany(booster, max_changes=1, share="point").explain(given).index) == refused
