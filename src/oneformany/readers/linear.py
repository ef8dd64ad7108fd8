"""Linear and naive Bayes classifiers of scikit-learn: additive oracles, or networks for several classes."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.chances import DOUBLE, SINGLE
from oneformany.readers.linear_scores import REST, Score, score_of
from oneformany.readers.networks.feed_forward import Affine, network_oracle
from oneformany.readers.verdict import class_index
from oneformany.schema.encoding import Encoding

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

LEAD_OPERATIONS = 64
"""More rounded operations than a model needs for what one column adds to the lead of a class."""


def read_linear(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> AdditiveOracle | NetworkOracle:
    """Read a linear or naive Bayes classifier, so that the engine can compute with it exactly.

    Scores within ``MARGIN`` of what the threshold asks for, or within what single precision demands where the
    model was fitted in it, are the model's to decide. Where that cannot be asked (the oracle was read
    without a verdict) they do not count as positive; so a point that the oracle calls positive is positive
    for the model, however it rounds.

    With more than two classes, and without a threshold, a point is positive when the model predicts the
    positive class: when its lead over every other class, each of which is additive, is not negative. The
    smallest lead is the score; written with ReLUs it is a small network, so the answers have proofs. With a
    threshold, models that have only decision values are positive when that of the positive class, one against
    the rest, reaches it.
    """
    index = class_index(model, positive)
    kind, n_classes = type(model).__name__, len(model.classes_)
    if n_classes == 2:
        return _additive(kind, score_of(model), encoding, threshold, 1.0 if index else -1.0)
    if not hasattr(model, "coef_") and not hasattr(model, "class_count_"):
        raise UnsupportedModelError(
            f"{kind} knows {n_classes} classes, which is read only of linear and naive Bayes classifiers; "
            "pass its predict_proba to have it asked as a black box"
        )
    if threshold is None:
        others = [other for other in range(n_classes) if other != index]
        return _smallest_lead(kind, [score_of(model, (other, index)) for other in others], encoding)
    if hasattr(model, "predict_proba"):
        raise InputError(
            f"{kind} knows {n_classes} classes, and a threshold on the probability of one of them is not "
            "additive; leave threshold=None to ask for what it predicts, or pass its predict_proba "
            "to have it asked as a black box"
        )
    return _additive(kind, score_of(model, (REST, index)), encoding, threshold, 1.0)


def _additive(
    model: str, score: Score, encoding: Encoding, threshold: float | None, sign: float
) -> AdditiveOracle:
    tables, constant = score.tables(encoding, model)
    low, high = _needed(score, threshold, sign)
    return AdditiveOracle(
        [sign * table for table in tables],
        sign * constant,
        (low + high) / 2,
        margin=max(MARGIN, _rounding(score, encoding, model)) + (high - low) / 2,
        rounds=not _is_exact(score, encoding),
    )


def _smallest_lead(model: str, leads: list[Score], encoding: Encoding) -> NetworkOracle:
    """Make a network whose logits are minus the leads, and 0 for the positive class."""
    tables, constants = zip(*(lead.tables(encoding, model) for lead in leads), strict=True)
    blocks = [np.stack(shares, axis=1) for shares in zip(*tables, strict=True)]
    minus = np.hstack([np.zeros((len(leads), 1)), -np.eye(len(leads))])
    logits = Affine.of(np.vstack([minus] * len(blocks)), -np.array([0.0, *constants]))
    off = max(_rounding(lead, encoding, model) for lead in leads)
    precision = SINGLE if leads[0].single else DOUBLE
    rounding = LEAD_OPERATIONS * precision
    return network_oracle(model, [logits], Encoding.from_blocks(blocks), None, 0, rounding, off)


def _rounding(score: Score, encoding: Encoding, model: str) -> float:
    """How far off a score can be when the model adds it up, each class by itself."""
    relative = 2 * (score.width + 2) * SINGLE if score.single else RELATIVE_MARGIN
    relative = max(relative, 4 * (score.width + 2) * DOUBLE)
    return relative * score.largest(encoding, model)


def _is_exact(score: Score, encoding: Encoding) -> bool:
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


def _needed(score: Score, threshold: float | None, sign: float) -> tuple[float, float]:
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
