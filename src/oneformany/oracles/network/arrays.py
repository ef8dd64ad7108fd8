"""A network as flat arrays, and its score in one fixed order of float64 operations.

Layer 0 of pre-activations is a sum of table rows; layer ``k + 1`` is ``relu(layer k) @ weights[k] +
biases[k + 1]``; the last layer has one entry, the logit. Scores involve no matrix library, so a point has the
same score alone and in a batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import lean


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


class Part(NamedTuple):
    """Points: an open choice per feature, with at most ``EXTRA`` not-free features off their anchor.

    Only points whose pre-activations are within their ranges, and on their sides of zero, are meant. Once
    entered (see ``enter``), a feature that is not free has its anchor among its options.
    """

    options: BoolArray  # (choices,)
    free: BoolArray  # (p,)
    anchor: IntArray  # (p,) choices
    numbers: IntArray  # (2,): EXTRA, and the first layer whose ranges are STALE
    lines: FloatArray  # (5, depth + 1, widest): LOW, HIGH, LOWER_SLOPE (negative: not yet), PENALTY, SIDE


EXTRA, STALE = range(2)
LOW, HIGH, LOWER_SLOPE, PENALTY, SIDE = range(5)


class Work(NamedTuple):
    """Memory for one question: few arrays with named slices, since each array costs a call time."""

    layers: FloatArray  # (8, depth + 1, widest): HIDDEN ... BASE
    choices: FloatArray  # (2, choices): GAINS, TRIAL
    lift: FloatArray  # (p,)
    features: IntArray  # (2, p): INSIDE, TARGET
    sums: FloatArray  # (p + 1, widest)


HIDDEN, COEFS, RAW, UPPER_SLOPE, UPPER_SHIFT, SLOPE, LOOSENESS, BASE = range(8)
GAINS, TRIAL = range(2)
INSIDE, TARGET = range(2)


def make_part(net: Arrays, options: BoolArray, free: BoolArray, extra: int, anchor: IntArray) -> Part:
    """Describe the points of a question, with all ranges as wide as they can be.

    ``options`` are what a feature may take when it moves; one that is not free and lacks its anchor has to.
    """
    lines = np.zeros((5, *net.biases.shape))
    lines[LOW], lines[HIGH], lines[LOWER_SLOPE] = -net.limits, net.limits, -1.0
    return Part(options.copy(), free.copy(), anchor.copy(), np.array([extra, 0]), lines)


def copy_part(part: Part) -> Part:
    """Copy a part."""
    return Part(
        part.options.copy(), part.free.copy(), part.anchor.copy(), part.numbers.copy(), part.lines.copy()
    )


def reserve(net: Arrays) -> Work:
    """Reserve memory for questions about a network."""
    n_features = len(net.starts) - 1
    return Work(
        layers=np.zeros((8, *net.biases.shape)),
        choices=np.zeros((2, len(net.rows))),
        lift=np.zeros(n_features),
        features=np.zeros((2, n_features), dtype=np.int64),
        sums=np.zeros((n_features + 1, net.biases.shape[1])),
    )


@lean(inner=True)
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


@lean(inner=True)
def score_point(net: Arrays, point: IntArray, hidden: FloatArray) -> float:
    """Fill all layers for a row of choices and return the logit."""
    for j in range(net.widths[0]):
        hidden[0, j] = net.biases[0, j]
    for c in point:
        for j in range(net.widths[0]):
            hidden[0, j] += net.rows[c, j]
    return forward(net, hidden)


@lean()
def score_points(net: Arrays, points: IntArray, hidden: FloatArray, scores: FloatArray) -> None:
    """Score each row of choices."""
    for row in range(len(points)):
        scores[row] = score_point(net, points[row], hidden)
