import warnings

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn import feature_selection, impute, preprocessing
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC, LinearSVC, NuSVC

from oneformany import Feature, Schema, infer_schema
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.readers.columns import Rows, probe
from oneformany.readers.inputs import ENCODERS, SELECTORS
from oneformany.readers.registry import read_model
from reference_points import brute_force_points
from tree_questions import all_points

TEXTS = ["job", "home"]
NUMBERS = ["age", "debts"]


def rows_of(n=80, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "job": rng.choice(["none", "part", "full"], n),
            "home": rng.choice(["rent", "own"], n),
            "debts": rng.choice([0.0, 1.5, 2.25, 7.0], n),
        }
    )
    score = frame["age"] / 30 - frame["debts"] / 3 + (frame["job"] == "full") + rng.normal(0, 0.3, n)
    return frame, np.where(score > score.median(), "good", "bad")


def fitted(steps, classifier=None):
    last = LogisticRegression() if classifier is None else classifier
    return make_pipeline(*steps, last).fit(*rows_of())


def mixed(numbers, texts=None):
    return make_column_transformer((numbers, NUMBERS), (texts or OneHotEncoder(), TEXTS))


def agrees(model, reading, frame, threshold=None):
    """Whether the oracle, by codes, says of all rows what the pipeline says of the rows themselves."""
    codes = infer_schema(frame, bins=None).encode(frame)
    if threshold is None:
        own = model.predict(frame) == "good"
    else:
        own = model.predict_proba(frame)[:, list(model.classes_).index("good")] >= threshold
    return (reading.oracle.positive(codes) == own).all() and (reading.verdict(codes) == own).all()


STEPS = {
    "standard": [mixed(StandardScaler())],
    "min-max, dense": [mixed(MinMaxScaler(), OneHotEncoder(sparse_output=False, drop="if_binary"))],
    "robust, ordinal": [mixed(RobustScaler(), OrdinalEncoder())],
    "absolute, target": [mixed(MaxAbsScaler(), TargetEncoder(cv=2))],
    "bins": [mixed(KBinsDiscretizer(4, strategy="uniform"))],
    "bins as numbers": [mixed(KBinsDiscretizer(3, encode="ordinal", strategy="uniform"))],
    "binary": [mixed(Binarizer(threshold=40))],
    "imputed, then scaled": [mixed(make_pipeline(SimpleImputer(strategy="median"), StandardScaler()))],
    "power": [mixed(PowerTransformer())],
    "quantiles": [mixed(QuantileTransformer(n_quantiles=10))],
    "splines": [mixed(SplineTransformer(n_knots=3))],
    "logarithms": [mixed(FunctionTransformer(np.log1p))],
    "nothing": [mixed(FunctionTransformer())],
    "passed through": [mixed("passthrough")],
    "dropped": [mixed("drop")],
    "selected": [mixed(StandardScaler(), OneHotEncoder(sparse_output=False)), VarianceThreshold(0.1)],
    "the best": [mixed(StandardScaler()), SelectKBest(k=4)],
    "scaled again": [mixed(StandardScaler()), MaxAbsScaler(), "passthrough"],
    "remainder": [
        ColumnTransformer(
            [("texts", OneHotEncoder(), make_column_selector(dtype_exclude="number"))],
            remainder=MinMaxScaler(),
        )
    ],
    "by place": [
        ColumnTransformer([("numbers", "passthrough", [0, 3]), ("texts", OneHotEncoder(), slice(1, 3))])
    ],
    "as a frame": [
        mixed(StandardScaler(), OneHotEncoder(sparse_output=False)).set_output(transform="pandas")
    ],
    "union": [
        mixed(
            FeatureUnion(
                [
                    ("scaled", StandardScaler()),
                    ("missing", impute.MissingIndicator(features="all")),
                    ("binary", make_pipeline(MinMaxScaler(), Binarizer(threshold=0.5))),
                ]
            )
        )
    ],
    "single precision": [mixed(FunctionTransformer(np.sqrt), OneHotEncoder(dtype=np.float32))],
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_read_with_and_without_a_schema(name):
    frame, _ = rows_of()
    model = fitted(STEPS[name])
    reading = read_model(model, None, None, "good", frame)
    assert agrees(model, reading, frame)
    assert agrees(model, read_model(model, None, 0.7, "good", frame), frame, 0.7)
    exact = infer_schema(frame, bins=None)
    assert agrees(model, read_model(model, exact, None, "good", None), frame)


CLASSIFIERS = {
    "support vectors": LinearSVC(random_state=0),
    "linear kernel": SVC(kernel="linear"),
    "network": MLPClassifier((5,), max_iter=5000, tol=1e-2, random_state=0),
    "forest": RandomForestClassifier(10, random_state=0),
    "nested": make_pipeline(MaxAbsScaler(), LogisticRegression()),
    "searched": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_any_classifier_may_stand_at_the_end(name):
    frame, _ = rows_of()
    model = fitted([mixed(StandardScaler())], CLASSIFIERS[name])
    assert agrees(model, read_model(model, None, None, "good", frame), frame)


@pytest.mark.parametrize(
    "classifier", [SVC(), NuSVC(kernel="poly"), SVC(kernel="linear", probability=True, random_state=0)]
)
def test_other_kernels_and_probabilities_of_support_vectors_are_not_read(classifier):
    frame, _ = rows_of()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = fitted([mixed(StandardScaler())], classifier)
    with pytest.raises(
        UnsupportedModelError, match="is read with kernel='linear', probability=False and two"
    ):
        read_model(model, None, None, "good", frame)


def test_boosting_and_naive_bayes_may_stand_at_the_end():
    frame, _ = rows_of()
    dense = mixed("passthrough", OneHotEncoder(sparse_output=False))
    model = fitted([dense], HistGradientBoostingClassifier(max_iter=10))
    assert agrees(model, read_model(model, None, None, "good", frame), frame)
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    model = fitted([mixed(bins, OrdinalEncoder())], CategoricalNB())
    assert agrees(model, read_model(model, None, None, "good", frame), frame)


@pytest.mark.parametrize("sparse", [0.0, 1.0])
def test_what_a_sparse_matrix_leaves_out_is_missing_for_xgboost(sparse):
    frame, target = rows_of()
    steps = make_column_transformer(
        ("passthrough", NUMBERS), (OneHotEncoder(), TEXTS), sparse_threshold=sparse
    )
    model = make_pipeline(steps, xgboost.XGBClassifier(n_estimators=20, n_jobs=1))
    model.fit(frame, target == "good")
    reading = read_model(model, None, None, 1, frame)
    codes = infer_schema(frame, bins=None).encode(frame)
    assert (reading.oracle.positive(codes) == model.predict(frame)).all()


def test_a_pipeline_fitted_on_an_array_reads_columns_by_their_place():
    frame, target = rows_of()
    model = make_pipeline(
        ColumnTransformer([("numbers", StandardScaler(), [0, 3]), ("texts", OneHotEncoder(), [1, 2])]),
        LogisticRegression(),
    ).fit(frame.to_numpy(), target)
    reading = read_model(model, None, None, "good", frame)
    codes = infer_schema(frame, bins=None).encode(frame)
    assert (reading.oracle.positive(codes) == (model.predict(frame.to_numpy()) == "good")).all()
    assert (reading.verdict(codes) == (model.predict(frame.to_numpy()) == "good")).all()


def test_a_pipeline_that_begins_with_nothing_knows_its_columns():
    frame, target = rows_of()
    model = Pipeline([("none", "passthrough"), ("model", LogisticRegression())]).fit(frame[NUMBERS], target)
    reading = read_model(model, None, None, "good", frame)
    assert reading.oracle.levels == infer_schema(frame[NUMBERS], bins=None).levels
    assert agrees(model, reading, frame[NUMBERS])


def test_with_bins_a_level_is_the_median_of_its_numbers():
    frame, _ = rows_of()
    model = fitted([mixed(StandardScaler())])
    schema = infer_schema(frame, edges={"age": [30, 50]})
    reading = read_model(model, schema, None, "good", frame)
    young = np.sort(frame["age"][frame["age"] <= 30])
    points = all_points(schema.levels)
    rows = Rows.of(schema, frame, model).frame(points)
    assert set(rows["age"][points[:, 0] == 0]) == {young[(len(young) - 1) // 2]}
    assert (reading.oracle.positive(points) == (model.predict(rows) == "good")).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("classifier", [LogisticRegression(), RandomForestClassifier(5, random_state=0)])
def test_solving_is_as_by_brute_force(classifier, seed):
    frame, target = rows_of(40, seed)
    model = make_pipeline(mixed(StandardScaler()), classifier).fit(frame, target)
    schema = infer_schema(frame, edges={"age": [25, 33, 50]})
    reading = read_model(model, schema, None, "good", frame)
    points = all_points(schema.levels)
    positive = model.predict(Rows.of(schema, frame, model).frame(points)) == "good"
    accepted = {tuple(point) for point in points[positive].tolist()}
    codes = schema.encode(frame)[:9]
    allowed = [np.triu(np.ones((4, 4))).tolist(), None, None, None]
    count, unreachable = brute_force_points(
        codes.tolist(), schema.levels, lambda point: point in accepted, 2, allowed
    )
    result = solve(Problem(codes, schema.levels, reading.oracle, 2, allowed))
    status = "infeasible" if len(unreachable) == len(codes) else "optimal"
    assert (result.status, result.count) == (status, count)
    assert tuple(entry.row for entry in result.unreachable) == unreachable


class Rank(TransformerMixin, BaseEstimator):
    """A step of somebody's own, which looks at all rows."""

    def fit(self, *_):
        self.fitted_ = True
        return self

    def transform(self, frame):
        return pd.DataFrame(frame).rank().to_numpy()


class Doubled(StandardScaler):
    """Might do anything in its transform."""


def total(frame):
    return np.asarray(frame) + np.asarray(frame).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PCA(1), r"/pipeline/pca' of the pipeline, PCA, may mix features; .* black box"),
        (PolynomialFeatures(), "PolynomialFeatures, may mix features"),
        (Normalizer(), "Normalizer, may mix features"),
        (KNNImputer(), "KNNImputer, may mix features"),
        (Rank(), "Rank, may mix features"),
        (Doubled(), "Doubled, may mix features"),
        (FunctionTransformer(total), "FunctionTransformer with 'total', may mix features; .* numpy.log1p"),
        (FunctionTransformer(np.log1p, kw_args={"where": True}), "with 'log1p', may mix"),
    ],
)
def test_steps_that_mix_features_are_named_and_refused(step, words):
    frame, _ = rows_of()
    model = fitted(
        [make_column_transformer((OneHotEncoder(), TEXTS), (make_pipeline(MinMaxScaler(), step), NUMBERS))]
    )
    with pytest.raises(UnsupportedModelError, match=words) as caught:
        read_model(model, None, None, "good", frame)
    assert "step 'columntransformer/pipeline/" in str(caught.value)


def test_steps_that_are_claimed_to_act_feature_by_feature_are_checked():
    frame, _ = rows_of()
    rows = Rows.of(infer_schema(frame[NUMBERS], bins=None), frame)
    with pytest.raises(PredictionMismatchError, match="mix features on some rows"):
        probe(lambda codes: total(rows.frame(codes)), rows.schema.levels)


def test_what_levels_become_is_the_same_seen_at_once_and_in_parts(monkeypatch):
    frame, _ = rows_of()
    model = fitted([mixed(SplineTransformer(n_knots=3))])
    rows = Rows.of(infer_schema(frame, bins=None), frame)

    def seen(codes):
        return model[0].transform(rows.frame(codes))

    whole = probe(seen, rows.schema.levels)
    monkeypatch.setattr("oneformany.readers.columns.NUMBERS_AT_ONCE", 30)
    parts = probe(seen, rows.schema.levels)
    points = np.random.default_rng(0).integers(rows.schema.levels, size=(200, len(rows.schema.levels)))
    assert (whole.encode(points) == parts.encode(points)).all()
    assert [own.tolist() for own in whole.columns] == [own.tolist() for own in parts.columns]


def test_every_known_step_is_one_of_scikit_learn():
    homes = (preprocessing, impute, feature_selection)
    assert {name for home in homes for name in home.__all__} >= ENCODERS | SELECTORS


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (
            make_pipeline(mixed(StandardScaler()), LogisticRegression()),
            UnsupportedModelError,
            "is not fitted",
        ),
        (make_pipeline(StandardScaler(), LogisticRegression()), UnsupportedModelError, "is not fitted"),
        (
            make_pipeline(StandardScaler(), "passthrough"),
            UnsupportedModelError,
            "'passthrough': give a fitted classifier",
        ),
        (
            make_pipeline(StandardScaler(), PCA()),
            UnsupportedModelError,
            "PCA, not fitted, cannot be read as a classifier",
        ),
        (make_pipeline(StandardScaler(), LinearRegression()), UnsupportedModelError, "a regressor"),
        (
            fitted([mixed("passthrough")], KNeighborsClassifier()),
            UnsupportedModelError,
            "KNeighborsClassifier",
        ),
    ],
)
def test_pipelines_without_a_readable_classifier_are_refused(model, error, words):
    frame, _ = rows_of()
    with pytest.raises(error, match=words):
        read_model(model, None, None, "good", frame)


def test_schemas_and_frames_that_do_not_fit_are_refused():
    frame, _ = rows_of()
    model = fitted([mixed(StandardScaler())])
    schema = infer_schema(frame, columns=["job", "home", "age"], bins=None)
    with pytest.raises(InputError, match="the schema lacks 'debts'"):
        read_model(model, schema, None, "good", frame)
    with pytest.raises(InputError, match="the schema lacks 'debts'"):
        read_model(model, schema, None, "good", None)
    with pytest.raises(InputError, match="the frame lacks 'job'"):
        read_model(model, None, None, "good", frame.drop(columns="job"))
    with pytest.raises(InputError, match="pass a schema or a frame"):
        read_model(model, None, None, "good", None)
    with pytest.raises(InputError, match=r"refuse a value: .*unknown categories \['retired'\]"):
        read_model(model, None, None, "good", frame.replace({"job": {"none": "retired"}}))
    unknown = Schema((Feature("job", ("none", "boss")), *infer_schema(frame).features[2:]))
    with pytest.raises(InputError, match="the schema lacks"):
        read_model(model, unknown, None, "good", None)
    with pytest.raises(InputError, match="'yes' is not one of the model's classes 'bad' and 'good'"):
        read_model(model, None, None, "yes", frame)


def test_missing_values_are_refused_with_their_place_even_if_the_pipeline_would_fill_them_in():
    frame, _ = rows_of()
    model = fitted([mixed(make_pipeline(SimpleImputer(), StandardScaler()))])
    frame.loc[3, "debts"] = np.nan
    with pytest.raises(InputError, match="column 'debts', row 3: the value is missing; fill it in or drop"):
        read_model(model, None, None, "good", frame)


def test_texts_that_reach_the_classifier_are_refused():
    frame, target = rows_of()
    steps = make_column_transformer(("passthrough", ["job"]), (StandardScaler(), NUMBERS))
    model = make_pipeline(steps, LogisticRegression())
    steps.fit(frame)
    model[-1].fit(np.zeros((len(frame), 3)) + np.arange(len(frame))[:, None], target)
    with pytest.raises(UnsupportedModelError, match="leave texts as they are"):
        read_model(model, None, None, "good", frame)
