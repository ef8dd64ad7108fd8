"""Linear and naive Bayes classifiers of more than two classes, one of which is the positive one."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.chances import DOUBLE
from oneformany.readers.linear import read_linear, two_class_tables
from oneformany.readers.networks.feed_forward import Affine, network_oracle
from oneformany.readers.verdict import class_index
from oneformany.schema.encoding import Encoding

__all__ = ["read_classes"]

SAFETY = 64 * DOUBLE
MOST_CANCELLED = 2.0**20


def read_classes(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> AdditiveOracle | NetworkOracle:
    """Read a linear or naive Bayes classifier of two or more classes.

    With two classes see :func:`~oneformany.readers.linear.read_linear`. With more, and without a threshold, a
    point is positive when the model predicts the positive class: when its lead over every other class, each
    of which is additive, is not negative. The smallest lead is the score; written with ReLUs it is a small
    network, so the answers have proofs. With a threshold, models that have only decision values
    are positive when that of the positive class, one against the rest, reaches it.
    """
    index = class_index(model, positive)
    n_classes = len(model.classes_)
    if n_classes == 2:
        return read_linear(model, encoding, threshold, positive)
    kind = type(model).__name__
    if not hasattr(model, "coef_") and not hasattr(model, "class_count_"):
        raise UnsupportedModelError(
            f"{kind} knows {n_classes} classes, which is read only of linear and naive Bayes classifiers; "
            "pass its predict_proba to have it asked as a black box"
        )
    if threshold is not None:
        if hasattr(model, "predict_proba"):
            raise InputError(
                f"{kind} knows {n_classes} classes, and a threshold on the probability of one of them is not "
                "additive; leave threshold=None to ask for what it predicts, or pass its predict_proba "
                "to have it asked as a black box"
            )
        return read_linear(_against_rest(model, index), encoding, threshold, 1)
    return _smallest_lead(model, encoding, index)


def _smallest_lead(model: AnyModel, encoding: Encoding, index: int) -> NetworkOracle:
    """Make a network whose logits are minus the leads, and 0 for the positive class."""
    others = [other for other in range(len(model.classes_)) if other != index]
    leads = [two_class_tables(_pair(model, other, index), encoding) for other in others]
    blocks = [np.stack(shares, axis=1) for shares in zip(*(tables for tables, *_ in leads), strict=True)]
    minus = np.hstack([np.zeros((len(others), 1)), -np.eye(len(others))])
    bias = np.array([0.0, *(-constant for _, constant, _ in leads)])
    logits = Affine.of(np.vstack([minus] * len(blocks)), bias)
    rounding = SAFETY * min(max(1.0, *(_cancelled(*lead) for lead in leads)), MOST_CANCELLED)
    return network_oracle(type(model).__name__, [logits], Encoding.from_blocks(blocks), None, 0, rounding)


def _cancelled(tables: Sequence[FloatArray], constant: float, largest: float) -> float:
    """How many times larger the sums are of which a lead is the difference."""
    return largest / (abs(constant) + sum(float(np.abs(table).max()) for table in tables) or 1.0)


def _against_rest(model: AnyModel, index: int) -> AnyModel:
    """One class against the rest, as a classifier of two classes."""
    return _view(model, coef_=_dense(model)[[index]], intercept_=_intercepts(model)[[index]])


def _pair(model: AnyModel, other: int, index: int) -> AnyValue:
    """The choice between two of the classes, as a classifier of two; the second is the positive one."""
    both = [other, index]
    if hasattr(model, "coef_"):
        weights, constants = _dense(model), _intercepts(model)
        ahead = weights[[index]] - weights[[other]]
        return _view(model, coef_=ahead, intercept_=constants[[index]] - constants[[other]])
    if hasattr(model, "theta_"):
        return _view(
            model, theta_=model.theta_[both], var_=model.var_[both], class_prior_=model.class_prior_[both]
        )
    logs = model.feature_log_prob_
    part = [table[both] for table in logs] if isinstance(logs, list) else logs[both]
    return _view(model, feature_log_prob_=part, class_log_prior_=model.class_log_prior_[both])


def _view(model: AnyModel, **parameters: AnyValue) -> AnyModel:
    """Copy a classifier with two classes and other parameters."""
    pair = copy(model)
    vars(pair).update(classes_=np.array([0, 1]), **parameters)
    return pair


def _dense(model: AnyModel) -> AnyValue:
    return model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_


def _intercepts(model: AnyModel) -> AnyValue:
    """Intercepts of all classes; without a fitted intercept there is a single zero."""
    return np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(model.classes_))
