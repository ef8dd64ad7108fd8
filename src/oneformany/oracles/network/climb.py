"""A point of large logit in a part, by climbing."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.compiled import lean
from oneformany.oracles.network.arrays import (
    COEFS,
    EXTRA,
    HIDDEN,
    TARGET,
    Arrays,
    Part,
    Work,
    forward,
    score_point,
)

__all__ = ["climb"]


@lean(inner=True, reorder=True)
def _ask_slope(net: Arrays, part: Part, point: IntArray, work: Work) -> None:
    """For each feature the choice that the slope of the logit promises most for, and how much."""
    last = len(net.widths) - 1
    work.layers[COEFS, last, 0] = 1.0
    for k in range(last - 1, -1, -1):
        for j in range(net.widths[k]):
            total = 0.0
            if work.layers[HIDDEN, k, j] > 0.0:
                for i in range(net.widths[k + 1]):
                    total += net.weights[k, j, i] * work.layers[COEFS, k + 1, i]
            work.layers[COEFS, k, j] = total
    for f in range(len(point)):
        work.lift[f] = 0.0
        for c in range(net.starts[f], net.starts[f + 1]):
            if part.options[c]:
                total = 0.0
                for j in range(net.widths[0]):
                    total += work.layers[COEFS, 0, j] * (net.rows[c, j] - net.rows[point[f], j])
                if total > work.lift[f]:
                    work.lift[f] = total
                    work.features[TARGET, f] = c


@lean(inner=True)
def _attempt(net: Arrays, part: Part, f: int, c: int, score: float, point: IntArray, work: Work) -> float:
    """Let a feature take a choice if the budget allows it and the score grows; returns the score."""
    old = point[f]
    spent = 0
    if not part.free[f] and old == part.anchor[f]:
        for other in range(len(point)):
            if not part.free[other] and point[other] != part.anchor[other]:
                spent += 1
        if spent >= part.numbers[EXTRA]:
            return score
    for j in range(net.widths[0]):
        work.layers[HIDDEN, 0, j] += net.rows[c, j] - net.rows[old, j]
    new = forward(net, work.layers[HIDDEN])
    if new > score:
        point[f] = c
        return new
    for j in range(net.widths[0]):
        work.layers[HIDDEN, 0, j] -= net.rows[c, j] - net.rows[old, j]
    return score


@lean()
def climb(net: Arrays, part: Part, threshold: float, point: IntArray, work: Work) -> None:
    """Move ``point`` uphill, one feature at a time, until positive or at a peak.

    The slope ranks the changes. A pass tries each feature's best change in that order and keeps what helps;
    when nothing did, a pass tries every change.
    """
    p = len(point)
    before = -np.inf
    while True:
        score = score_point(net, point, work.layers[HIDDEN])  # anew: small changes of sums drift
        if not before < score < threshold:
            return
        before = score
        _ask_slope(net, part, point, work)
        for _ in range(p):
            best = p - 1
            for f in range(p - 1):
                if work.lift[f] > work.lift[best]:
                    best = f
            if work.lift[best] <= 0.0 or score >= threshold:
                break
            score = _attempt(net, part, best, work.features[TARGET, best], score, point, work)
            work.lift[best] = 0.0
        if score == before:
            for f in range(p):
                for c in range(net.starts[f], net.starts[f + 1]):
                    if part.options[c] and c != point[f]:
                        score = _attempt(net, part, f, c, score, point, work)
