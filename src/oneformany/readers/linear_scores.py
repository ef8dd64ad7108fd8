"""The scores of linear and naive Bayes classifiers of scikit-learn: sums of what each column adds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.chances import log_odds
from oneformany.schema.encoding import Encoding

REST = -1
"""Instead of a class: all others together, for models that set one class against the rest."""

Pair = tuple[int, int]
Inverse = Callable[[float], float] | None


@dataclass(frozen=True, eq=False)
class Score:
    """A score that grows with the probability of the second of two classes.

    ``share(column, values)`` is what each value adds when it stands in the column. ``inverse`` gives the
    score at which that probability is reached; ``None`` for models that have no probabilities. ``single``
    says that the model computes in single precision, ``weights`` are those of a model that multiplies.
    ``sizes(column, values)`` and ``size`` are how large the numbers are that the model adds up for a class,
    where the score is a difference of classes; ``None``: those of the shares.
    """

    width: int
    share: Callable[[int, FloatArray], FloatArray]
    constant: float
    inverse: Inverse
    single: bool = False
    weights: FloatArray | None = None
    sizes: Callable[[int, FloatArray], FloatArray] | None = None
    size: float = 0.0

    def largest(self, encoding: Encoding, model: str) -> float:
        """How far from zero the sums on the model's way to a score can be."""
        sizes = self.sizes or (lambda column, values: np.abs(self.share(column, values)))
        unsigned = replace(self, share=sizes, constant=abs(self.constant) + self.size)
        tables, constant = unsigned.tables(encoding, model)
        return constant + sum(float(table.max()) for table in tables)

    def tables(self, encoding: Encoding, model: str) -> tuple[list[FloatArray], float]:
        """What each level of each feature adds, and what all points have."""
        encoding.check_width(self.width, model)
        tables = [
            sum(
                (self._finite_share(encoding, *pair) for pair in zip(columns, block.T, strict=True)),
                np.zeros(len(block)),
            )
            for columns, block in zip(encoding.columns, encoding.values, strict=True)
        ]
        rest = set(range(encoding.width)).difference(*encoding.columns)
        constant = self.constant + sum(
            float(self._finite_share(encoding, column, encoding.constants[[column]])[0]) for column in rest
        )
        if not math.isfinite(constant):
            raise InputError(f"{model} has the intercept {constant}; fit it again on clean data")
        return tables, constant

    def _finite_share(self, encoding: Encoding, column: int, values: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.share(column, values)
        if not np.isfinite(share).all():
            name = repr(encoding.names[column]) if encoding.names else str(column)
            raise InputError(
                f"the model's weight for column {name} is not finite; fit it again on clean data "
                "(naive Bayes: with alpha > 0)"
            )
        return share


def score_of(model: AnyModel, pair: Pair = (0, 1)) -> Score:
    """Find the score that decides between two classes of a fitted classifier, by their indices."""
    for base in type(model).__mro__:
        if base.__name__ in _SCORES and base.__module__.split(".")[0] == "sklearn":
            return _SCORES[base.__name__](model, pair)
    supported = ", ".join(_SCORES)
    raise UnsupportedModelError(f"{type(model).__name__} is not a linear classifier; read are {supported}")


def _weighted(weights: FloatArray, constant: AnyValue, inverse: Inverse) -> Score:
    return Score(
        len(weights),
        lambda column, values: weights[column] * values,
        float(constant),
        inverse,
        weights=weights,
    )


def _coefficients(model: AnyModel, pair: Pair, inverse: Inverse = None) -> Score:
    stored = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = np.atleast_2d(stored).astype(np.float64)
    if len(weights) > 1 and len(model.classes_) == 2:
        raise UnsupportedModelError(
            f"{type(model).__name__} has {len(weights)} score functions; it must have one, for two classes"
        )
    # Without a fitted intercept there is a single zero
    constants = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(weights))
    first, second = pair if len(weights) > 1 else (REST, 0)
    if first == REST:
        score = _weighted(weights[second], constants[second], inverse)
    else:
        score = _difference(weights, constants, pair, inverse)
    return replace(score, single=stored.dtype == np.float32)


def _difference(weights: FloatArray, constants: FloatArray, pair: Pair, inverse: Inverse) -> Score:
    """Score inputs times what a class has more than another."""
    largest = np.abs(weights[list(pair)]).max(axis=0)
    return replace(
        _weighted(_ahead(weights, pair), _ahead(constants, pair), inverse),
        sizes=lambda column, values: largest[column] * np.abs(values),
        size=float(np.abs(constants[list(pair)]).max()),
    )


def _logistic(model: AnyModel, pair: Pair) -> Score:
    if getattr(model, "multi_class", None) == "multinomial":  # before scikit-learn 1.8: logits -d and d
        return _coefficients(model, pair, lambda probability: log_odds(probability) / 2)
    return _coefficients(model, pair, log_odds)


def _gradient_descent(model: AnyModel, pair: Pair) -> Score:
    inverses: dict[str, Callable[[float], float]] = {
        "log_loss": log_odds,
        "modified_huber": lambda probability: 2 * probability - 1,
    }
    return _coefficients(model, pair, inverses.get(model.loss))


def _multinomial_bayes(model: AnyModel, pair: Pair) -> Score:
    return _difference(model.feature_log_prob_, model.class_log_prior_, pair, log_odds)


def _complement_bayes(model: AnyModel, pair: Pair) -> Score:
    return _difference(model.feature_log_prob_, np.zeros(len(model.classes_)), pair, log_odds)


def _bernoulli_bayes(model: AnyModel, pair: Pair) -> Score:
    with np.errstate(divide="ignore"):
        absent = np.log(1 - np.exp(model.feature_log_prob_))
    logs, constants = model.feature_log_prob_ - absent, model.class_log_prior_ + absent.sum(axis=1)
    score = _difference(logs, constants, pair, log_odds)
    if model.binarize is None:
        return score
    weights, largest = _ahead(logs, pair), np.abs(logs[list(pair)]).max(axis=0)
    return replace(
        score,
        share=lambda column, values: weights[column] * (values > model.binarize),
        sizes=lambda column, values: largest[column] * (values > model.binarize),
    )


def _categorical_bayes(model: AnyModel, pair: Pair) -> Score:
    def share(column: int, values: FloatArray) -> FloatArray:
        known = model.n_categories_[column]
        if (values != np.floor(values)).any() or values.min() < 0 or values.max() >= known:
            raise InputError(
                f"CategoricalNB knows the codes 0 to {known - 1} in column {column}, not "
                f"{values.min():g} to {values.max():g}; fit it with min_categories=schema.levels"
            )
        return np.asarray(_ahead(model.feature_log_prob_[column], pair)[values.astype(np.int64)])

    def sizes(column: int, values: FloatArray) -> FloatArray:
        logs = model.feature_log_prob_[column][list(pair)]
        return np.asarray(np.abs(logs).max(axis=0)[values.astype(np.int64)])

    return _after_prior(model, share, sizes, model.class_log_prior_, pair)


def _gaussian_bayes(model: AnyModel, pair: Pair) -> Score:
    def distances(column: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        spread, mean = model.var_[list(pair), column], model.theta_[list(pair), column]
        return np.asarray((values[:, None] - mean) ** 2 / spread), np.log(spread)

    def share(column: int, values: FloatArray) -> FloatArray:
        distance, logs = distances(column, values)
        return -_ahead((distance + logs).T, (0, 1)) / 2

    def sizes(column: int, values: FloatArray) -> FloatArray:
        distance, logs = distances(column, values)
        return np.asarray((distance + np.abs(logs) + 2).max(axis=1))  # 2 for the logarithm of 2 pi

    return _after_prior(model, share, sizes, np.log(model.class_prior_), pair)


def _after_prior(
    model: AnyModel,
    share: Callable[[int, FloatArray], FloatArray],
    sizes: Callable[[int, FloatArray], FloatArray],
    prior: FloatArray,
    pair: Pair,
) -> Score:
    """Start from what is known of the classes before any column."""
    ahead, size = float(_ahead(prior, pair)), float(np.abs(prior[list(pair)]).max())
    return Score(model.n_features_in_, share, ahead, log_odds, sizes=sizes, size=size)


def _ahead(logs: AnyValue, pair: Pair) -> FloatArray:
    """By how much the second class is ahead of the first."""
    first, second = pair
    return np.asarray(logs[second] - logs[first])


def _calibrated(model: AnyModel, pair: Pair) -> Score:
    if len(model.calibrated_classifiers_) != 1:
        raise UnsupportedModelError(
            f"CalibratedClassifierCV averages {len(model.calibrated_classifiers_)} classifiers, which is not "
            "additive; calibrate with ensemble=False"
        )
    (member,) = model.calibrated_classifiers_
    (calibrator,) = member.calibrators
    if not (hasattr(calibrator, "a_") and hasattr(calibrator, "b_")):
        raise UnsupportedModelError(
            f"CalibratedClassifierCV with method={model.method!r} is not read; use method='sigmoid'"
        )
    slope, offset = -float(calibrator.a_), -float(calibrator.b_)
    base = member.estimator
    while type(base).__name__ == "FrozenEstimator":
        base = base.estimator
    score = score_of(base, pair)
    if slope == 0 or (slope < 0 and not hasattr(base, "decision_function")):
        raise UnsupportedModelError("the calibration does not rise with the score; calibrate on more data")

    def response(probability: float) -> float:
        """Find the classifier's own response at which the calibrated probability is reached."""
        return (log_odds(probability) - offset) / slope

    if hasattr(base, "decision_function"):
        if slope > 0:
            return replace(score, inverse=response)
        return replace(
            score,
            share=lambda column, values: -score.share(column, values),
            constant=-score.constant,
            inverse=lambda probability: -response(probability),
        )
    inner = score.inverse

    def inverse(probability: float) -> float:
        below = response(probability)
        if inner is None or not 0 < below < 1:
            raise InputError(
                f"calibrated to probability {probability:g}, no score or every score is positive; "
                "choose another threshold"
            )
        return inner(below)

    return replace(score, inverse=inverse)


_SCORES: dict[str, Callable[[Any, Pair], Score]] = {
    "LogisticRegression": _logistic,
    "LinearSVC": _coefficients,
    "SGDClassifier": _gradient_descent,
    "RidgeClassifier": _coefficients,
    "RidgeClassifierCV": _coefficients,
    "Perceptron": _coefficients,
    "LinearDiscriminantAnalysis": lambda model, pair: _coefficients(model, pair, log_odds),
    "BernoulliNB": _bernoulli_bayes,
    "CategoricalNB": _categorical_bayes,
    "MultinomialNB": _multinomial_bayes,
    "ComplementNB": _complement_bayes,
    "GaussianNB": _gaussian_bayes,
    "CalibratedClassifierCV": _calibrated,
}
