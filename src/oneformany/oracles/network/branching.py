"""Where to split a part: at a unit's sign or a feature's choices, whatever lowers both bounds most.

Deep narrow networks are best split at units, wide shallow ones at features, so both are tried out.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.network.arrays import (
    GAINS,
    INSIDE,
    LOOSENESS,
    SIDE,
    STALE,
    Arrays,
    Part,
    Work,
    copy_part,
)
from oneformany.oracles.network.bounds import bound_logit, bound_sides
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
    """Split a part with open features whose bound is ``value``, the half with the larger bound last.

    ``LOOSENESS`` and ``GAINS`` must be those of the bound; ``point`` becomes some point.
    """
    low, high = _halve(net, part, n_open, work)
    best, (layer, unit, side) = _probe_units(net, part, n_open, value, threshold, point, work)
    bounds = np.full(2, -np.inf)
    for which, half in enumerate((low, high)):
        inside = enter(net, half, work)
        if inside >= 0:
            bounds[which], _ = bound_logit(net, half, inside, PROBE_ROUNDS, threshold, point, work)
    losses = _loss(bounds, value, threshold)
    if losses[0] * losses[1] < best:
        return _with_side(part, layer, unit, -side), _with_side(part, layer, unit, side)
    return (high, low) if losses[0] < losses[1] else (low, high)


def _with_side(part: Part, layer: int, unit: int, side: int) -> Part:
    half = copy_part(part)
    half.lines[SIDE, layer, unit] = side
    half.numbers[STALE] = layer + 1
    return half


def _loss(bounds: FloatArray, value: float, threshold: float) -> FloatArray:
    """How much of its way to the threshold each bound has gone."""
    way = value - threshold
    return np.maximum(np.minimum(value - bounds, way), LEAST * way)


def _halve(net: Arrays, part: Part, n_open: int, work: Work) -> tuple[Part, Part]:
    """Split the choices of the feature whose choices move the bound most.

    The halves are staying and moving where that costs; else they differ in what the bound gains.
    """
    first = net.starts[:-1]
    most = np.maximum.reduceat(np.where(part.options, work.choices[GAINS], -np.inf), first)
    least = np.minimum.reduceat(np.where(part.options, work.choices[GAINS], np.inf), first)
    inside = work.features[INSIDE, :n_open]
    feature = inside[(most - least)[inside].argmax()]
    start, end = net.starts[feature : feature + 2]
    options = start + np.flatnonzero(part.options[start:end])
    gains = work.choices[GAINS, options]
    if part.free[feature]:
        upper = gains > 0.5 * (gains.max() + gains.min())
        upper[gains.argmin()] = False
        upper[gains.argmax()] = True
    else:
        upper = options != part.anchor[feature]
    low, high = copy_part(part), copy_part(part)
    low.options[options[upper]] = False
    high.options[options[~upper]] = False
    low.numbers[STALE] = high.numbers[STALE] = 0
    return low, high


def _probe_units(
    net: Arrays, part: Part, n_open: int, value: float, threshold: float, point: IntArray, work: Work
) -> tuple[float, tuple[int, int, int]]:
    """Find the unit that is best split: the product of what both bounds lose, and the demand with the larger.

    Without a unit to split the product is -1.
    """
    loose = work.layers[LOOSENESS]
    order = np.argsort(-loose, axis=None, kind="stable")[:PROBES]
    order = order[loose.flat[order] > 0.0]
    if len(order) == 0:
        return -1.0, (0, 0, 0)
    demands = np.empty((2 * len(order), 3), dtype=np.int64)
    demands[:, 0], demands[:, 1] = np.divmod(order.repeat(2), loose.shape[1])
    demands[::2, 2], demands[1::2, 2] = 1, -1
    bounds = bound_sides(net, part, n_open, demands, PROBE_ROUNDS, threshold, point, work)
    losses = _loss(bounds, value, threshold)
    products = losses[::2] * losses[1::2]
    best = int(products.argmax())
    larger = 2 * best + int(losses[2 * best + 1] < losses[2 * best])
    layer, unit, side = demands[larger].tolist()
    return float(products[best]), (layer, unit, side)
