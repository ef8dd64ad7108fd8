"""Linear and naive Bayes classifiers of scikit-learn: additive oracles, or networks for several classes."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray
from oneformany.exceptions import Argument, InputError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.networks.feed_forward import Affine, network_oracle
from oneformany.readers.registry import reader_for
from oneformany.readers.verdict import DOUBLE, SINGLE, are_round, class_index, log_odds, too_near
from oneformany.readers.wrappers import unwrapped
from oneformany.schema.encoding import Encoding

MARGIN = 1e-9  # scores nearer to the threshold are the model's to decide, since it may round
RELATIVE_MARGIN = 1e-12  # the same for scores above a thousand, as a share of the largest score
PROBABILITY_MARGIN = 1e-12  # the same for probabilities, which matters only next to 0 and 1
EXACT_BITS = 12  # multiples of 2**-EXACT_BITS are exact on the decimal grid of scores
SMALLEST, SMALLEST_REST = 1e-300, 1e-15  # probabilities whose half, and 1 less whose half, have log odds
LARGEST_EXACT = 2**24  # integers up to this are exact in single precision, and on that grid in double
LEAD_OPERATIONS = 64  # more rounded operations than a model needs for what a column adds to a lead

# What each of some values adds when it stands in a column: a column per score of the model
Shares = Callable[[int, FloatArray], FloatArray]
# The sum at which a probability of the second class is reached; ``None``: there are no probabilities
Inverse = Callable[[float], float] | None


def read_linear(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> AdditiveOracle | NetworkOracle:
    """Read a linear or naive Bayes classifier, so that the engine can compute with it exactly.

    Scores so near to what the threshold asks for that the model may round are the model's to decide; without
    its verdict they do not count as positive. With more than two classes and without a threshold a point is
    positive when the smallest lead of its class over another, each of which is additive, is not negative:
    written with ReLUs that is a small network, so the answers have proofs.
    """
    index = class_index(model, positive)
    kind, n_classes = type(model).__name__, len(model.classes_)
    score, classes = _score_of(model), np.eye(n_classes)
    encoding.check_width(score.width, kind)
    if n_classes == 2:
        signs = classes[index] - classes[1 - index]  # of a score per class, or of the second class only
        return _additive(kind, score, signs[-len(score.constants) :], encoding, threshold, index)
    if threshold is None:  # logits are minus the leads over each class, and 0 for the positive one
        minus = classes - classes[:, [index]]
        tables, constants = score.tables(encoding, minus, kind)
        logits = Affine(np.vstack([classes] * len(tables)), constants)
        rounding = LEAD_OPERATIONS * (SINGLE if score.single else DOUBLE)
        off = score.rounding(encoding, minus, kind)
        return network_oracle(kind, [logits], Encoding.from_blocks(tables), None, index, rounding, off)
    if hasattr(model, "predict_proba"):
        raise UnsupportedModelError(
            f"{kind} knows {n_classes} classes, and a threshold on the probability of one of them is not "
            "additive; leave ",
            Argument("threshold"),
            " out to ask for what it predicts, or pass its predict_proba to have it asked as a black box",
        )
    return _additive(kind, score, classes[index], encoding, threshold, 1)


@dataclass(frozen=True, eq=False)
class _Score:
    """The scores that a model adds up, column by column."""

    width: int
    shares: Shares
    constants: FloatArray  # what each score begins with
    inverse: Inverse = None
    single: bool = False  # the model computes in single precision
    weights: FloatArray | None = None  # (scores, width), of a model that multiplies
    sizes: Shares | None = None  # how large the numbers are that the model adds up, if not as the shares

    def tables(
        self, encoding: Encoding, signs: FloatArray, model: str
    ) -> tuple[list[FloatArray], FloatArray]:
        """What each level adds to sums of the scores with these signs, and what all points have."""
        tables = []
        for columns, block in zip(encoding.columns, encoding.values, strict=True):
            shares = [self._share(encoding, *pair) for pair in zip(columns, block.T, strict=True)]
            tables.append(sum(shares, np.zeros((len(block), len(self.constants)))) @ signs)
        rest = set(range(encoding.width)).difference(*encoding.columns)
        fixed = [self._share(encoding, column, encoding.constants[[column]])[0] for column in rest]
        constant = np.asarray(sum(fixed, self.constants) @ signs)
        if not np.isfinite(constant).all():
            raise InputError(f"{model} has the intercept {constant}; fit it again on clean data")
        return tables, constant

    def _share(self, encoding: Encoding, column: int, values: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.shares(column, values)
        if not np.isfinite(share).all():
            name = repr(encoding.names[column]) if encoding.names else str(column)
            raise InputError(
                f"the model's weight for column {name} is not finite; fit it again on clean data "
                "(naive Bayes: with alpha > 0)"
            )
        return share

    def rounding(self, encoding: Encoding, signs: FloatArray, model: str) -> float:
        """How far off the sums can be when the model adds up each score by itself."""
        sizes = self.sizes or (lambda column, values: np.abs(self.shares(column, values)))
        unsigned = replace(self, shares=sizes, constants=np.abs(self.constants))
        tables, constant = unsigned.tables(encoding, np.abs(signs), model)
        relative = 2 * (self.width + 2) * SINGLE if self.single else RELATIVE_MARGIN
        largest = float(np.max(sum((table.max(axis=0) for table in tables), constant)))
        return max(relative, 4 * (self.width + 2) * DOUBLE) * largest

    def is_exact(self, encoding: Encoding, signs: FloatArray) -> bool:
        """Whether weights and inputs are so round that no product and no sum of them is rounded."""
        if self.weights is None:
            return False
        inputs = np.concatenate([encoding.constants, *(block.ravel() for block in encoding.values)])
        weights = np.append(signs @ self.weights, signs @ self.constants)
        largest = float(np.abs(weights).sum() * (1 + np.abs(inputs).max()))
        return all(are_round(numbers, EXACT_BITS // 2, LARGEST_EXACT) for numbers in (weights, inputs)) and (
            largest * 2**EXACT_BITS < LARGEST_EXACT
        )


def _additive(
    model: str, score: _Score, signs: FloatArray, encoding: Encoding, threshold: float | None, index: int
) -> AdditiveOracle:
    if threshold is not None and not isinstance(threshold, Real):
        raise InputError(f"the threshold is {threshold!r}; it must be a number")
    if score.inverse is None:
        low = high = 0.0 if threshold is None else float(threshold)
        if not math.isfinite(low):
            raise InputError(f"the threshold is {threshold}; it must be a finite decision value")
    else:  # the sums below which the probability is surely missed, and above surely met
        probability = 0.5 if threshold is None else float(threshold)
        margin = 8 * SINGLE if score.single else PROBABILITY_MARGIN
        if not 0 < probability < 1 - margin:
            raise InputError(f"the threshold is {threshold}; it is a probability, strictly between 0 and 1")
        if probability < (SMALLEST if index else SMALLEST_REST):
            raise too_near(probability)
        edges = (max(probability - margin, probability / 2), probability + margin)
        low, high = (score.inverse(p) if index else -score.inverse(1 - p) for p in edges)
    tables, constant = score.tables(encoding, signs, model)
    return AdditiveOracle(
        tables,
        float(constant),
        (low + high) / 2,
        margin=max(MARGIN, score.rounding(encoding, signs, model)) + (high - low) / 2,
        rounds=not score.is_exact(encoding, signs),
    )


def _score_of(model: AnyModel) -> _Score:
    """Find what a fitted classifier adds up, by the class of scikit-learn that it is."""
    for base in type(model).__mro__:
        if base.__name__ in _SCORES and base.__module__.split(".")[0] == "sklearn":
            return _SCORES[base.__name__](model)
    supported = ", ".join(_SCORES)
    raise UnsupportedModelError(f"{type(model).__name__} is not a linear classifier; read are {supported}")


def _weighted(weights: FloatArray, constants: FloatArray, inverse: Inverse = log_odds) -> _Score:
    return _Score(
        weights.shape[1],
        lambda column, values: np.multiply.outer(values, weights[:, column]),
        constants,
        inverse,
        weights=weights,
    )


def _coefficients(model: AnyModel, inverse: Inverse = None) -> _Score:
    stored = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = np.atleast_2d(stored).astype(np.float64)
    if len(weights) > 1 and len(model.classes_) == 2:
        raise UnsupportedModelError(
            f"{type(model).__name__} has {len(weights)} score functions; it must have one, for two classes"
        )
    # Without a fitted intercept there is a single zero
    constants = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(weights))
    return replace(_weighted(weights, constants, inverse), single=stored.dtype == np.float32)


def _support_vectors(model: AnyModel) -> _Score:
    """A linear kernel: what is added up, a product with each support vector, may be larger than the sum."""
    if model.kernel != "linear" or len(model.classes_) > 2 or hasattr(model, "predict_proba"):
        raise UnsupportedModelError(
            f"{type(model).__name__} is read with kernel='linear', probability=False and two classes only; "
            "pass a function that returns 1.0 for what it accepts and 0.0 for the rest"
        )
    dual, vectors = (abs(part) for part in (model.dual_coef_, model.support_vectors_))  # sparse ones as well
    sizes = np.atleast_2d((dual @ vectors).toarray() if hasattr(vectors, "toarray") else dual @ vectors)
    sizes = sizes * (1 + vectors.shape[0] * 4 * DOUBLE / RELATIVE_MARGIN)
    return replace(
        _coefficients(model),
        weights=None,
        sizes=lambda column, values: np.abs(np.multiply.outer(values, sizes[:, column])),
    )


def _bernoulli_bayes(model: AnyModel) -> _Score:
    with np.errstate(divide="ignore"):
        absent = np.log(1 - np.exp(model.feature_log_prob_))
    score = _weighted(model.feature_log_prob_ - absent, model.class_log_prior_ + absent.sum(axis=1))
    if model.binarize is None:
        return score
    return replace(score, shares=lambda column, values: score.shares(column, values > model.binarize))


def _categorical_bayes(model: AnyModel) -> _Score:
    def shares(column: int, values: FloatArray) -> FloatArray:
        known = model.n_categories_[column]
        if (values != np.floor(values)).any() or values.min() < 0 or values.max() >= known:
            raise InputError(
                f"CategoricalNB knows the codes 0 to {known - 1} in column {column}, not "
                f"{values.min():g} to {values.max():g}; fit it with min_categories=schema.levels"
            )
        return np.asarray(model.feature_log_prob_[column][:, values.astype(np.int64)].T)

    return _Score(model.n_features_in_, shares, model.class_log_prior_, log_odds)


def _gaussian_bayes(model: AnyModel) -> _Score:
    def distances(column: int, values: FloatArray) -> FloatArray:
        return np.asarray((values[:, None] - model.theta_[:, column]) ** 2 / model.var_[:, column])

    return _Score(
        model.n_features_in_,
        lambda column, values: -(distances(column, values) + np.log(model.var_[:, column])) / 2,
        np.log(model.class_prior_),
        log_odds,
        # 2 for the logarithm of 2 pi
        sizes=lambda column, values: distances(column, values) + np.abs(np.log(model.var_[:, column])) + 2,
    )


def _calibrated(model: AnyModel) -> _Score:
    n_members, n_classes = len(model.calibrated_classifiers_), len(model.classes_)
    if n_members != 1 or n_classes != 2:
        raise UnsupportedModelError(
            f"CalibratedClassifierCV with {n_members} calibrated classifiers and {n_classes} classes is not "
            "additive; calibrate two classes with ensemble=False, or pass its predict_proba to have it asked"
        )
    (member,) = model.calibrated_classifiers_
    (calibrator,) = member.calibrators
    if not (hasattr(calibrator, "a_") and hasattr(calibrator, "b_")):
        raise UnsupportedModelError(
            f"CalibratedClassifierCV with method={model.method!r} is not read; use method='sigmoid'"
        )
    slope, offset = -float(calibrator.a_), -float(calibrator.b_)
    base: AnyModel = unwrapped(member.estimator)
    score, decides, sign = _score_of(base), hasattr(base, "decision_function"), np.sign(slope)
    reader_for(base)  # refuses one that answers in its own way
    if slope == 0 or (slope < 0 and not decides):
        raise UnsupportedModelError("the calibration does not rise with the score; calibrate on more data")

    def inverse(probability: float) -> float:
        response = (log_odds(probability) - offset) / slope  # of the classifier itself
        if decides:
            return float(sign * response)
        if score.inverse is None or not 0 < response < 1:
            raise InputError(
                f"calibrated to probability {probability:g}, no score or every score is positive; "
                "choose another threshold"
            )
        return score.inverse(response)

    return replace(
        score,
        shares=lambda column, values: sign * score.shares(column, values),
        constants=sign * score.constants,
        inverse=inverse,
    )


_SCORES: dict[str, Callable[[Any], _Score]] = {
    **dict.fromkeys(("LinearSVC", "RidgeClassifier", "RidgeClassifierCV", "Perceptron"), _coefficients),
    **dict.fromkeys(("SVC", "NuSVC"), _support_vectors),
    "LogisticRegression": lambda model: _coefficients(
        model,  # multinomial, before scikit-learn 1.8: logits -d and d
        (lambda p: log_odds(p) / 2) if getattr(model, "multi_class", "") == "multinomial" else log_odds,
    ),
    "SGDClassifier": lambda model: _coefficients(
        model, {"log_loss": log_odds, "modified_huber": lambda p: 2 * p - 1}.get(model.loss)
    ),
    "LinearDiscriminantAnalysis": lambda model: _coefficients(model, log_odds),
    "BernoulliNB": _bernoulli_bayes,
    "CategoricalNB": _categorical_bayes,
    "MultinomialNB": lambda model: _weighted(model.feature_log_prob_, model.class_log_prior_),
    "ComplementNB": lambda model: _weighted(model.feature_log_prob_, np.zeros(len(model.classes_))),
    "GaussianNB": _gaussian_bayes,
    "CalibratedClassifierCV": _calibrated,
}
