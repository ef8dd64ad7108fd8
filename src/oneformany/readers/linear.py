"""Fitted scikit-learn classifiers whose score is a sum over their columns, read as additive oracles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.readers.chances import DOUBLE, SINGLE, log_odds
from oneformany.readers.verdict import class_index
from oneformany.schema.encoding import Encoding

__all__ = ["MARGIN", "PROBABILITY_MARGIN", "RELATIVE_MARGIN", "read_linear", "two_class_tables"]

MARGIN = 1e-9
"""Scores nearer to the threshold are the model's to decide, since it may round."""

RELATIVE_MARGIN = 1e-12
"""The same for scores above a thousand, as a share of the largest score."""

PROBABILITY_MARGIN = 1e-12
"""The same for probabilities, which matters only next to 0 and 1."""

EXACT_BITS = 12
"""Multiples of ``2**-EXACT_BITS`` are exact on the decimal grid of scores."""

LARGEST_EXACT = 2**24
"""Integers up to this size are exact in single precision, and on that grid in double precision."""


@dataclass(frozen=True, eq=False)
class _Score:
    """A score that grows with the probability of the second class.

    ``share(column, values)`` is what each value adds when it stands in the column. ``inverse`` gives the
    score at which that probability is reached; ``None`` for models that have no probabilities. ``single``
    says that the model computes in single precision, ``weights`` are those of a model that multiplies.
    ``sizes(column, values)`` and ``size`` are how large the numbers are that the model adds up for a class,
    where it computes the score as a difference of classes; ``None``: those of the shares.
    """

    width: int
    share: Callable[[int, FloatArray], FloatArray]
    constant: float
    inverse: Callable[[float], float] | None
    single: bool = False
    weights: FloatArray | None = None
    sizes: Callable[[int, FloatArray], FloatArray] | None = None
    size: float = 0.0


def read_linear(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> AdditiveOracle:
    """Read a linear or naive Bayes classifier, so that the engine can compute with it exactly.

    Scores within ``MARGIN`` of what the threshold asks for, or within what single precision demands where the
    model was fitted in it, are the model's to decide. Where that cannot be asked (the oracle was read
    without a verdict) they do not count as positive; so a point that the oracle calls positive is positive
    for the model, however it rounds.
    """
    sign = 1.0 if class_index(model, positive) else -1.0
    if len(model.classes_) > 2:
        raise UnsupportedModelError(f"{type(model).__name__} knows {len(model.classes_)} classes, not two")
    score = _score(model)
    tables, constant = _tables(score, encoding, type(model).__name__)
    relative = 2 * (score.width + 2) * SINGLE if score.single else RELATIVE_MARGIN
    relative = max(relative, 4 * (score.width + 2) * DOUBLE)
    low, high = _needed(score, threshold, sign)
    return AdditiveOracle(
        [sign * table for table in tables],
        sign * constant,
        (low + high) / 2,
        margin=max(MARGIN, relative * _largest(score, encoding)) + (high - low) / 2,
        rounds=not _is_exact(score, encoding),
    )


def _is_exact(score: _Score, encoding: Encoding) -> bool:
    """Whether weights and inputs are so round that no product and no sum of them is rounded."""
    if score.weights is None:
        return False
    largest = np.abs(encoding.constants)
    for columns, block in zip(encoding.columns, encoding.values, strict=True):
        largest[columns] = np.abs(block).max(axis=0)
    inputs = [encoding.constants, *(block.ravel() for block in encoding.values)]
    bits = _bits(score.weights) + _bits(np.concatenate(inputs))
    if bits > EXACT_BITS or not float(score.constant * 2**bits).is_integer():
        return False
    total = abs(score.constant) + float(np.abs(score.weights) @ largest)
    return bool(total * 2**bits < LARGEST_EXACT)


def _bits(numbers: FloatArray) -> int:
    """How many binary digits numbers have behind the point; one more than matters where these are many."""
    for bits in range(EXACT_BITS + 1):
        fine = numbers * 2**bits
        if (fine == np.rint(fine)).all():
            return bits
    return EXACT_BITS + 1


def _largest(score: _Score, encoding: Encoding) -> float:
    """How far from zero the sums on the model's way to a score can be."""
    sizes = score.sizes or (lambda column, values: np.abs(score.share(column, values)))
    positive = replace(score, share=sizes, constant=abs(score.constant) + score.size)
    tables, constant = _tables(positive, encoding, "the model")
    return constant + sum(float(table.max()) for table in tables)


def two_class_tables(model: AnyModel, encoding: Encoding) -> tuple[list[FloatArray], float, float]:
    """Tables and intercept of the score that grows with the probability of the second of two classes.

    The third number is how far from zero the sums on the model's way to it can be.
    """
    score = _score(model)
    return *_tables(score, encoding, type(model).__name__), _largest(score, encoding)


def _tables(score: _Score, encoding: Encoding, model: str) -> tuple[list[FloatArray], float]:
    encoding.check_width(score.width, model)
    tables = [
        sum(
            (_share(score, encoding, *pair) for pair in zip(columns, block.T, strict=True)),
            np.zeros(len(block)),
        )
        for columns, block in zip(encoding.columns, encoding.values, strict=True)
    ]
    rest = set(range(encoding.width)).difference(*encoding.columns)
    constant = score.constant + sum(
        float(_share(score, encoding, column, encoding.constants[[column]])[0]) for column in rest
    )
    if not math.isfinite(constant):
        raise InputError(f"{model} has the intercept {constant}; fit it again on clean data")
    return tables, constant


def _needed(score: _Score, threshold: float | None, sign: float) -> tuple[float, float]:
    """Turn the threshold into the signed scores below which it is surely missed, and above surely met."""
    if threshold is not None and not isinstance(threshold, Real):
        raise InputError(f"the threshold is {threshold!r}; it must be a number")
    if score.inverse is None:
        level = 0.0 if threshold is None else float(threshold)
        if not math.isfinite(level):
            raise InputError(f"the threshold is {threshold}; it must be a finite decision value")
        return level, level
    probability = 0.5 if threshold is None else float(threshold)
    margin = 8 * SINGLE if score.single else PROBABILITY_MARGIN
    if not 0 < probability < 1 - margin:
        raise InputError(f"the threshold is {threshold}; it is a probability, strictly between 0 and 1")
    edges = (max(probability - margin, probability / 2), probability + margin)
    low, high = (score.inverse(p) if sign > 0 else -score.inverse(1 - p) for p in edges)
    return low, high


def _share(score: _Score, encoding: Encoding, column: int, values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        share = score.share(column, values)
    if not np.isfinite(share).all():
        name = repr(encoding.names[column]) if encoding.names else str(column)
        raise InputError(
            f"the model's weight for column {name} is not finite; fit it again on clean data "
            "(naive Bayes: with alpha > 0)"
        )
    return share


def _score(model: AnyModel) -> _Score:
    for base in type(model).__mro__:
        if base.__name__ in _SCORES and base.__module__.split(".")[0] == "sklearn":
            return _SCORES[base.__name__](model)
    supported = ", ".join(_SCORES)
    raise UnsupportedModelError(f"{type(model).__name__} is not a linear classifier; read are {supported}")


def _weighted(weights: FloatArray, constant: float, inverse: Callable[[float], float] | None) -> _Score:
    return _Score(
        len(weights), lambda column, values: weights[column] * values, constant, inverse, weights=weights
    )


def _coefficients(model: AnyModel, inverse: Callable[[float], float] | None) -> _Score:
    weights = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    if weights.ndim == 2 and len(weights) != 1:
        raise UnsupportedModelError(
            f"{type(model).__name__} has {len(weights)} score functions; it must have one, for two classes"
        )
    constant = float(np.asarray(model.intercept_, dtype=np.float64).reshape(-1)[0])
    score = _weighted(weights.reshape(-1).astype(np.float64), constant, inverse)
    return replace(score, single=weights.dtype == np.float32)


def _decision(model: AnyModel) -> _Score:
    return _coefficients(model, None)


def _logistic(model: AnyModel) -> _Score:
    if getattr(model, "multi_class", None) == "multinomial":  # before scikit-learn 1.8: logits -d and d
        return _coefficients(model, lambda probability: log_odds(probability) / 2)
    return _coefficients(model, log_odds)


def _gradient_descent(model: AnyModel) -> _Score:
    inverses: dict[str, Callable[[float], float]] = {
        "log_loss": log_odds,
        "modified_huber": lambda probability: 2 * probability - 1,
    }
    return _coefficients(model, inverses.get(model.loss))


def _multinomial_bayes(model: AnyModel) -> _Score:
    prior = model.class_log_prior_
    return _of_logs(model.feature_log_prob_, float(_ahead(prior)), float(np.abs(prior).max()))


def _complement_bayes(model: AnyModel) -> _Score:
    return _of_logs(model.feature_log_prob_, 0.0, 0.0)


def _of_logs(logs: FloatArray, constant: float, size: float) -> _Score:
    """Score inputs times a logarithm for each class."""
    largest = np.abs(logs).max(axis=0)
    return replace(
        _weighted(_ahead(logs), constant, log_odds),
        sizes=lambda column, values: largest[column] * np.abs(values),
        size=size,
    )


def _bernoulli_bayes(model: AnyModel) -> _Score:
    with np.errstate(divide="ignore"):
        absent = np.log(1 - np.exp(model.feature_log_prob_))
    logs, constants = model.feature_log_prob_ - absent, model.class_log_prior_ + absent.sum(axis=1)
    score = _of_logs(logs, float(_ahead(constants)), float(np.abs(constants).max()))
    if model.binarize is None:
        return score
    weights, largest = _ahead(logs), np.abs(logs).max(axis=0)
    return replace(
        score,
        share=lambda column, values: weights[column] * (values > model.binarize),
        sizes=lambda column, values: largest[column] * (values > model.binarize),
    )


def _categorical_bayes(model: AnyModel) -> _Score:
    def share(column: int, values: FloatArray) -> FloatArray:
        known = model.n_categories_[column]
        if (values != np.floor(values)).any() or values.min() < 0 or values.max() >= known:
            raise InputError(
                f"CategoricalNB knows the codes 0 to {known - 1} in column {column}, not "
                f"{values.min():g} to {values.max():g}; fit it with min_categories=schema.levels"
            )
        return np.asarray(_ahead(model.feature_log_prob_[column])[values.astype(np.int64)])

    def sizes(column: int, values: FloatArray) -> FloatArray:
        return np.asarray(np.abs(model.feature_log_prob_[column]).max(axis=0)[values.astype(np.int64)])

    prior = model.class_log_prior_
    return _Score(
        model.n_features_in_,
        share,
        float(_ahead(prior)),
        log_odds,
        sizes=sizes,
        size=float(np.abs(prior).max()),
    )


def _gaussian_bayes(model: AnyModel) -> _Score:
    def distances(column: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        spread = model.var_[:, column]
        return np.asarray((values[:, None] - model.theta_[:, column]) ** 2 / spread), np.log(spread)

    def share(column: int, values: FloatArray) -> FloatArray:
        distance, logs = distances(column, values)
        return -_ahead((distance + logs).T) / 2

    def sizes(column: int, values: FloatArray) -> FloatArray:
        distance, logs = distances(column, values)
        return np.asarray((distance + np.abs(logs) + 2).max(axis=1))  # 2 for the logarithm of 2 pi

    prior = np.log(model.class_prior_)
    return _Score(
        model.n_features_in_,
        share,
        float(_ahead(prior)),
        log_odds,
        sizes=sizes,
        size=float(np.abs(prior).max()),
    )


def _ahead(logs: AnyValue) -> FloatArray:
    """By how much the second class is ahead of the first."""
    return np.asarray(logs[1] - logs[0])


def _calibrated(model: AnyModel) -> _Score:
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
    score = _score(base)
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


_SCORES: dict[str, Callable[[Any], _Score]] = {
    "LogisticRegression": _logistic,
    "LinearSVC": _decision,
    "SGDClassifier": _gradient_descent,
    "RidgeClassifier": _decision,
    "RidgeClassifierCV": _decision,
    "Perceptron": _decision,
    "LinearDiscriminantAnalysis": lambda model: _coefficients(model, log_odds),
    "BernoulliNB": _bernoulli_bayes,
    "CategoricalNB": _categorical_bayes,
    "MultinomialNB": _multinomial_bayes,
    "ComplementNB": _complement_bayes,
    "GaussianNB": _gaussian_bayes,
    "CalibratedClassifierCV": _calibrated,
}
