"""From the steps of a feed-forward network, in whatever library, to an oracle: folding, heads and margins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.oracles.network.oracle import Network, NetworkOracle
from oneformany.readers.chances import least_probability, log_odds
from oneformany.schema.encoding import Encoding

SMALLEST_MARGIN: Final = 1e-9
"""By how much the logit of a positive point exceeds what the threshold asks for, at least."""

HEAD_OPERATIONS: Final = 8
"""More rounded operations than a sigmoid or softmax needs."""

N_CONFIRMED: Final = 16
LARGEST_CONFIRMED: Final = 8.0
LARGEST_DIFFERENCE: Final = 0.02


@dataclass(frozen=True, eq=False)
class Affine:
    """The step ``inputs @ weights + bias``."""

    weights: FloatArray
    bias: FloatArray

    @classmethod
    def of(cls, weights: ArrayLike, bias: ArrayLike | None = None) -> Affine:
        """Take any array of numbers; without a bias it is zero."""
        matrix = np.asarray(weights, dtype=np.float64)
        shift = np.zeros(matrix.shape[1]) if bias is None else np.asarray(bias, dtype=np.float64)
        return cls(matrix, shift)

    @classmethod
    def scaling(cls, scale: ArrayLike, shift: ArrayLike) -> Affine:
        """Scale and shift each entry."""
        return cls.of(np.diag(np.asarray(scale, dtype=np.float64)), shift)

    def then(self, later: Affine) -> Affine:
        """Make both steps one."""
        return Affine(self.weights @ later.weights, self.bias @ later.weights + later.bias)


def normalisation(
    mean: ArrayLike, variance: ArrayLike, epsilon: float, scale: ArrayLike = 1.0, shift: ArrayLike = 0.0
) -> tuple[Affine, Affine]:
    """Normalise a batch with stored statistics, in the two steps that libraries round."""
    spread = np.sqrt(np.asarray(variance, dtype=np.float64) + epsilon)
    centred = Affine.scaling(np.ones_like(spread), -np.asarray(mean, dtype=np.float64))
    return centred, Affine.scaling(np.asarray(scale) / spread, np.zeros_like(spread) + shift)


RELU: Final = "relu"
Step = Affine | str
"""An :class:`Affine` step, or :data:`RELU`."""


def network_oracle(
    model: str,
    steps: Sequence[Step],
    encoding: Encoding,
    threshold: float | None,
    positive: int,
    roundoff: float,
    off: float = 0.0,
) -> NetworkOracle:
    """Make an oracle of a network that reads columns and ends in logits.

    With one logit at its end, that of class 1, or two, one per class, a point is positive when the
    probability of the positive class is at least the threshold. With more it is positive when no other
    class has a larger logit, which is when the model predicts the class.

    The margin exceeds what rounding can do to a logit in the library (each operation with a relative error
    of at most ``roundoff``, sums in any order) and here, and to the probability behind it. Where the library
    computes otherwise, ``off`` is how far from this it can end.
    """
    affine = [step for step in steps if isinstance(step, Affine)]
    if not affine:
        raise UnsupportedModelError(f"{model} has no layer with weights")
    encoding.check_width(affine[0].weights.shape[0], model)
    width = encoding.width
    for number, step in enumerate(affine):
        if len(step.weights) != width:
            raise UnsupportedModelError(
                f"{model} has a layer {number} that reads {len(step.weights)} numbers and gets {width}"
            )
        width = len(step.bias)
        if not (np.isfinite(step.weights).all() and np.isfinite(step.bias).all()):
            raise InputError(f"{model} has weights in layer {number} that are not finite; train it again")
    needed, steepest = _needed(model, threshold, width)
    groups = _alternating([*steps, *_head(model, width, positive)], encoding.width)
    first, *later = (reduce(Affine.then, group) for group in groups)
    network = Network(
        encoding.tables(first.weights),
        first.bias + encoding.constant_share(first.weights),
        tuple((layer.weights, layer.bias) for layer in later),
    )
    rounding = _rounding(groups, encoding, roundoff) + off + float(network.slack[-1][0])
    margin = max(SMALLEST_MARGIN, 2 * (rounding + HEAD_OPERATIONS * roundoff * steepest))
    return NetworkOracle(network, needed, margin=margin)


def confirmed_oracle(
    model: str,
    steps: Sequence[Step],
    head: str | None,
    encoding: Encoding,
    threshold: float | None,
    positive: int,
    roundoff: float,
    own: Callable[[FloatArray], FloatArray],
) -> NetworkOracle:
    """Make an oracle of a network whose structure was followed, and compare it with its own answers.

    ``head`` is what it makes of its logits, sigmoid or a softmax, and ``own`` gives a column of probabilities
    per class.
    """
    if isinstance(positive, bool) or not isinstance(positive, (int, np.integer)):
        raise InputError(f"positive is {positive!r}; the classes of {model} are numbered from 0")
    n_outputs = next((len(step.bias) for step in reversed(steps) if isinstance(step, Affine)), 0)
    if head is not None and n_outputs and (head.lower() == "sigmoid") != (n_outputs == 1):
        raise UnsupportedModelError(f"{model} ends in {head} over {n_outputs} outputs: these are not classes")
    oracle = network_oracle(model, steps, encoding, threshold, int(positive), roundoff)
    draw = np.random.default_rng(0)
    codes = np.stack([draw.integers(n, size=N_CONFIRMED) for n in encoding.levels], axis=1)
    scores = oracle.score(codes)
    own_probabilities = own(encoding.encode(codes))
    others = np.delete(own_probabilities, positive, axis=1).max(axis=1)
    with np.errstate(divide="ignore"):
        own_scores = np.log(own_probabilities[:, positive]) - np.log(others)
    clear = np.isfinite(own_scores) & (np.abs(own_scores) < LARGEST_CONFIRMED)
    worst = np.abs(scores - own_scores)[clear].max(initial=0.0)
    wrong_side = ~clear & (np.sign(scores) != np.sign(own_scores))
    if worst > LARGEST_DIFFERENCE or wrong_side.any():
        raise PredictionMismatchError(
            f"{model} was read, but its own answers differ: it must do something else than its layers say"
        )
    return oracle


def _needed(model: str, threshold: float | None, n_outputs: int) -> tuple[float, float]:
    """Find the logit that the threshold asks for, and how a relative error of the probability moves it."""
    if n_outputs > 2:
        if threshold is not None:
            raise InputError(
                f"{model} has {n_outputs} classes: its score is the distance to the strongest other class, "
                "not a probability; leave the threshold out to explain what the model predicts"
            )
        return 0.0, 1.0
    chance = least_probability(threshold)
    return log_odds(chance), 1 / min(chance, 1 - chance)


def _head(model: str, n_outputs: int, positive: int) -> list[Step]:
    """Lead from the logits to one score that is positive for the positive class."""
    n_classes = max(n_outputs, 2)
    if not 0 <= positive < n_classes:
        raise InputError(f"{model} has the classes 0 to {n_classes - 1}; {positive!r} is not one of them")
    if n_outputs == 1:
        return [] if positive == 1 else [Affine.of([[-1.0]])]
    ahead = np.delete(-np.eye(n_outputs), positive, axis=1)
    ahead[positive] = 1.0
    return [Affine.of(ahead), *_minimum(n_outputs - 1)]


def _minimum(n: int) -> list[Step]:
    """Take the smallest of ``n`` numbers: ``min(a, b) = a - relu(a - b)``, and ``a = relu(a) - relu(-a)``."""
    steps: list[Step] = []
    while n > 1:
        pairs, alone = divmod(n, 2)
        spread = np.zeros((n, 3 * pairs + 2 * alone))
        gather = np.zeros((3 * pairs + 2 * alone, pairs + alone))
        for pair in range(pairs):
            a, b = 2 * pair, 2 * pair + 1
            spread[[a, a, b, a], 3 * pair + np.array([0, 1, 2, 2])] = [1.0, -1.0, -1.0, 1.0]
            gather[3 * pair : 3 * pair + 3, pair] = [1.0, -1.0, -1.0]
        if alone:
            spread[n - 1, -2:] = gather[-2:, -1] = [1.0, -1.0]
        steps += [Affine.of(spread), RELU, Affine.of(gather)]
        n = pairs + alone
    return steps


def _alternating(steps: Sequence[Step], width: int) -> list[list[Affine]]:
    """Group the affine steps between ReLUs; an identity stands where there is none."""
    groups: list[list[Affine]] = [[]]
    for step in steps:
        if isinstance(step, Affine):
            groups[-1].append(step)
            width = len(step.bias)
        elif groups[-1]:
            groups.append([])
        elif len(groups) == 1:  # the network begins with a ReLU; further on it would be one of a ReLU
            groups = [[Affine.of(np.eye(width))], []]
    groups[-1] = groups[-1] or [Affine.of(np.eye(width))]
    return groups


def _rounding(groups: Sequence[Sequence[Affine]], encoding: Encoding, roundoff: float) -> float:
    """Bound the error of the logit when the library computes it step by step.

    A sum of ``n`` rounded products is wrong by at most ``n * roundoff / (1 - n * roundoff)`` times the sum of
    their absolute values, in any order; errors of the inputs pass through the absolute weights.
    """
    first = groups[0][0]
    shares = encoding.tables(first.weights)
    bias = first.bias + encoding.constant_share(first.weights)
    low = bias + sum(share.min(axis=0) for share in shares)
    high = bias + sum(share.max(axis=0) for share in shares)
    sizes = Encoding(encoding.columns, tuple(map(np.abs, encoding.values)), np.abs(encoding.constants))
    absolute = np.abs(first.weights)
    total = np.abs(first.bias) + sizes.constant_share(absolute)
    total = total + sum(share.max(axis=0) for share in sizes.tables(absolute))
    error = _relative(_n_filled(encoding), roundoff) * total
    for number, group in enumerate(groups):
        for step in group[1 if number == 0 else 0 :]:
            part = _relative(len(step.weights), roundoff)
            absolute = np.abs(step.weights)
            largest = np.maximum(np.abs(low), np.abs(high)) + error
            error = error @ absolute + part * (largest @ absolute + np.abs(step.bias))
            up, down = np.maximum(step.weights, 0.0), np.minimum(step.weights, 0.0)
            low, high = low @ up + high @ down + step.bias, high @ up + low @ down + step.bias
        if number + 1 < len(groups):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return float(error[0])


def _n_filled(encoding: Encoding) -> int:
    """How many columns are not zero at most; zeros add no error."""
    return int(np.count_nonzero(encoding.constants)) + sum(
        int(np.count_nonzero(block, axis=1).max()) for block in encoding.values
    )


def _relative(n_products: int, roundoff: float) -> float:
    n = (n_products + 3) * roundoff
    return n / (1 - n) if n < 0.5 else math.inf
