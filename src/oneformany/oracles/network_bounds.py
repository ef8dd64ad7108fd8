"""An upper bound on a network's logit over all points of a box.

Every ReLU lies between two lines. Following a pre-activation back through the layers, with the upper line
where it counts positively and the lower one where it counts negatively, bounds it by a linear function of the
choices, whose maximum over the box is exact, the budget of extra changes included. Layer by layer these
bounds give the ranges that fix the lines; the lower lines leave a choice, improved in a few rounds.
Each bound is widened by ``slack``, so that it holds for the score as computed, not only on paper.
"""

from __future__ import annotations

import numpy as np

from oneformany.oracles.network_arrays import (
    ABOVE,
    BASE,
    BELOW,
    COEFS,
    GAINS,
    HIDDEN,
    HIGH,
    INSIDE,
    LOW,
    SHIFT,
    TARGET,
    TRIAL,
    Arrays,
    Box,
    Work,
    compiled,
    score_point,
)
from oneformany.oracles.protocol import IntArray

__all__ = ["bound_logit"]


@compiled()
def _open_features(net: Arrays, box: Box, work: Work) -> int:
    """List the features with several options; the others are settled and add to ``BASE``."""
    n_open = 0
    for j in range(net.widths[0]):
        work.layers[BASE, 0, j] = net.biases[0, j]
    for f in range(len(box.anchor)):
        several = 0
        for c in range(net.starts[f], net.starts[f + 1]):
            if box.options[c]:
                several += 1
                work.features[TARGET, f] = c
        if several > 1:
            work.features[INSIDE, n_open] = f
            n_open += 1
        else:
            for j in range(net.widths[0]):
                work.layers[BASE, 0, j] += net.rows[work.features[TARGET, f], j]
    return n_open


@compiled(reorder=True)
def _backward(net: Arrays, layer: int, unit: int, sign: float, work: Work) -> float:
    """Bound ``sign`` times a pre-activation by ``COEFS[0] @ layer 0`` plus the returned constant."""
    constant = sign * net.biases[layer, unit]
    for j in range(net.widths[layer - 1]):
        work.layers[COEFS, layer - 1, j] = sign * net.weights[layer - 1, j, unit]
    for k in range(layer - 1, -1, -1):
        for j in range(net.widths[k]):
            coef = work.layers[COEFS, k, j]
            constant += max(coef, 0.0) * work.layers[SHIFT, k, j]
            coef *= work.layers[ABOVE, k, j] if coef > 0.0 else work.layers[BELOW, k, j]
            work.layers[COEFS, k, j] = coef
            if k > 0:
                constant += coef * net.biases[k, j]
        for j in range(net.widths[k - 1] if k > 0 else 0):
            total = 0.0
            for i in range(net.widths[k]):
                total += net.weights[k - 1, j, i] * work.layers[COEFS, k, i]
            work.layers[COEFS, k - 1, j] = total
    return float(constant)


@compiled(reorder=True)
def _linear(net: Arrays, box: Box, layer: int, unit: int, sign: float, work: Work) -> float:
    """Bound ``sign`` times a pre-activation by the returned constant plus ``TRIAL`` at the open choices."""
    if layer == 0:
        for c in range(len(net.rows)):
            work.choices[TRIAL, c] = sign * net.rows[c, unit]
        return float(sign * work.layers[BASE, 0, unit] + net.slack[0, unit])
    constant = _backward(net, layer, unit, sign, work)
    for j in range(net.widths[0]):
        constant += work.layers[COEFS, 0, j] * work.layers[BASE, 0, j]
    for c in range(len(net.rows)):
        if box.options[c]:
            total = 0.0
            for j in range(net.widths[0]):
                total += work.layers[COEFS, 0, j] * net.rows[c, j]
            work.choices[TRIAL, c] = total
    return float(constant + net.slack[layer, unit])


@compiled()
def _peak(net: Arrays, box: Box, inside: IntArray, work: Work) -> float:
    """Largest sum of ``TRIAL`` over the open features of the box; ``TARGET`` is where."""
    value = 0.0
    lifts = 0.0
    movable = 0
    for f in inside:
        most = -np.inf
        for c in range(net.starts[f], net.starts[f + 1]):
            if box.options[c] and work.choices[TRIAL, c] > most:
                most = work.choices[TRIAL, c]
                work.features[TARGET, f] = c
        work.lift[f] = 0.0 if box.free[f] else most - work.choices[TRIAL, box.anchor[f]]
        movable += work.lift[f] > 0.0
        lifts += work.lift[f]
        value += most - work.lift[f]
    few = 2 * box.extra < movable
    picked = 0.0
    for _ in range(box.extra if few else movable - box.extra):
        at = -1
        for f in inside:
            if work.lift[f] > 0.0 and (at < 0 or (work.lift[f] > work.lift[at]) == few):
                at = f
        picked += work.lift[at]
        work.lift[at] = -work.lift[at]
    for f in inside:
        if not box.free[f] and (work.lift[f] == 0.0 or (work.lift[f] < 0.0) != few):
            work.features[TARGET, f] = box.anchor[f]
    return value + (picked if few else lifts - picked)


@compiled()
def _draw_lines(layer: int, unit: int, work: Work) -> None:
    """Choose the lines of a unit over its range; they meet where the sign is settled."""
    low, high = work.layers[LOW, layer, unit], work.layers[HIGH, layer, unit]
    work.layers[ABOVE, layer, unit] = 1.0 if low >= 0.0 else 0.0
    work.layers[BELOW, layer, unit] = 1.0 if high > -low else 0.0
    work.layers[SHIFT, layer, unit] = 0.0
    if low < 0.0 < high:
        work.layers[ABOVE, layer, unit] = high / (high - low)
        work.layers[SHIFT, layer, unit] = -low * high / (high - low)


@compiled()
def _tilt_lines(net: Arrays, step: float, work: Work) -> None:
    """Move the lower lines towards those that touch the ReLU in ``HIDDEN``."""
    for k in range(len(net.widths) - 1):
        for j in range(net.widths[k]):
            if work.layers[LOW, k, j] < 0.0 < work.layers[HIGH, k, j]:
                tight = 1.0 if work.layers[HIDDEN, k, j] > 0.0 else 0.0
                work.layers[BELOW, k, j] += step * (tight - work.layers[BELOW, k, j])


@compiled()
def bound_logit(
    net: Arrays, box: Box, rounds: int, enough: float, point: IntArray, work: Work
) -> tuple[float, float]:
    """Bound the score of every point of the box from above.

    Returns ``(value, constant)``: no score in the box exceeds ``value``, nor ``constant`` plus ``GAINS`` of
    the point's choices at open features, those with several options. Stops early with a value below
    ``enough``. ``point`` becomes the best scoring one of the points where the bounds peaked.
    """
    last = len(net.widths) - 1
    inside = work.features[INSIDE, : _open_features(net, box, work)]
    for k in range(last):
        for i in range(net.widths[k]):
            for sign in (1.0, -1.0):
                most = _linear(net, box, k, i, sign, work) + _peak(net, box, inside, work)
                work.layers[HIGH if sign > 0.0 else LOW, k, i] = sign * min(most, net.limits[k, i])
            _draw_lines(k, i, work)
    logit = net.widths[last] - 1
    least, kept, best = np.inf, np.inf, -np.inf
    turn = 0
    while turn < rounds and least >= enough:
        turn += 1
        constant = _linear(net, box, last, logit, 1.0, work)
        value = constant + _peak(net, box, inside, work)
        if value < least:
            least, kept = value, constant
            for c in range(len(net.rows)):
                work.choices[GAINS, c] = work.choices[TRIAL, c]
        score = score_point(net, work.features[TARGET], work.layers[HIDDEN])
        if score > best:
            best = score
            for f in range(len(point)):
                point[f] = work.features[TARGET, f]
        _tilt_lines(net, 1.0 / (turn + 1.0), work)
    return least, kept
