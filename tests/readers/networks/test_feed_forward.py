"""Tests that MLPClassifier is read as it predicts."""

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor

from oneformany.datasets import load
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.networks.feed_forward import read_mlp
from oneformany.schema.encoding import Encoding
from tree_questions import all_points, questions, usable


def fitted(model, columns, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(columns, target)


@cache
def german_network(activation="relu", dtype=np.float64, n_classes=2):
    data = load("german")
    target = data.target + (n_classes > 2) * (data.codes[:, 0] > 2)
    model = MLPClassifier((20, 20), activation=activation, max_iter=20, random_state=0)
    return fitted(model, data.one_hot.astype(dtype), target)


def probability(scores):
    return 1 / (1 + np.exp(-scores))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("activation", ["relu", "identity"])
@pytest.mark.parametrize("positive", [0, 1])
def test_probabilities_are_the_models_own_on_every_row(activation, dtype, positive):
    data = load("german")
    model = german_network(activation, dtype)
    oracle = read_mlp(model, data.schema.encoding(), positive=positive)
    own = model.predict_proba(data.one_hot)[:, positive]
    scores = oracle.score(data.codes)
    assert np.abs(probability(scores) - own).max() < 1e-12
    clear = np.abs(scores) > oracle.margin
    predicted = model.predict(data.one_hot) == positive
    assert (oracle.positive(data.codes) == predicted)[clear].all()
    assert clear.mean() > 0.99


@pytest.mark.parametrize("positive", [0, 1, 2])
def test_with_three_classes_a_point_is_positive_when_the_class_is_predicted(positive):
    data = load("german")
    model = german_network(n_classes=3)
    oracle = read_mlp(model, data.schema.encoding(), positive=positive)
    assert (oracle.positive(data.codes) == (model.predict(data.one_hot) == positive)).all()


def test_the_score_among_five_classes_is_the_distance_to_the_strongest_other():
    data = load("german")
    model = fitted(
        MLPClassifier((6,), max_iter=20, random_state=0), data.one_hot, np.minimum(data.codes[:, 3], 4)
    )
    oracle = read_mlp(model, data.schema.encoding(), positive=2)
    logs = model.predict_log_proba(data.one_hot)
    distance = logs[:, 2] - np.delete(logs, 2, axis=1).max(axis=1)
    assert np.abs(oracle.score(data.codes) - distance).max() < 1e-9


def test_single_precision_gets_a_larger_margin():
    encoding = load("german").schema.encoding()
    double, single = (
        read_mlp(german_network(dtype=dtype), encoding).margin for dtype in (np.float64, np.float32)
    )
    assert 0 < double <= 1e-6 < single < 0.1


ENCODING = Encoding.from_blocks([np.eye(3), [[0.0], [1.0]], [[-1.5], [0.1], [2.0], [7.0]], np.eye(2)])


@st.composite
def models(draw):
    """Draw any weights: those of a fit would be alike."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hidden = draw(st.sampled_from([(1,), (4,), (3, 3), (2, 4, 2)]))
    n_classes = draw(st.sampled_from([2, 2, 3]))
    columns = rng.normal(size=(2 * n_classes, ENCODING.width))
    model = fitted(MLPClassifier(hidden, max_iter=1), columns, np.arange(2 * n_classes) % n_classes)
    scale = draw(st.sampled_from([1.0, 1.0, 1e-12, 1e4]))
    model.coefs_ = [scale * rng.normal(size=weights.shape) for weights in model.coefs_]
    model.intercepts_ = [scale * rng.normal(size=bias.shape) for bias in model.intercepts_]
    return model


@settings(max_examples=60, deadline=None)
@given(models(), questions(ENCODING.levels), st.integers(0, 10**6))
def test_points_are_positive_for_the_model_and_a_no_means_none(model, question, place):
    points = all_points(ENCODING.levels)
    own = model.predict_proba(ENCODING.encode(points))
    threshold = None
    if own.shape[1] == 2:  # the very probability of a point, where rounding decides
        threshold = min(max(float(own[place % len(points), 1]), 1e-6), 1 - 1e-6)
    oracle = read_mlp(model, ENCODING, threshold)
    positive = oracle.positive(points)
    accepted = own[:, 1] >= threshold if threshold else model.predict(ENCODING.encode(points)) == 1
    assert accepted[positive].all()
    answer = oracle.reach(question)
    expected = positive & usable(question, points)
    assert answer.proved_none == (not expected.any())
    if expected.any():
        assert (points[expected] == answer.point).all(axis=1).any()


def small_model(**parameters):
    columns = np.random.default_rng(0).normal(size=(8, ENCODING.width))
    return fitted(MLPClassifier((3,), max_iter=1, **parameters), columns, np.arange(8) % 2)


def test_nan_weights_are_refused():
    model = small_model()
    model.coefs_[1][0, 0] = np.nan
    with pytest.raises(InputError, match="layer 1 has a weight that is nan; train"):
        read_mlp(model, ENCODING)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MLPClassifier(), "not fitted"),
        (MLPRegressor(), "is a regressor"),
        (small_model(activation="tanh"), "activation 'tanh'"),
        (small_model(activation="logistic"), "activation 'logistic'"),
        (
            fitted(
                MLPClassifier((2,), max_iter=1), np.zeros((2, ENCODING.width)), np.array([[0, 1], [1, 1]])
            ),
            "labels at once",
        ),
    ],
)
def test_other_models_are_refused(model, message):
    with pytest.raises(UnsupportedModelError, match=message):
        read_mlp(model, ENCODING)


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.1, np.nan, True, "0.5"])
def test_a_threshold_that_is_no_probability_is_refused(threshold):
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        read_mlp(small_model(), ENCODING, threshold)


def test_other_columns_are_refused():
    with pytest.raises(InputError, match="was fitted on 7 columns, the schema gives 3"):
        read_mlp(small_model(), Encoding.from_blocks([np.eye(3)]))


def test_an_unknown_class_is_refused():
    with pytest.raises(InputError, match="'good' is not one of the model's classes"):
        read_mlp(small_model(), ENCODING, positive="good")


def test_a_threshold_means_nothing_among_three_classes():
    with pytest.raises(UnsupportedModelError, match="leave the threshold out"):
        read_mlp(german_network(n_classes=3), load("german").schema.encoding(), 0.5)
