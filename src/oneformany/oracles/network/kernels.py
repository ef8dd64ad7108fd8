"""A network as flat arrays, its score in one fixed order of float64 operations, and good points by climbing.

Layer 0 of pre-activations is a sum of table rows; layer ``k + 1`` is ``relu(layer k) @ weights[k] +
biases[k + 1]``; the last layer has one entry, the logit. Scores involve no matrix library, so a point has the
same score alone and in a batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import lean, outer
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE, Question


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


class Region(NamedTuple):
    """Points: an open choice per feature, with at most ``EXTRA`` not-free features off their anchor.

    Only points whose pre-activations are within their ranges, and on their sides of zero, are meant. Features
    that are not free have their anchor among their options, and no other where ``EXTRA`` is 0.
    """

    options: BoolArray  # (choices,)
    free: BoolArray  # (p,)
    anchor: IntArray  # (p,) choices
    numbers: IntArray  # (3,): EXTRA, the first layer whose ranges are STALE, and how many features are OPEN
    lines: FloatArray  # (5, depth + 1, widest): LOW, HIGH, LOWER_SLOPE (negative: not yet), PENALTY, SIDE


EXTRA, STALE, OPEN = range(3)
LOW, HIGH, LOWER_SLOPE, PENALTY, SIDE = range(5)


class Work(NamedTuple):
    """Memory for one question: few arrays with named slices, since each array costs a call time."""

    layers: FloatArray  # (8, depth + 1, widest): HIDDEN ... BASE
    choices: FloatArray  # (2, choices): GAINS, TRIAL
    lift: FloatArray  # (p,)
    features: IntArray  # (2, p): INSIDE, TARGET


HIDDEN, COEFS, RAW, UPPER_SLOPE, UPPER_SHIFT, SLOPE, LOOSENESS, BASE = range(8)
GAINS, TRIAL = range(2)
INSIDE, TARGET = range(2)


def make_region(
    net: Arrays, exists: BoolArray, question: Question, lines: FloatArray, stale: int = 0
) -> Region:
    """Describe the points of an anchored question; ``exists[l, v]``: feature ``l`` has level ``v``."""
    numbers = np.array([question.extra, stale, 0])
    return Region(question.domain[exists], question.free, net.starts[:-1] + question.anchor, numbers, lines)


def existing_levels(net: Arrays, width: int) -> BoolArray:
    """``(p, width)``: which levels the features have; one after the other these are the choices."""
    return np.arange(width) < np.diff(net.starts)[:, None]


def widest_lines(net: Arrays) -> FloatArray:
    """Draw no lines yet, with all ranges as wide as they can be."""
    lines = np.zeros((5, *net.biases.shape))
    lines[LOW], lines[HIGH], lines[LOWER_SLOPE] = -net.limits, net.limits, -1.0
    return lines


def reserve(net: Arrays) -> Work:
    """Reserve memory for questions about a network."""
    n_features = len(net.starts) - 1
    return Work(
        layers=np.zeros((8, *net.biases.shape)),
        choices=np.zeros((2, len(net.rows))),
        lift=np.zeros(n_features),
        features=np.zeros((2, n_features), dtype=np.int64),
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


@lean(inner=True)
def _score_after(net: Arrays, f: int, c: int, point: IntArray, work: Work) -> float:
    """Score a point after one change; layer 0 of ``BASE`` is the point's, of ``HIDDEN`` the changed one's."""
    for j in range(net.widths[0]):
        work.layers[HIDDEN, 0, j] = work.layers[BASE, 0, j] + (net.rows[c, j] - net.rows[point[f], j])
    return forward(net, work.layers[HIDDEN])


@lean()
def climb(net: Arrays, region: Region, threshold: float, point: IntArray, work: Work) -> None:
    """Move ``point`` uphill, one feature at a time, until positive or at a peak.

    A pass finds the best change of each feature, and then makes those that still help, the best first.
    """
    p = len(point)
    before = -np.inf
    while True:
        score = score_point(net, point, work.layers[BASE])  # anew: small changes of sums drift
        if not before < score < threshold:
            return
        before = score
        for f in range(p):
            work.lift[f] = 0.0
            for c in range(net.starts[f], net.starts[f + 1]):
                if region.options[c] and c != point[f]:
                    lift = _score_after(net, f, c, point, work) - score
                    if lift > work.lift[f]:
                        work.lift[f] = lift
                        work.features[TARGET, f] = c
        for _ in range(p):
            best = p - 1
            spent = 0
            for f in range(p):
                spent += not region.free[f] and point[f] != region.anchor[f]
                if work.lift[f] > work.lift[best]:
                    best = f
            if work.lift[best] <= 0.0 or score >= threshold:
                break
            work.lift[best] = 0.0
            if spent < region.numbers[EXTRA] or region.free[best] or point[best] != region.anchor[best]:
                new = _score_after(net, best, work.features[TARGET, best], point, work)
                if new > score:
                    score = new
                    point[best] = work.features[TARGET, best]
                    for j in range(net.widths[0]):
                        work.layers[BASE, 0, j] = work.layers[HIDDEN, 0, j]


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
        good = 0  # levels whose sums belong to the choice before
        for c in range(len(choices)):
            if c > 0:
                same = 0
                while same < good and choices[c, same] == choices[c - 1, same]:
                    same += 1
                good = same
            while good < k:
                goal = goals[i, good, choices[c, good]]
                if goal < 0:
                    break
                at = net.starts[features[good]] + goal
                for h in range(width):
                    sums[good + 1, h] = sums[good, h] + net.rows[at, h]
                good += 1
            if good < k:
                judged[i, c] = NEGATIVE
                continue
            if len(net.widths) == 2:
                score = net.biases[1, 0]
                for h in range(width):
                    score += max(sums[k, h], 0.0) * net.weights[0, h, 0]
            else:
                for h in range(width):
                    hidden[0, h] = sums[k, h]
                score = forward(net, hidden)
            judged[i, c] = POSITIVE if score >= sure else NEAR if score >= least else NEGATIVE
