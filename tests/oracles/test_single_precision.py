"""Tests that linear models which compute in single precision are read with a margin for it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from oneformany.readers.linear import MARGIN, read_linear
from oneformany.schema.encoding import Encoding
from tree_questions import all_points

LEVELS = (7, 7, 7, 7)


@pytest.mark.parametrize("kind", [LogisticRegression, RidgeClassifier])
def test_positive_points_are_positive_in_single_precision(kind):
    rng = np.random.default_rng(0)
    encoding = Encoding.from_blocks([rng.normal(size=(n, 1)).astype(np.float32) * 100 for n in LEVELS])
    points = all_points(LEVELS)
    data = encoding.encode(points).astype(np.float32)
    model = kind().fit(data, data.sum(axis=1) > 0)
    assert model.coef_.dtype == np.float32
    model.coef_ = np.float32([[1, 1, 1, 1]])
    for threshold in (None, 0.5):
        oracle = read_linear(model, encoding, threshold, True)
        if threshold is None:
            own = model.predict(data)
        elif kind is LogisticRegression:
            own = model.predict_proba(data)[:, 1] >= threshold
        else:
            own = model.decision_function(data) >= threshold
        positive = oracle.positive(points)
        assert (own | ~positive).all()
        assert (own != positive).mean() < 0.01


def test_the_margin_grows_with_the_scores():
    encoding = Encoding.from_blocks([np.array([[0.0], [1000.0]])])
    model = LogisticRegression().fit(np.float32([[0], [1000]]), [0, 1])
    single = read_linear(model, encoding).threshold
    model.coef_ = model.coef_.astype(np.float64)
    double = read_linear(model, encoding).threshold
    assert single > 1e-6 > double >= MARGIN


def test_of_several_classes_the_smallest_lead_has_that_margin_too():
    model = LogisticRegression().fit(np.float32([[0, 0], [1, 0], [1, 1]]), [0, 1, 2])
    model.coef_ = np.float32([[2**24, 0], [2**24, 1], [0, 0]])
    model.intercept_ = np.zeros(3, dtype=np.float32)
    encoding = Encoding.from_blocks([[[1.0]], [[0.0], [1.0]]])
    # Class 1 leads by 1 in double precision; in single precision 2**24 + 1 is 2**24, and class 0 comes first.
    assert model.predict(np.float32([[1, 1]])) == [0]
    assert not read_linear(model, encoding, None, 1).positive(np.array([[0, 1]]))[0]


def test_what_cancels_between_classes_counts_for_the_margin_in_double_precision_too():
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 2])
    model.coef_ = np.array([[2.0**53, 0], [2.0**53, 1], [2.0**53, -5]])
    model.intercept_ = np.zeros(3)
    encoding = Encoding.from_blocks([[[1.0]], [[0.0], [1.0]]])
    assert model.predict([[1.0, 1.0]]) == [0]  # 2**53 + 1 is rounded to 2**53
    assert not read_linear(model, encoding, None, 1).positive(np.array([[0, 1]]))[0]
