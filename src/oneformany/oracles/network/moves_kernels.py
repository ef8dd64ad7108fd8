"""Many moves of many rows at once: sums of the first layer that are kept from one choice to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import outer
from oneformany.oracles.network.arrays import Arrays, forward
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE


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
