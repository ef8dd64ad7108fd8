"""Read ``MLPClassifier`` of scikit-learn."""

from __future__ import annotations

import numpy as np

from oneformany.anything import AnyModel
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.readers.chances import DOUBLE, SINGLE
from oneformany.readers.networks.feed_forward import RELU, Affine, Step, network_oracle
from oneformany.readers.verdict import class_index
from oneformany.schema.encoding import Encoding


def read_network(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> NetworkOracle:
    """Read a fitted multilayer perceptron, so that the engine can prove what it answers."""
    kind = type(model).__name__
    index = class_index(model, positive)
    if model.activation not in ("relu", "identity"):
        raise UnsupportedModelError(
            f"{kind} has the activation {model.activation!r}; read are 'relu' and 'identity'"
        )
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        raise UnsupportedModelError(f"{kind} predicts {model.n_outputs_} labels at once; it must predict one")
    steps: list[Step] = []
    for weights, bias in zip(model.coefs_, model.intercepts_, strict=True):
        steps.append(Affine.of(weights, bias))
        if model.activation == "relu":
            steps.append(RELU)
    if model.activation == "relu":
        steps.pop()
    roundoff = SINGLE if model.coefs_[0].dtype == np.float32 else DOUBLE
    return network_oracle(kind, steps, encoding, threshold, index, roundoff)
