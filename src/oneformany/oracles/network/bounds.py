"""An upper bound on a network's logit over all points of a region.

Every ReLU lies between two lines. Following a pre-activation back through the layers, with the upper line
where it counts positively and the lower one where it counts negatively, bounds it by a linear function of the
choices, whose maximum over the region is exact, the budget of extra changes included. Layer by layer these
bounds give the ranges that fix the lines. Two things remain free: the slope of each lower line, and a
penalty (``PENALTY``) for being on the wrong side of zero where a region demands a ``SIDE``. Any choice gives
a valid bound; a subgradient method with Polyak's steps makes it small.

These are bounds of the CROWN family: following lines back through the layers is CROWN, improving the slopes
alpha-CROWN, penalties for demanded sides beta-CROWN; the steps are B. T. Polyak's (``docs/references.md``).
What differs here: the inputs are choices among levels with a budget of changes, and rounding is part of it.

Each bound is widened by ``slack``, so that it holds for the score as computed, not only on paper. A side is
demanded of the pre-activation as computed, too, so its share of the rounding is ``PENALTY`` times its slack.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.compiled import inlined, lean
from oneformany.oracles.network.kernels import (
    BASE,
    COEFS,
    EXTRA,
    GAINS,
    HIDDEN,
    HIGH,
    INSIDE,
    LOOSENESS,
    LOW,
    LOWER_SLOPE,
    OPEN,
    PENALTY,
    RAW,
    SIDE,
    SLOPE,
    STALE,
    TARGET,
    TRIAL,
    UPPER_SHIFT,
    UPPER_SLOPE,
    Arrays,
    Region,
    Work,
    score_point,
)

TINY, HUGE = 1e-100, 1e100
"""Slopes whose squares are outside give no step that could be trusted; no penalty is larger."""

NOTHING = np.zeros((1, 3), dtype=np.int64)  # the demand that changes nothing


@inlined
def _backward(net: Arrays, region: Region, layer: int, unit: int, sign: float, work: Work) -> float:
    """Bound ``sign`` times a pre-activation by ``COEFS[0] @ layer 0`` plus the returned constant.

    Only the bound on the logit uses penalties and improved lower lines.
    """
    pushed = layer == len(net.widths) - 1
    constant = sign * net.biases[layer, unit] + net.slack[layer, unit]
    for j in range(net.widths[layer - 1]):
        work.layers[RAW, layer - 1, j] = sign * net.weights[layer - 1, j, unit]
    for k in range(layer - 1, -1, -1):
        for j in range(net.widths[k]):
            coef = work.layers[RAW, k, j]
            if coef > 0.0:
                constant += coef * work.layers[UPPER_SHIFT, k, j]
                coef *= work.layers[UPPER_SLOPE, k, j]
            elif pushed:
                coef *= region.lines[LOWER_SLOPE, k, j]
            elif region.lines[HIGH, k, j] <= -region.lines[LOW, k, j]:
                coef = 0.0
            if pushed:
                coef += region.lines[PENALTY, k, j] * region.lines[SIDE, k, j]
                constant += region.lines[PENALTY, k, j] * net.slack[k, j]
            work.layers[COEFS, k, j] = coef
            if k > 0:
                constant += coef * net.biases[k, j]
        for j in range(net.widths[k - 1] if k > 0 else 0):
            total = 0.0
            for i in range(net.widths[k]):
                total += net.weights[k - 1, j, i] * work.layers[COEFS, k, i]
            work.layers[RAW, k - 1, j] = total
    return float(constant)


@lean(inner=True, reorder=True)
def _linear(
    net: Arrays, region: Region, n_open: int, layer: int, unit: int, sign: float, work: Work
) -> float:
    """Bound ``sign`` times a pre-activation by the returned constant plus ``TRIAL`` at the open choices."""
    if layer == 0:
        for t in range(n_open):
            f = work.features[INSIDE, t]
            for c in range(net.starts[f], net.starts[f + 1]):
                work.choices[TRIAL, c] = sign * net.rows[c, unit]
        return float(sign * work.layers[BASE, 0, unit] + net.slack[0, unit])
    constant = _backward(net, region, layer, unit, sign, work)
    for j in range(net.widths[0]):
        constant += work.layers[COEFS, 0, j] * work.layers[BASE, 0, j]
    for t in range(n_open):
        f = work.features[INSIDE, t]
        for c in range(net.starts[f], net.starts[f + 1]):
            if region.options[c]:
                total = 0.0
                for j in range(net.widths[0]):
                    total += work.layers[COEFS, 0, j] * net.rows[c, j]
                work.choices[TRIAL, c] = total
    return float(constant)


@lean(inner=True)
def _peak(net: Arrays, region: Region, n_open: int, work: Work) -> float:
    """Largest sum of ``TRIAL`` over the open features of the region; ``TARGET`` is where."""
    extra = region.numbers[EXTRA]
    value = 0.0
    lifts = 0.0
    movable = 0
    for t in range(n_open):
        f = work.features[INSIDE, t]
        most = -np.inf
        for c in range(net.starts[f], net.starts[f + 1]):
            if region.options[c] and work.choices[TRIAL, c] > most:
                most = work.choices[TRIAL, c]
                work.features[TARGET, f] = c
        lift = 0.0 if region.free[f] else most - work.choices[TRIAL, region.anchor[f]]
        work.lift[f] = lift
        movable += lift > 0.0
        lifts += lift
        value += most - lift
    few = 2 * extra < movable
    picked = 0.0
    for _ in range(extra if few else movable - extra):
        at, best = -1, 0.0
        for t in range(n_open):
            f = work.features[INSIDE, t]
            lift = work.lift[f]
            if lift > 0.0 and (at < 0 or (lift > best) == few):
                at, best = f, lift
        picked += best
        work.lift[at] = -best
    for t in range(n_open):
        f = work.features[INSIDE, t]
        if not region.free[f] and (work.lift[f] == 0.0 or (work.lift[f] < 0.0) != few):
            work.features[TARGET, f] = region.anchor[f]
    return value + (picked if few else lifts - picked)


@inlined
def _update_ranges(net: Arrays, region: Region, n_open: int, work: Work) -> bool:
    """Narrow the ranges and draw the lines; false when some range is empty: the region has no point."""
    for k in range(len(net.widths) - 1):
        for i in range(net.widths[k]):
            low, high, side = region.lines[LOW, k, i], region.lines[HIGH, k, i], region.lines[SIDE, k, i]
            if k >= region.numbers[STALE]:
                for sign in (1.0, -1.0):
                    most = _linear(net, region, n_open, k, i, sign, work) + _peak(net, region, n_open, work)
                    if sign > 0.0:
                        high = min(high, most)
                    else:
                        low = max(low, -most)
            if side > 0.0:
                low = max(low, 0.0)
            elif side < 0.0:
                high = min(high, 0.0)
            if low > high:
                return False
            region.lines[LOW, k, i], region.lines[HIGH, k, i] = low, high
            slope = 1.0 if low >= 0.0 else 0.0
            crosses = low < 0.0 < high
            if crosses:
                slope = high / (high - low)
            work.layers[UPPER_SLOPE, k, i] = slope
            work.layers[UPPER_SHIFT, k, i] = -min(low, 0.0) * slope  # low * high may underflow
            if not crosses or region.lines[LOWER_SLOPE, k, i] < 0.0:
                region.lines[LOWER_SLOPE, k, i] = 1.0 if high > -low else 0.0
    region.numbers[STALE] = len(net.widths) - 1
    return True


@inlined
def _measure_slopes(net: Arrays, region: Region, work: Work) -> float:
    """How the bound changes with each penalty and lower line, ``SLOPE``; returns the sum of squares.

    ``HIDDEN`` becomes what the lines, instead of the ReLUs, make of its layer 0. ``LOOSENESS`` grows by what
    each unit's line adds to the bound.
    """
    square = 0.0
    for k in range(len(net.widths) - 1):
        for i in range(net.widths[k + 1]):
            work.layers[HIDDEN, k + 1, i] = net.biases[k + 1, i]
        for j in range(net.widths[k]):
            entry, raw, side = work.layers[HIDDEN, k, j], work.layers[RAW, k, j], region.lines[SIDE, k, j]
            below = region.lines[LOWER_SLOPE, k, j]
            line = below * entry
            if raw > 0.0:
                line = work.layers[UPPER_SLOPE, k, j] * entry + work.layers[UPPER_SHIFT, k, j]
            slope = 0.0
            if side != 0.0:
                slope = side * entry
                if slope > 0.0 and region.lines[PENALTY, k, j] <= 0.0:
                    slope = 0.0
            elif region.lines[LOW, k, j] < 0.0 < region.lines[HIGH, k, j]:
                work.layers[LOOSENESS, k, j] += raw * (line - max(entry, 0.0))
                if raw <= 0.0:
                    slope = raw * entry
                    if (slope > 0.0 and below <= 0.0) or (slope < 0.0 and below >= 1.0):
                        slope = 0.0
            work.layers[SLOPE, k, j] = slope
            square += slope * slope
            for i in range(net.widths[k + 1]):
                work.layers[HIDDEN, k + 1, i] += line * net.weights[k, j, i]
    return square


@inlined
def _improve(
    net: Arrays, region: Region, n_open: int, rounds: int, enough: float, point: IntArray, work: Work
) -> tuple[float, float]:
    """Bound the score with the ranges as they are; see :func:`bound_logit`."""
    last = len(net.widths) - 1
    logit = net.widths[last] - 1  # 0; the constant would compile all that follows a second time
    least, kept, best = np.inf, np.inf, -np.inf
    for k in range(last):
        for j in range(net.widths[k]):
            work.layers[LOOSENESS, k, j] = 0.0
    for turn in range(rounds):
        constant = _linear(net, region, n_open, last, logit, 1.0, work)
        value = constant + _peak(net, region, n_open, work)
        if value < least:
            least, kept = value, constant
            for t in range(n_open):
                f = work.features[INSIDE, t]
                for c in range(net.starts[f], net.starts[f + 1]):
                    work.choices[GAINS, c] = work.choices[TRIAL, c]
        score = score_point(net, work.features[TARGET], work.layers[HIDDEN])
        if score > best:
            best = score
            for f in range(len(point)):
                point[f] = work.features[TARGET, f]
        if least < enough or best >= enough > -np.inf:  # -inf: nothing is aimed at
            break
        square = _measure_slopes(net, region, work)
        if not TINY < square < HUGE or turn + 1 == rounds:
            break
        step = (value - max(enough, best)) / square
        for k in range(last):
            for j in range(net.widths[k]):
                which, most = LOWER_SLOPE, 1.0
                if region.lines[SIDE, k, j] != 0.0:
                    which, most = PENALTY, HUGE
                moved = region.lines[which, k, j] - step * work.layers[SLOPE, k, j]
                region.lines[which, k, j] = min(max(0.0, moved), most)
    return least, kept


@inlined
def _enter(net: Arrays, region: Region, work: Work) -> None:
    """List the open features, those with several options; the others add to ``BASE`` what they are."""
    for j in range(net.widths[0]):
        work.layers[BASE, 0, j] = net.biases[0, j]
    region.numbers[OPEN] = 0
    for f in range(len(region.anchor)):
        several = 0
        for c in range(net.starts[f], net.starts[f + 1]):
            if region.options[c]:
                several += 1
                work.features[TARGET, f] = c
        if several > 1:
            work.features[INSIDE, region.numbers[OPEN]] = f
            region.numbers[OPEN] += 1
        else:
            for j in range(net.widths[0]):
                work.layers[BASE, 0, j] += net.rows[work.features[TARGET, f], j]


@lean()
def bound_each(
    net: Arrays,
    region: Region,
    demands: IntArray,
    rounds: int,
    enough: float,
    point: IntArray,
    work: Work,
    lines: FloatArray,
    bounds: FloatArray,
) -> None:
    """Bound the region under each demand, after which it has ``lines`` again; a side of 0 demands nothing."""
    _enter(net, region, work)
    n_open = region.numbers[OPEN]
    for d in range(len(demands)):
        side = demands[d, 2]
        if side != 0:
            region.lines[SIDE, demands[d, 0], demands[d, 1]] = side
        bounds[d, 0] = bounds[d, 1] = -np.inf
        if _update_ranges(net, region, n_open, work):
            bounds[d, 0], bounds[d, 1] = _improve(net, region, n_open, rounds, enough, point, work)
        if side != 0:  # by loops, since slices take long to compile
            for s in range(lines.shape[0]):
                for k in range(lines.shape[1]):
                    for j in range(lines.shape[2]):
                        region.lines[s, k, j] = lines[s, k, j]


def bound_logit(
    net: Arrays,
    region: Region,
    rounds: int,
    enough: float,
    point: IntArray,
    work: Work,
    demands: IntArray = NOTHING,
) -> FloatArray:
    """Bound the score of every point of the region, which has some, from above, under each of some demands.

    Returns rows ``(value, constant)``: no score exceeds ``value``, nor ``constant`` plus ``GAINS`` of the
    point's choices at open features, those with several options. Stops early with a value below ``enough``,
    or a point that reaches it. ``point`` becomes the best scoring one of the points where the bounds peaked.

    A demand is ``(layer, unit, side)``. Its bound is of the points on that side; ranges, which must be known,
    stay as they are in later layers, and the region is not changed.
    """
    bounds = np.empty((len(demands), 2))
    bound_each(net, region, demands, rounds, enough, point, work, region.lines.copy(), bounds)
    return bounds
