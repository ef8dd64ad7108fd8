from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from oneformany import Feature, Schema
from oneformany.datasets import load
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.protocol import Question
from oneformany.readers.linear import MARGIN, read_linear
from oneformany.schema.encoding import Encoding

KINDS = {
    "logistic": LogisticRegression(max_iter=1000),
    "logistic, liblinear": LogisticRegression(solver="liblinear", C=10),
    "linear support vectors": LinearSVC(random_state=0),
    "ridge": RidgeClassifier(),
    "ridge, cross-validated": RidgeClassifierCV(),
    "perceptron": Perceptron(),
    "gradient descent, log loss": SGDClassifier(loss="log_loss", random_state=0),
    "gradient descent, hinge": SGDClassifier(loss="hinge", random_state=0),
    "gradient descent, modified Huber": SGDClassifier(loss="modified_huber", alpha=0.1, random_state=0),
    "discriminant analysis": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
    "Bernoulli": BernoulliNB(),
    "Bernoulli, raw": BernoulliNB(binarize=None),
    "Bernoulli, high cut": BernoulliNB(binarize=1.0),
    "multinomial": MultinomialNB(),
    "complement": ComplementNB(),
    "Gaussian": GaussianNB(var_smoothing=1e-3),
    "categorical on 0 and 1": CategoricalNB(),
    "calibrated logistic": CalibratedClassifierCV(LogisticRegression(max_iter=1000), ensemble=False, cv=3),
    "calibrated support vectors": CalibratedClassifierCV(LinearSVC(random_state=0), ensemble=False, cv=3),
    "calibrated Bernoulli": CalibratedClassifierCV(BernoulliNB(), ensemble=False, cv=3),
}


@cache
def german():
    return load("german")


@cache
def fitted(kind):
    return KINDS[kind].fit(german().one_hot, german().target)


def own_scores(model, matrix, positive):
    """What the model itself gives for the positive class."""
    place = model.classes_.tolist().index(positive)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(matrix)[:, place]
    return model.decision_function(matrix) * (1 if place else -1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("positive", [0, 1])
def test_the_reading_decides_as_predict_on_every_german_row(kind, positive):
    model = fitted(kind)
    oracle = read_linear(model, german().schema.encoding(), positive=positive)
    assert oracle.levels == german().schema.levels
    assert (oracle.positive(german().codes) == (model.predict(german().one_hot) == positive)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("threshold", "positive"), [(0.3, 1), (0.7, 1), (0.45, 0)])
def test_the_reading_keeps_to_the_threshold_on_every_german_row(kind, threshold, positive):
    model = fitted(kind)
    oracle = read_linear(model, german().schema.encoding(), threshold, positive)
    expected = own_scores(model, german().one_hot, positive) >= threshold
    assert (oracle.positive(german().codes) == expected).all()


def test_categorical_bayes_reads_codes():
    data = german()
    model = CategoricalNB(min_categories=data.schema.levels).fit(data.codes, data.target)
    oracle = read_linear(model, data.schema.code_encoding())
    assert (oracle.positive(data.codes) == (model.predict(data.codes) == 1)).all()


def test_scores_are_those_of_the_decision_function():
    model = fitted("logistic")
    oracle = read_linear(model, german().schema.encoding(), threshold=0.8)
    assert np.allclose(oracle.score(german().codes), model.decision_function(german().one_hot), atol=1e-10)
    assert oracle.threshold == pytest.approx(np.log(0.8 / 0.2), abs=2 * MARGIN)
    assert oracle.threshold > np.log(0.8 / 0.2)


def test_sparse_weights_are_read_like_dense_ones():
    data = german()
    model = LogisticRegression(C=0.1, solver="liblinear").fit(data.one_hot, data.target)
    dense = read_linear(model, data.schema.encoding()).describe()
    assert read_linear(model.sparsify(), data.schema.encoding()).describe() == dense
    assert issparse(model.coef_)


def test_two_logits_of_older_releases_count_twice():
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    model.multi_class = "multinomial"
    oracle = read_linear(model, Encoding.from_blocks([[[0.0], [1.0]]]), threshold=0.8)
    assert oracle.threshold == pytest.approx(np.log(0.8 / 0.2) / 2, abs=2 * MARGIN)


def test_columns_that_no_feature_fills_count_with_their_constant():
    model = LogisticRegression()
    model.classes_, model.coef_, model.intercept_ = np.array([0, 1]), np.array([[1.0, 5.0]]), np.array([-6.5])
    encoding = Encoding((np.array([0]),), (np.array([[1.0], [2.0]]),), np.array([0.0, 1.0]))
    oracle = read_linear(model, encoding)
    assert oracle.positive(np.array([[0], [1]])).tolist() == [False, True]


def test_a_feature_without_columns_adds_nothing():
    model = linear(LogisticRegression(), [2.0], -1.0)
    encoding = Encoding(
        (np.array([0]), np.array([], dtype=np.int64)), (np.eye(2)[:, 1:], np.zeros((3, 0))), np.zeros(1)
    )
    assert read_linear(model, encoding).score(np.array([[1, 2], [0, 0]])).tolist() == [1.0, -1.0]


@given(st.data())
@settings(deadline=None)
def test_tiny_steps_around_the_threshold_never_make_a_negative_point_positive(data):
    """Scores next to the threshold, where rounding decides."""
    threshold = data.draw(st.sampled_from([0.001, 0.3, 0.5, 0.9, 0.999999, 1 - 1e-10]))
    step = data.draw(st.sampled_from([0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-9, -1e-9, 2e-9, 1e-3]))
    model = linear(LogisticRegression(), [1.0], np.log(threshold) - np.log1p(-threshold) - 1 + step)
    oracle = read_linear(model, Encoding.from_blocks([[[0.0], [1.0]]]), threshold)
    if oracle.positive(np.array([[1]]))[0]:
        assert model.predict_proba([[1.0]])[0, 1] >= threshold
    if step == 1e-3 and threshold < 0.99:
        assert oracle.positive(np.array([[1]]))[0]


def linear(model, weights, intercept, classes=(0, 1)):
    """Fit a model to anything, then give it weights."""
    model.fit(np.outer([0.0, 1.0, 0.1, 1.1], np.ones(len(weights))), np.array(classes * 2))
    model.coef_ = np.array([weights], dtype=np.float64)
    model.intercept_ = np.array([intercept], dtype=np.float64)
    return model


WEIGHTS = st.floats(-4, 4) | st.integers(-8, 8).map(lambda eighths: eighths / 8)
LINEAR = [
    LogisticRegression,
    LinearSVC,
    RidgeClassifier,
    Perceptron,
    lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5),
    lambda: SGDClassifier(loss="log_loss"),
    lambda: SGDClassifier(loss="hinge"),
    lambda: SGDClassifier(loss="modified_huber"),
]
BAYES = [BernoulliNB, MultinomialNB, ComplementNB, GaussianNB]


@st.composite
def small_models(draw):
    """A schema of a few features, and a random model on its one-hot columns or codes."""
    levels = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    schema = Schema(tuple(Feature(f"f{i}", tuple(f"v{v}" for v in range(n))) for i, n in enumerate(levels)))
    classes = draw(st.sampled_from([(0, 1), ("no", "yes")]))
    encoding = schema.encoding()
    if draw(st.booleans()):
        weights = draw(st.lists(WEIGHTS, min_size=encoding.width, max_size=encoding.width))
        return schema, encoding, linear(draw(st.sampled_from(LINEAR))(), weights, draw(WEIGHTS), classes)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = random.integers(0, levels, size=(12, len(levels)))
    assume(max(levels) > 1 and (codes != codes[0]).any())  # columns without variance are no Gaussian
    target = np.array(classes)[np.arange(12) % 2]
    if draw(st.booleans()):
        encoding = schema.code_encoding()
        return schema, encoding, CategoricalNB(min_categories=levels).fit(codes, target)
    model = draw(st.sampled_from(BAYES))()
    return schema, encoding, model.fit(encoding.encode(codes), target)


@given(small_models(), st.sampled_from([None, 0.1, 0.5, 0.8]), st.integers(0, 1), st.data())
@settings(deadline=None, max_examples=300)
def test_the_reading_agrees_with_the_model_on_every_point(small, threshold, place, data):
    schema, encoding, model = small
    positive = model.classes_[place]
    oracle = read_linear(model, encoding, threshold, positive)
    points = np.array(list(product(*(range(n) for n in schema.levels))))
    scores = own_scores(model, encoding.encode(points), positive)
    level = threshold if threshold is not None else 0.5 if hasattr(model, "predict_proba") else 0.0
    positives = oracle.positive(points)
    assert (positives <= (scores >= level)).all()
    # Within the margin rounding could decide; there a reading asks the model, the oracle alone says no.
    low, high = (edge / oracle._scale for edge in oracle._band)
    sure = (oracle.score(points) < low) | (oracle.score(points) > high)
    assert (positives >= (scores > level + 1e-7))[sure].all()
    if threshold is None:
        assert (positives <= (model.predict(encoding.encode(points)) == positive)).all()

    anchor = points[data.draw(st.integers(0, len(points) - 1))]
    extra = data.draw(st.integers(0, len(schema.levels)))
    domain = np.arange(max(schema.levels)) < np.array(schema.levels)[:, None]
    answer = oracle.reach(Question(anchor, np.zeros(len(anchor), dtype=bool), extra, domain))
    near = (points != anchor).sum(axis=1) <= extra
    if answer.point is None:
        assert answer.proved_none
        assert not (scores > level + 1e-7)[near & sure].any()
    else:
        assert (answer.point != anchor).sum() <= extra
        assert own_scores(model, encoding.encode(answer.point[None]), positive)[0] >= level


@given(
    st.floats(0.1, 5),
    st.floats(-3, 3),
    st.lists(WEIGHTS, min_size=4, max_size=4),
    st.floats(0.01, 0.99),
    st.booleans(),
)
@settings(deadline=None)
def test_a_calibrated_model_is_read_as_it_predicts(slope, offset, weights, threshold, bayes):
    base = BernoulliNB() if bayes else LogisticRegression()
    model = CalibratedClassifierCV(base, ensemble=False, cv=2).fit(np.eye(3)[[0, 1, 2, 0, 1, 2]], [0, 1] * 3)
    member = model.calibrated_classifiers_[0]
    member.calibrators[0].a_, member.calibrators[0].b_ = -slope, -offset
    if bayes:
        chances = 1 / (1 + np.exp(np.array([weights[:3], weights[1:]])))
        member.estimator.feature_log_prob_ = np.log(chances)
    else:
        linear(member.estimator, weights[:3], weights[3])
    encoding = Encoding.from_blocks([np.eye(3)])
    probabilities = model.predict_proba(np.eye(3))[:, 1]
    try:
        oracle = read_linear(model, encoding, threshold)
    except InputError:
        assert bayes
        assert (probabilities >= threshold).all() or (probabilities < threshold).all()
        return
    positives = oracle.positive(np.arange(3)[:, None])
    assert (positives <= (probabilities >= threshold)).all()
    assert (positives >= (probabilities > threshold + 1e-7)).all()


COLUMN = Encoding.from_blocks([[[0.0], [1.0]]], names=["paid"])
DATA = np.array([[0.0], [1.0], [0.0], [1.0], [1.0], [0.0]])


def alternating(classes):
    return np.arange(len(DATA)) % classes


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression(), "LogisticRegression is not fitted: call its fit"),
        (CategoricalNB(), "CategoricalNB is not fitted"),
        (LinearRegression().fit(DATA, alternating(2)), "LinearRegression is a regressor"),
        (GaussianNB().fit(DATA, alternating(1)), r"knows only the class 0; fit it on rows of two"),
        (
            KNeighborsClassifier(1).fit(DATA, alternating(2)),
            "KNeighborsClassifier is not a linear classifier; read are",
        ),
        (
            CalibratedClassifierCV(LinearSVC(), cv=2).fit(DATA, alternating(2)),
            "2 calibrated classifiers.*ensemble=False",
        ),
        (
            CalibratedClassifierCV(LinearSVC(), cv=2, ensemble=False, method="isotonic").fit(
                DATA, alternating(2)
            ),
            "method='isotonic' is not read; use method='sigmoid'",
        ),
        (
            CalibratedClassifierCV(KNeighborsClassifier(1), cv=2, ensemble=False).fit(DATA, DATA[:, 0]),
            "KNeighborsClassifier is not a linear classifier",
        ),
        (
            RidgeClassifier().fit(DATA, np.column_stack([alternating(2), 1 - alternating(2)])),
            "RidgeClassifier",
        ),
    ],
)
def test_models_that_cannot_be_read_are_refused(model, words):
    with pytest.raises(UnsupportedModelError, match=words):
        read_linear(model, COLUMN)


def test_a_calibration_that_does_not_depend_on_the_score_is_refused():
    model = CalibratedClassifierCV(LogisticRegression(), ensemble=False, cv=2).fit(DATA, alternating(2))
    model.calibrated_classifiers_[0].calibrators[0].a_ = 0.0
    with pytest.raises(UnsupportedModelError, match="does not rise with the score"):
        read_linear(model, COLUMN)


def test_a_calibration_that_never_reaches_the_threshold_is_refused():
    model = CalibratedClassifierCV(BernoulliNB(), ensemble=False, cv=2).fit(DATA, DATA[:, 0])
    with pytest.raises(InputError, match="choose another threshold"):
        read_linear(model, COLUMN, threshold=0.999999)


def test_a_frozen_model_below_a_calibration_is_read():
    model = CalibratedClassifierCV(LogisticRegression(), ensemble=False, cv=2).fit(DATA, DATA[:, 0])
    inner = LogisticRegression().fit(DATA, DATA[:, 0])
    model.calibrated_classifiers_[0].estimator = FrozenEstimator(inner)
    oracle = read_linear(model, COLUMN)
    assert oracle.positive(np.array([[0], [1]])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({}, {"threshold": 0}, "strictly between 0 and 1"),
        ({}, {"threshold": 1}, "strictly between 0 and 1"),
        ({}, {"threshold": -0.5}, "strictly between 0 and 1"),
        ({}, {"threshold": float("nan")}, "strictly between 0 and 1"),
        ({}, {"threshold": "high"}, "must be a number"),
        ({}, {"positive": "good"}, "'good' is not one of the model's classes 0 and 1"),
        ({"coef_": [[float("nan")]]}, {}, "weight for column 'paid' is not finite"),
        ({"coef_": [[float("inf")]]}, {}, "weight for column 'paid' is not finite"),
        ({"intercept_": [float("nan")]}, {}, "intercept nan"),
        ({"coef_": [[1.0, 2.0]]}, {}, "fitted on 2 columns, the schema gives 1"),
    ],
)
def test_what_does_not_fit_a_logistic_regression_is_refused(change, options, words):
    model = linear(LogisticRegression(), [1.0], 0.0)
    for name, value in change.items():
        setattr(model, name, np.array(value))
    with pytest.raises(InputError, match=words):
        read_linear(model, COLUMN, **options)


def test_a_decision_value_may_be_any_finite_number():
    model = linear(LinearSVC(), [10.0], -3.0)
    assert read_linear(model, COLUMN, threshold=6.5).positive(np.array([[0], [1]])).tolist() == [False, True]
    with pytest.raises(InputError, match="finite decision value"):
        read_linear(model, COLUMN, threshold=float("inf"))


def test_naive_bayes_without_smoothing_is_refused_where_it_is_infinite():
    model = BernoulliNB(alpha=0.0, force_alpha=True)
    model.classes_ = np.array([0, 1])
    model.feature_log_prob_, model.class_log_prior_ = np.array([[0.0], [-1.0]]), np.log([0.5, 0.5])
    with pytest.raises(InputError, match="alpha > 0"):
        read_linear(model, COLUMN)


def test_levels_that_categorical_bayes_has_not_seen_are_refused():
    model = CategoricalNB().fit(DATA, alternating(2))
    with pytest.raises(InputError, match=r"knows the codes 0 to 1 in column 0, not 0 to 2; .*min_categories"):
        read_linear(model, Encoding.from_blocks([[[0.0], [1.0], [2.0]]]))
