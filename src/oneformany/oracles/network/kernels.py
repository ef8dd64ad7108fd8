"""A network as flat arrays, and its score in one fixed order of float64 operations.

Layer 0 of pre-activations is a sum of table rows; layer ``k + 1`` is ``relu(layer k) @ weights[k] +
biases[k + 1]``; the last layer has one entry, the logit. Scores involve no matrix library, so a point has the
same score alone and in a batch.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import FloatArray, IntArray
from oneformany.compiled import lean, outer
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE


class Arrays(NamedTuple):
    """What the compiled functions know of a network."""

    rows: FloatArray  # (levels of all features, widest): what a level adds to layer 0
    starts: IntArray  # (p + 1,): the first row of each feature
    weights: FloatArray  # (depth, widest, widest), zero where a layer is narrower
    biases: FloatArray  # (depth + 1, widest)
    widths: IntArray  # (depth + 1,)
    limits: FloatArray  # (depth + 1, widest): no point takes an entry of a layer further from zero
    slack: FloatArray  # (depth + 1, widest): more than rounding changes in a bound and in the entry together


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
    """Fill all layers for a row of codes and return the logit."""
    for j in range(net.widths[0]):
        hidden[0, j] = net.biases[0, j]
    for f in range(len(point)):
        at = net.starts[f] + point[f]
        for j in range(net.widths[0]):
            hidden[0, j] += net.rows[at, j]
    return forward(net, hidden)


@lean()
def score_points(net: Arrays, points: IntArray, hidden: FloatArray, scores: FloatArray) -> None:
    """Score each row of codes."""
    for row in range(len(points)):
        scores[row] = score_point(net, points[row], hidden)


@outer
def judge_moves(
    net: Arrays,
    values: IntArray,
    features: IntArray,
    goals: NDArray[np.int32],
    choices: IntArray,
    least: float,
    sure: float,
    judged: NDArray[np.int8],
) -> None:
    """Judge every row after every choice; see :meth:`NetworkOracle.judge_moves`."""
    k = len(features)
    width = net.widths[0]
    sums = np.zeros((k + 1, width))
    hidden = np.zeros_like(net.biases)
    moved = np.zeros(values.shape[1], dtype=np.bool_)
    for feature in features:
        moved[feature] = True
    for i in range(len(values)):
        for h in range(width):
            sums[0, h] = net.biases[0, h]
        for feature in range(values.shape[1]):
            if not moved[feature]:
                for h in range(width):
                    sums[0, h] += net.rows[net.starts[feature] + values[i, feature], h]
        good = 0  # how many of the sums belong to the choice before
        for c in range(len(choices)):
            same = 0
            while same < good and choices[c, same] == choices[c - 1, same]:
                same += 1
            good = same
            while good < k and goals[i, good, choices[c, good]] >= 0:
                at = net.starts[features[good]] + goals[i, good, choices[c, good]]
                for h in range(width):
                    sums[good + 1, h] = sums[good, h] + net.rows[at, h]
                good += 1
            judged[i, c] = NEGATIVE
            if good == k:
                for h in range(width):
                    hidden[0, h] = sums[k, h]
                score = forward(net, hidden)
                judged[i, c] = POSITIVE if score >= sure else NEAR if score >= least else NEGATIVE
