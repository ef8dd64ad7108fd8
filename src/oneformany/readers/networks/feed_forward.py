"""From the steps of a feed-forward network, in whatever library, to an oracle: folding, heads and margins."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import block_diag

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.readers.verdict import (
    DOUBLE,
    SINGLE,
    both_classes,
    class_index,
    least_probability,
    log_odds,
    too_near,
)
from oneformany.schema.encoding import Encoding

SMALLEST_MARGIN = 1e-9  # by how much the logit of a positive point exceeds what the threshold asks for
HEAD_OPERATIONS = 8  # more rounded operations than a sigmoid or softmax needs
RELU: Final = "relu"


class Affine:
    """The step ``inputs @ weights + bias``; without a bias it is zero."""

    def __init__(self, weights: ArrayLike, bias: ArrayLike | None = None) -> None:
        self.weights: FloatArray = np.asarray(weights, dtype=np.float64)
        shift = np.zeros(self.weights.shape[1]) if bias is None else bias
        self.bias: FloatArray = np.asarray(shift, dtype=np.float64)

    def then(self, later: Self) -> Self:
        """Make both steps one."""
        return type(self)(self.weights @ later.weights, self.bias @ later.weights + later.bias)


Step = Affine | str  # or :data:`RELU`


def read_mlp(
    model: AnyModel, encoding: Encoding, threshold: float | None = None, positive: object = 1
) -> NetworkOracle:
    """Read a fitted ``MLPClassifier``, so that the engine can prove what it answers."""
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
        steps += [Affine(weights, bias), *([RELU] if model.activation == "relu" else [])]
    roundoff = SINGLE if model.coefs_[0].dtype == np.float32 else DOUBLE
    last = len(steps) - (model.activation == "relu")  # no ReLU follows the logits
    return network_oracle(kind, steps[:last], encoding, threshold, index, roundoff)


def network_oracle(
    model: str,
    steps: Sequence[Step],
    encoding: Encoding,
    threshold: float | None,
    positive: int,
    roundoff: float,
    off: float = 0.0,
) -> NetworkOracle:
    """Make an oracle of a network that reads columns and ends in logits: that of class 1, or one per class.

    With more than two a point is positive when no other class has a larger one. The margin exceeds what
    rounding can do to a logit in the library (each operation with a relative error of at most ``roundoff``,
    sums in any order) and here; where the library computes otherwise, ``off`` is how far it can end off.
    """
    affine = [step for step in steps if isinstance(step, Affine)]
    encoding.check_width(affine[0].weights.shape[0], model)
    width = encoding.width
    for number, step in enumerate(affine):
        if len(step.weights) != width:
            raise UnsupportedModelError(
                f"{model} has a layer {number} that reads {len(step.weights)} numbers and gets {width}"
            )
        width = len(step.bias)
    needed, steepest = 0.0, 1.0  # the logit asked for, and how a relative error of the probability moves it
    if width > 2 and threshold is not None:
        raise UnsupportedModelError(
            f"{model} has {width} classes: its score is the distance to the strongest other class, not a "
            "probability; leave the threshold out to explain what the model predicts"
        )
    if width <= 2:
        chance = least_probability(threshold)
        needed, rarer = log_odds(chance), min(chance, 1 - chance)
        if not rarer >= np.finfo(np.float64).tiny:  # of smaller ones a relative error says nothing
            raise too_near(chance)
        steepest = 1 / rarer
    whole = [*steps, *_head(model, width, positive)]
    if whole[0] == RELU:  # an identity stands where a ReLU follows, or is followed by, nothing
        whole = [Affine(np.eye(encoding.width)), *whole]
    if whole[-1] == RELU:
        whole = [*whole, Affine(np.eye(width))]
    groups = groupby(whole, lambda step: step == RELU)
    layers = [[step for step in group if isinstance(step, Affine)] for relu, group in groups if not relu]
    first, *later = (reduce(Affine.then, layer) for layer in layers)
    network = Network(
        encoding.tables(first.weights),
        first.bias + encoding.constant_share(first.weights),
        tuple((layer.weights, layer.bias) for layer in later),
    )
    rounding = _rounding(layers[0][0], whole[1:], encoding, roundoff) + off + float(network.slack[-1][0])
    margin = max(SMALLEST_MARGIN, 2 * (rounding + HEAD_OPERATIONS * roundoff * steepest))
    return NetworkOracle(network, needed, margin=margin)


@dataclass(eq=False)
class Chain:
    """A network of another library as far as it was followed."""

    model: str  # what to call it in messages
    steps: list[Step] = field(default_factory=list)  # to its logits
    head: str | None = None  # what it makes of them: sigmoid or a softmax
    precisions: set[str] = field(default_factory=set)  # in which it computes
    run: Callable[[FloatArray], NDArray[Any]] = np.asarray  # what the library makes of columns, with the head

    @property
    def n_outputs(self) -> int:
        """How many logits there are; 0: there is no layer with weights."""
        return next((len(step.bias) for step in reversed(self.steps) if isinstance(step, Affine)), 0)

    def oracle(self, encoding: Encoding, threshold: float | None, positive: int) -> NetworkOracle:
        """Make an oracle."""
        if unknown := [kind for kind in self.precisions if not kind.endswith(("float32", "float64"))]:
            raise UnsupportedModelError(
                f"{self.model} computes in {unknown[0]}; read are float32 and float64"
            )
        if self.head and (self.head.lower() == "sigmoid") != (self.n_outputs == 1):
            raise UnsupportedModelError(
                f"{self.model} ends in {self.head} over {self.n_outputs} outputs: these are not classes"
            )
        roundoff = SINGLE if any(kind.endswith("float32") for kind in self.precisions) else DOUBLE
        return network_oracle(self.model, self.steps, encoding, threshold, positive, roundoff)

    def probabilities(self, columns: FloatArray) -> FloatArray:
        """Ask the network itself; the answer has a column of probabilities per class."""
        outputs = self.run(columns)
        if np.isnan(outputs).any():
            row = int(np.isnan(outputs).any(axis=1).argmax())
            raise InputError(f"{self.model} gives not-a-number for row {row} of {len(columns)}")
        if self.head is None and outputs.shape[1] == 1:
            outputs = np.exp(-np.logaddexp(0, -outputs))
        elif self.head is None:
            outputs = np.exp(outputs - np.logaddexp.reduce(outputs, axis=1, keepdims=True))
        elif self.head.lower() == "logsoftmax":
            outputs = np.exp(outputs)
        return both_classes(outputs[:, 0]) if outputs.shape[1] == 1 else np.asarray(outputs, dtype=np.float64)


def _head(model: str, n_outputs: int, positive: int) -> list[Step]:
    """Lead from the logits to one score that is positive for the positive class.

    That is a logit or, of several, the smallest lead over another: ``min(a, b) = a - relu(a - b)``, and
    ``a = relu(a) - relu(-a)``.
    """
    n_classes = max(n_outputs, 2)
    if not 0 <= positive < n_classes:
        raise InputError(f"{model} has the classes 0 to {n_classes - 1}; {positive!r} is not one of them")
    if n_outputs == 1:
        return [] if positive == 1 else [Affine([[-1.0]])]
    ahead = np.delete(-np.eye(n_outputs), positive, axis=1)
    ahead[positive] = 1.0
    steps: list[Step] = [Affine(ahead)]
    n = n_outputs - 1
    while n > 1:
        pairs, alone = divmod(n, 2)
        spread = [[[1, -1, 1], [0, 0, -1]]] * pairs + [[[1, -1]]] * alone
        gather = [[[1], [-1], [-1]]] * pairs + [[[1], [-1]]] * alone
        steps += [Affine(block_diag(*spread)), RELU, Affine(block_diag(*gather))]
        n = pairs + alone
    return steps


def _rounding(first: Affine, later: Sequence[Step], encoding: Encoding, roundoff: float) -> float:
    """Bound the error of the logit when the library computes it step by step.

    A sum of ``n`` rounded products is wrong by at most ``n * roundoff / (1 - n * roundoff)`` times the sum of
    their absolute values, in any order; errors of the inputs pass through the absolute weights.
    """
    shares = encoding.tables(first.weights)
    bias = first.bias + encoding.constant_share(first.weights)
    low = bias + sum(share.min(axis=0) for share in shares)
    high = bias + sum(share.max(axis=0) for share in shares)
    sizes = Encoding(encoding.columns, tuple(map(np.abs, encoding.values)), np.abs(encoding.constants))
    absolute = np.abs(first.weights)
    largest = (share.max(axis=0) for share in sizes.tables(absolute))
    total = sum(largest, np.abs(first.bias) + sizes.constant_share(absolute))
    filled = [np.count_nonzero(block, axis=1).max() for block in (encoding.constants[None], *encoding.values)]

    def relative(n_products: int) -> float:
        n = (n_products + 3) * roundoff
        return n / (1 - n) if n < 0.5 else math.inf

    error = relative(int(sum(filled))) * total  # zeros add no error
    for step in later:
        if isinstance(step, str):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
            continue
        part = relative(len(step.weights))
        absolute = np.abs(step.weights)
        largest = np.maximum(np.abs(low), np.abs(high)) + error
        error = error @ absolute + part * (largest @ absolute + np.abs(step.bias))
        up, down = np.maximum(step.weights, 0.0), np.minimum(step.weights, 0.0)
        low, high = low @ up + high @ down + step.bias, high @ up + low @ down + step.bias
    return float(error[0])
