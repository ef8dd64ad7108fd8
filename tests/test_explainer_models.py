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

from oneformany.datasets import load
from oneformany.exceptions import InputError, PredictionMismatchError
from oneformany.explainer import OneForMany
from oneformany.readers.callables import BlackBox
from oneformany.result.result import Result
from oneformany.schema import Feature, Immutable, OnlyIncrease, Schema, infer_schema

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
    result = OneForMany(model, 4, threshold, GERMAN.schema).explain(ROWS)
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
    model = make_pipeline(steps, classifier).fit(GERMAN.frame, GERMAN.target)
    explainer = OneForMany(model, 6)
    result = explainer.explain(ROWS)
    refused = model.predict(ROWS) == 0
    assert result.status == "optimal"
    assert result.problem["rows"] == np.flatnonzero(refused).tolist()
    assert (model.predict(result.schema.decode(points_of(result))[list(ROWS)]) == 1).all()
    check_groups(result, result.schema.encode(ROWS), 6)
    assert len(explainer.blurred_rows_) == 0


def test_a_pipeline_that_bins_numbers_has_its_bins_as_levels():
    bins = KBinsDiscretizer(3, strategy="uniform")
    steps = make_column_transformer(number_columns(bins), text_columns(OneHotEncoder()))
    model = make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(GERMAN.frame, GERMAN.target)
    explainer = OneForMany(model, 4)
    result = explainer.explain(ROWS)
    assert result.status == "optimal"
    assert result.schema.features[result.schema.index("amount")].n_levels == 3
    assert len(explainer.blurred_rows_) == 0
    assert explainer.explained_rows_.tolist() == np.flatnonzero(model.predict(ROWS) == 0).tolist()


@pytest.fixture(scope="module")
def pipeline():
    steps = make_column_transformer(number_columns(StandardScaler()), text_columns(OneHotEncoder()))
    return make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(GERMAN.frame, GERMAN.target)


def test_rows_about_whose_own_numbers_the_model_decides_otherwise_are_named(pipeline):
    explainer = OneForMany(pipeline, 4, schema=GERMAN.schema)
    with pytest.warns(UserWarning, match=r"otherwise about the own numbers of \d+ rows \(\d+, .* finer bins"):
        result = explainer.explain(ROWS)
    assert result.status == "optimal"
    refused = np.flatnonzero(pipeline.predict(ROWS) == 0)
    explained, blurred = set(explainer.explained_rows_), set(explainer.blurred_rows_)
    assert explainer.positive_rows_.tolist() == np.flatnonzero(pipeline.predict(ROWS) == 1).tolist()
    assert explained | blurred == {*refused}
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        point = result.explanations[place].point
        moved = ROWS.iloc[[row]].copy()
        for feature in np.flatnonzero(GERMAN.codes[row] != point):
            name = GERMAN.schema.names[feature]
            level = GERMAN.schema.features[feature]
            inside = ROWS[name][[level.find(value) == point[feature] for value in ROWS[name]]].sort_values()
            moved[name] = (
                level.levels[point[feature]] if not level.binned else inside.iloc[(len(inside) - 1) // 2]
            )
        assert (pipeline.predict(moved)[0] == 1) == (row not in blurred)


def test_fine_bins_blur_nothing():
    rows = ROWS.drop(columns=["duration", "amount", "age"])
    steps = make_column_transformer(number_columns(StandardScaler()), text_columns(OneHotEncoder()))
    model = make_pipeline(steps, LogisticRegression(max_iter=1000)).fit(
        GERMAN.frame[list(rows)], GERMAN.target
    )
    edges = {"residence": [1, 2, 3], "installment_rate": [1, 2, 3]}
    explainer = OneForMany(model, 3, schema=infer_schema(rows, edges=edges))
    assert explainer.explain(rows).status == "optimal"
    assert len(explainer.blurred_rows_) == 0


def test_bins_in_which_every_refused_row_is_accepted_are_refused():
    frame = pd.DataFrame({"income": [1.0, 9.0, 9.5, 10.0]})
    model = make_pipeline(StandardScaler(), LogisticRegression(C=100)).fit(frame, [0, 1, 1, 1])
    schema = infer_schema(frame, edges={"income": [20]})
    with pytest.raises(InputError, match="turns 1 rows down, but accepts all of them once the numbers"):
        OneForMany(model, 1, schema=schema).explain(frame)


def test_rules_hold_for_pipelines(pipeline):
    rules = [Immutable("purpose"), OnlyIncrease("duration"), OnlyIncrease("age")]
    result = OneForMany(pipeline, 8, rules=rules).explain(ROWS)
    codes = result.schema.encode(ROWS)
    purpose, duration, age = (result.schema.index(rule.feature) for rule in rules)
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        if place >= 0:
            point = result.explanations[place].point
            assert point[purpose] == codes[row, purpose]
            assert point[duration] >= codes[row, duration]
            assert point[age] >= codes[row, age]


def test_an_explainable_boosting_machine_is_explained_with_proof():
    model = ExplainableBoostingClassifier(
        interactions=4, outer_bags=1, max_rounds=40, n_jobs=1, random_state=0
    ).fit(GERMAN.frame, GERMAN.target)
    result = OneForMany(model, 5).explain(ROWS)
    assert result.status == "optimal"
    assert result.problem["rows"] == np.flatnonzero(model.predict(ROWS) == 0).tolist()
    assert (model.predict(result.schema.decode(points_of(result))[list(ROWS)]) == 1).all()


SMALL = ["checking_account", "savings", "housing", "telephone"]


def test_a_function_on_few_features_is_explained_with_proof():
    frame = GERMAN.frame[SMALL]
    encoder = OneHotEncoder(sparse_output=False).fit(frame)
    model = KNeighborsClassifier(25).fit(encoder.transform(frame), GERMAN.target)

    def chance(rows):
        return model.predict_proba(encoder.transform(rows))

    result = OneForMany(chance, 2, threshold=0.6).explain(frame.head(60))
    assert result.status == "optimal"
    assert result.problem["rows"] == np.flatnonzero(chance(frame.head(60))[:, 1] < 0.6).tolist()
    assert (chance(result.schema.decode(points_of(result)))[:, 1] >= 0.6).all()
    assert result.problem["oracle"]["unanswered"] == 0


def test_a_function_on_many_features_is_feasible_when_something_stays_open():
    model = LogisticRegression(solver="liblinear").fit(GERMAN.one_hot, GERMAN.target)
    schema = GERMAN.schema

    def chance(rows):
        return model.predict_proba(schema.one_hot(schema.encode(rows)))[:, 1]

    proved = OneForMany(model, 2, 0.9, schema).explain(ROWS)
    asked = OneForMany(BlackBox(chance, largest_box=50), 2, 0.9, schema).explain(ROWS)
    assert proved.status == "optimal"
    assert proved.unreachable
    assert asked.status == "feasible"
    assert asked.problem["oracle"]["unanswered"] > 0
    beyond_help = {entry.row for entry in asked.unreachable}
    assert beyond_help <= {entry.row for entry in proved.unreachable} <= beyond_help | {*asked.undecided}
    assert asked.lower_bound <= proved.count
    assert (chance(schema.decode(points_of(asked))) >= 0.9).all()
    enough = OneForMany(BlackBox(chance, largest_box=5000), 2, 0.9, schema).explain(ROWS)
    assert (enough.status, enough.count) == ("optimal", proved.count)
    assert enough.problem["oracle"]["unanswered"] == 0


def test_a_function_that_changes_its_mind_is_noticed():
    asked = set()

    def moody(rows):
        chances = [0.1 if row in asked else 0.3 * row[0] for row in rows.itertuples(index=False)]
        asked.update(rows.itertuples(index=False))
        return np.array(chances)

    frame = pd.DataFrame({"a": [0, 1, 2], "b": [0, 1, 2]})
    with pytest.raises(PredictionMismatchError, match="not positive by the model's own prediction"):
        OneForMany(moody, 1).explain(frame)


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_one_of_several_classes_may_be_the_positive_one():
    target = GERMAN.frame["housing"]
    schema = Schema(tuple(feature for feature in GERMAN.schema.features if feature.name != "housing"))
    data = schema.one_hot(schema.encode(GERMAN.frame))
    for model in (
        LogisticRegression(max_iter=1000).fit(data, target),
        MLPClassifier((5,), random_state=0).fit(data, target),
    ):
        result = OneForMany(model, 6, schema=schema, positive="own").explain(GERMAN.frame.head(80))
        assert result.status == "optimal"
        assert set(model.predict(schema.one_hot(points_of(result)))) == {"own"}
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(data, target)
    result = OneForMany(forest, 6, 0.6, schema, positive="own").explain(GERMAN.frame.head(80))
    place = forest.classes_.tolist().index("own")
    assert (forest.predict_proba(schema.one_hot(points_of(result)))[:, place] >= 0.6).all()


def test_a_schema_made_by_hand_serves_a_function():
    schema = Schema((Feature("rooms", ("few", "many"), edges=(3,)), Feature("heated", ("no", "yes"))))
    frame = pd.DataFrame({"rooms": [1, 2, 2, 5, 8, 9], "heated": ["no", "no", "yes", "no", "no", "yes"]})

    def chance(rows):
        return 1 / (1 + np.exp(-(rows["rooms"] - 4.5 + 3 * (rows["heated"] == "yes")).to_numpy(float)))

    explainer = OneForMany(chance, 1, schema=schema)
    result = explainer.explain(frame)
    assert (result.status, result.count, len(explainer.blurred_rows_)) == ("optimal", 1, 0)
    assert points_of(result).tolist() == [[1, 0]]
