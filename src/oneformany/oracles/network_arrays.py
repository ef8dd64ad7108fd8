"""A network as flat arrays, and its score in one fixed order of float64 operations.

Layer 0 of pre-activations is a sum of table rows; layer ``k + 1`` is ``relu(layer k) @ weights[k] +
biases[k + 1]``; the last layer has one entry, the logit. Scores involve no matrix library, so a point has the
same score alone and in a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, ParamSpec, TypeVar

import numba
import numpy as np

from oneformany.oracles.protocol import BoolArray, FloatArray, IntArray

__all__ = [
    "ABOVE",
    "BASE",
    "BELOW",
    "COEFS",
    "GAINS",
    "HIDDEN",
    "HIGH",
    "INSIDE",
    "LOW",
    "SHIFT",
    "TARGET",
    "TRIAL",
    "Arrays",
    "Box",
    "Work",
    "compiled",
    "forward",
    "reserve",
    "score_point",
    "score_points",
]

P = ParamSpec("P")
R = TypeVar("R")


class Arrays(NamedTuple):
    """What the compiled functions know of a network.

    The levels of all features, one feature after the other, are its *choices*.
    """

    rows: FloatArray  # (choices, widest): what a choice adds to layer 0
    starts: IntArray  # (p + 1,): the first choice of each feature
    weights: FloatArray  # (depth, widest, widest), zero where a layer is narrower
    biases: FloatArray  # (depth + 1, widest)
    widths: IntArray  # (depth + 1,)
    limits: FloatArray  # (depth + 1, widest): no point takes an entry of a layer further from zero
    slack: FloatArray  # (depth + 1, widest): more than rounding changes in a bound and in the entry together


class Box(NamedTuple):
    """Points: an open choice per feature, with at most ``extra`` not-free features off their anchor."""

    options: BoolArray  # (choices,) at least one per feature; a feature that is not free has its anchor
    free: BoolArray  # (p,)
    extra: int  # if zero, a feature that is not free has only its anchor
    anchor: IntArray  # (p,) choices


class Work(NamedTuple):
    """Memory for one question: few arrays with named slices, since each array costs a call time."""

    layers: FloatArray  # (8, depth + 1, widest): HIDDEN ... BASE
    choices: FloatArray  # (2, choices): GAINS, TRIAL
    lift: FloatArray  # (p,)
    features: IntArray  # (2, p): INSIDE, TARGET


HIDDEN, COEFS, LOW, HIGH, ABOVE, SHIFT, BELOW, BASE = range(8)
GAINS, TRIAL = range(2)
INSIDE, TARGET = range(2)


def reserve(net: Arrays) -> Work:
    """Reserve memory for questions about a network."""
    n_features = len(net.starts) - 1
    return Work(
        layers=np.empty((8, *net.biases.shape)),
        choices=np.zeros((2, len(net.rows))),
        lift=np.empty(n_features),
        features=np.empty((2, n_features), dtype=np.int64),
    )


def compiled(*, reorder: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function at its first call and keep it on disk; ``reorder`` allows sums in any order."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        fastmath = {"reassoc", "contract"} if reorder else False
        made: Callable[P, R] = numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
        return made

    return decorate


@compiled()
def forward(net: Arrays, hidden: FloatArray) -> float:
    """Fill the layers after ``hidden[0]`` and return the logit."""
    last = len(net.widths) - 1
    for k in range(last):
        for i in range(net.widths[k + 1]):
            hidden[k + 1, i] = net.biases[k + 1, i]
        for j in range(net.widths[k]):
            active = hidden[k, j]
            if active > 0.0:
                for i in range(net.widths[k + 1]):
                    hidden[k + 1, i] += active * net.weights[k, j, i]
    return float(hidden[last, 0])


@compiled()
def score_point(net: Arrays, point: IntArray, hidden: FloatArray) -> float:
    """Fill all layers for a row of choices and return the logit."""
    for j in range(net.widths[0]):
        hidden[0, j] = net.biases[0, j]
    for c in point:
        for j in range(net.widths[0]):
            hidden[0, j] += net.rows[c, j]
    return forward(net, hidden)


@compiled()
def score_points(net: Arrays, points: IntArray, hidden: FloatArray, scores: FloatArray) -> None:
    """Score each row of choices."""
    for row in range(len(points)):
        scores[row] = score_point(net, points[row], hidden)
