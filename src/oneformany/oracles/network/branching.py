"""Where to split a part: at a unit's sign or a feature's choices, whatever lowers both bounds most.

Deep narrow networks are best split at units, wide shallow ones at features, so both are tried out.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.compiled import lean
from oneformany.oracles.network.arrays import (
    CANDIDATES,
    GAINS,
    HIGH,
    INSIDE,
    LOOSENESS,
    LOW,
    SIDE,
    STALE,
    Arrays,
    Part,
    Work,
    copy_lines,
    copy_part,
)
from oneformany.oracles.network.bounds import bound_logit, draw_lines, improve
from oneformany.oracles.network.leaves import enter

__all__ = ["split"]

PROBES = 12
"""How many units are tried out."""

PROBE_ROUNDS = 3
"""How often a bound is improved while trying."""

LEAST = 1e-6
"""The share of the distance to the threshold that a bound loses at least, so that products compare."""


def split(
    net: Arrays, part: Part, n_open: int, value: float, threshold: float, point: IntArray, work: Work
) -> tuple[Part, Part]:
    """Split a part whose bound is ``value``, the half with the larger bound last.

    ``LOOSENESS`` and ``GAINS`` must be those of the bound; ``point`` becomes some point.
    """
    feature = _widest_feature(net, part, n_open, work)
    low, high = copy_part(part), copy_part(part)
    if feature >= 0:
        _halve(net, feature, low, high, work)
    trial = copy_part(part)
    layer, unit, best, side = _probe_units(
        net, part, trial, PROBES, PROBE_ROUNDS, n_open, value, threshold, point, work
    )
    losses = (0.0, 0.0)
    if feature >= 0:
        bounds = []
        for half in (low, high):
            inside = enter(net, half, work)
            bound = -np.inf
            if inside >= 0:
                bound, _ = bound_logit(net, half, inside, PROBE_ROUNDS, threshold, point, work)
            bounds.append(bound)
        losses = (_loss(bounds[0], value, threshold), _loss(bounds[1], value, threshold))
    if layer >= 0 and losses[0] * losses[1] < best:
        return _with_side(part, layer, unit, -side), _with_side(part, layer, unit, side)
    return (high, low) if losses[0] < losses[1] else (low, high)


def _with_side(part: Part, layer: int, unit: int, side: float) -> Part:
    half = copy_part(part)
    half.lines[SIDE, layer, unit] = side
    half.numbers[STALE] = layer + 1
    return half


@lean()
def _loss(bound: float, value: float, threshold: float) -> float:
    """How much of its way to the threshold a bound has gone."""
    return max(min(value - bound, value - threshold), LEAST * (value - threshold))


def _widest_feature(net: Arrays, part: Part, n_open: int, work: Work) -> int:
    """Find the open feature whose choices move the bound most; -1 without one."""
    widest, spread = -1, -1.0
    for feature in work.features[INSIDE, :n_open].tolist():
        gains = work.choices[GAINS, _options(net, part, feature)]
        if len(gains) > 1 and float(gains.max() - gains.min()) > spread:
            widest, spread = feature, float(gains.max() - gains.min())
    return widest


def _options(net: Arrays, part: Part, feature: int) -> IntArray:
    """The choices that a feature has left."""
    start, end = net.starts[feature : feature + 2]
    return np.asarray(start + np.flatnonzero(part.options[start:end]))


def _halve(net: Arrays, feature: int, low: Part, high: Part, work: Work) -> None:
    """Split the choices of a feature: staying or moving where that costs, else by what the bound gains."""
    options = _options(net, low, feature)
    gains = work.choices[GAINS, options]
    if low.free[feature]:
        upper = gains > 0.5 * (gains.max() + gains.min())
        upper[gains.argmin()] = False
        upper[gains.argmax()] = True
    else:
        upper = options != low.anchor[feature]
    low.options[options[upper]] = False
    high.options[options[~upper]] = False
    low.numbers[STALE] = high.numbers[STALE] = 0


@lean()
def _probe_units(
    net: Arrays,
    part: Part,
    trial: Part,
    probes: int,
    rounds: int,
    n_open: int,
    value: float,
    threshold: float,
    point: IntArray,
    work: Work,
) -> tuple[int, int, float, float]:
    """Find the unit that is best split, with ``trial``, a copy of the part, to try on.

    Returns its layer (-1: none), its index there, the product of what both bounds lose, and the side with the
    larger bound.
    """
    last = len(net.widths) - 1
    nowhere = last - len(net.widths)  # -1; the constant would compile what follows a second time
    best_k, best_j, best, best_side = nowhere, nowhere, -1.0, 1.0
    for k in range(last):
        for j in range(net.widths[k]):
            work.layers[CANDIDATES, k, j] = work.layers[LOOSENESS, k, j]
    for _ in range(probes):
        at_k, at_j, looseness = nowhere, nowhere, 0.0
        for k in range(last):
            for j in range(net.widths[k]):
                if work.layers[CANDIDATES, k, j] > looseness:
                    at_k, at_j, looseness = k, j, work.layers[CANDIDATES, k, j]
        if at_k < 0:
            break
        work.layers[CANDIDATES, at_k, at_j] = 0.0
        product, first, side = 1.0, 0.0, 1.0
        for sign in (1.0, -1.0):
            trial.lines[SIDE, at_k, at_j] = sign
            trial.lines[LOW if sign > 0.0 else HIGH, at_k, at_j] = 0.0
            draw_lines(trial, at_k, at_j, work)
            bound, _ = improve(net, trial, n_open, rounds, threshold, point, work)
            loss = _loss(bound, value, threshold)
            product *= loss
            if sign > 0.0:
                first = loss
            elif loss < first:
                side = -1.0
            copy_lines(part, trial)
        draw_lines(trial, at_k, at_j, work)
        if product > best:
            best_k, best_j, best, best_side = at_k, at_j, product, side
    return best_k, best_j, best, best_side
