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

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import inlined, lean
from oneformany.oracles.box import Part
from oneformany.oracles.network.kernels import Arrays, score_point

TINY, HUGE = 1e-100, 1e100
"""Slopes whose squares are outside give no step that could be trusted; no penalty is larger."""

NO_DEMAND = np.zeros((1, 3), dtype=np.int64)  # the demand that changes nothing


class Region(NamedTuple):
    """Points of a part whose pre-activations are within their ranges, and on their sides of zero."""

    domain: BoolArray  # (p, max levels)
    free: BoolArray  # (p,)
    anchor: IntArray  # (p,)
    inside: IntArray  # the open features: those with several levels
    extra: int
    stale: int  # the first layer whose ranges are those of a larger part
    lines: FloatArray  # (5, depth + 1, widest): LOW, HIGH, LOWER_SLOPE (negative: not yet), PENALTY, SIDE


LOW, HIGH, LOWER_SLOPE, PENALTY, SIDE = range(5)


class Work(NamedTuple):
    """Memory for one question: few arrays with named slices, since each array costs a call time."""

    layers: FloatArray  # (8, depth + 1, widest): HIDDEN ... BASE
    gains: FloatArray  # (p, max levels): of the best bound
    trial: FloatArray  # (p, max levels): of the last bound
    lift: FloatArray  # (p,)
    target: IntArray  # (p,)


HIDDEN, COEFS, RAW, UPPER_SLOPE, UPPER_SHIFT, SLOPE, LOOSENESS, BASE = range(8)


def reserve(net: Arrays, width: int) -> Work:
    """Reserve memory for questions about a network whose features have up to ``width`` levels."""
    p = len(net.starts) - 1
    layers, gains = np.zeros((8, *net.biases.shape)), np.zeros((p, width))
    return Work(layers, gains, gains.copy(), np.zeros(p), np.zeros(p, dtype=np.int64))


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
def _linear(net: Arrays, region: Region, layer: int, unit: int, sign: float, work: Work) -> float:
    """Bound ``sign`` times a pre-activation by the returned constant plus ``TRIAL`` at the open features."""
    if layer == 0:
        for f in region.inside:
            for v in range(net.starts[f + 1] - net.starts[f]):
                work.trial[f, v] = sign * net.rows[net.starts[f] + v, unit]
        return float(sign * work.layers[BASE, 0, unit] + net.slack[0, unit])
    constant = _backward(net, region, layer, unit, sign, work)
    for j in range(net.widths[0]):
        constant += work.layers[COEFS, 0, j] * work.layers[BASE, 0, j]
    for f in region.inside:
        for v in range(net.starts[f + 1] - net.starts[f]):
            if region.domain[f, v]:
                total = 0.0
                for j in range(net.widths[0]):
                    total += work.layers[COEFS, 0, j] * net.rows[net.starts[f] + v, j]
                work.trial[f, v] = total
    return float(constant)


@lean(inner=True)
def _peak(net: Arrays, region: Region, work: Work) -> float:
    """Largest sum of ``TRIAL`` over the open features of the region; ``target`` is where."""
    value = 0.0
    for f in region.inside:
        most = -np.inf
        for v in range(net.starts[f + 1] - net.starts[f]):
            if region.domain[f, v] and work.trial[f, v] > most:
                most = work.trial[f, v]
                work.target[f] = v
        work.lift[f] = 0.0 if region.free[f] else most - work.trial[f, region.anchor[f]]
        value += most - work.lift[f]
    for _ in range(region.extra):
        at, best = -1, 0.0
        for f in region.inside:
            if work.lift[f] > best:
                at, best = f, work.lift[f]
        if at < 0:
            break
        value += best
        work.lift[at] = -best
    for f in region.inside:
        if not region.free[f] and work.lift[f] >= 0.0:
            work.target[f] = region.anchor[f]
    return value


@inlined
def _update_ranges(net: Arrays, region: Region, work: Work) -> bool:
    """Narrow the ranges and draw the lines; false when some range is empty: the region has no point."""
    for k in range(len(net.widths) - 1):
        for i in range(net.widths[k]):
            low, high, side = region.lines[LOW, k, i], region.lines[HIGH, k, i], region.lines[SIDE, k, i]
            for sign in (1.0, -1.0):
                # What is known to be on one side has an exact line; a side that is demanded may be empty.
                if k >= region.stale and (low < 0.0 < high or side == sign):
                    most = _linear(net, region, k, i, sign, work) + _peak(net, region, work)
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
    net: Arrays, region: Region, rounds: int, enough: float, point: IntArray, work: Work
) -> tuple[float, float]:
    """Bound the score with the ranges as they are; see :func:`bound_logit`."""
    last = len(net.widths) - 1
    logit = net.widths[last] - 1  # 0; the constant would compile all that follows a second time
    least, kept, best = np.inf, np.inf, -np.inf
    for k in range(last):
        for j in range(net.widths[k]):
            work.layers[LOOSENESS, k, j] = 0.0
    for turn in range(rounds):
        constant = _linear(net, region, last, logit, 1.0, work)
        value = constant + _peak(net, region, work)
        if value < least:
            least, kept = value, constant
            for f in region.inside:
                for v in range(region.domain.shape[1]):
                    work.gains[f, v] = work.trial[f, v]
        score = score_point(net, work.target, work.layers[HIDDEN])
        if score > best:
            best = score
            for f in range(len(point)):
                point[f] = work.target[f]
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
    for j in range(net.widths[0]):
        work.layers[BASE, 0, j] = net.biases[0, j]
    for f in range(len(region.anchor)):
        several = 0
        for v in range(region.domain.shape[1]):
            work.gains[f, v] = 0.0
            if region.domain[f, v]:
                several += 1
                work.target[f] = v
        for j in range(net.widths[0] if several == 1 else 0):
            work.layers[BASE, 0, j] += net.rows[net.starts[f] + work.target[f], j]
    for d in range(len(demands)):
        side = demands[d, 2]
        if side != 0:
            region.lines[SIDE, demands[d, 0], demands[d, 1]] = side
        bounds[d, 0] = bounds[d, 1] = -np.inf
        if _update_ranges(net, region, work):
            bounds[d, 0], bounds[d, 1] = _improve(net, region, rounds, enough, point, work)
        if side != 0:  # by loops, since slices take long to compile
            for s in range(lines.shape[0]):
                for k in range(lines.shape[1]):
                    for j in range(lines.shape[2]):
                        region.lines[s, k, j] = lines[s, k, j]


def widest_lines(net: Arrays) -> FloatArray:
    """Draw no lines yet, with all ranges as wide as they can be."""
    lines = np.zeros((5, *net.biases.shape))
    lines[LOW], lines[HIGH], lines[LOWER_SLOPE] = -net.limits, net.limits, -1.0
    return lines


def bound_logit(
    net: Arrays,
    part: Part,
    rounds: int,
    enough: float,
    point: IntArray,
    work: Work,
    demands: IntArray = NO_DEMAND,
) -> FloatArray:
    """Bound the score of every point of a part from above, under each of some demands.

    Returns rows ``(value, constant)``: no score exceeds ``value``, nor ``constant`` plus ``gains`` of the
    point's levels. Stops early with a value below ``enough``, or a point that reaches it. ``point`` becomes
    the best scoring one of the points where the bounds peaked.

    A demand is ``(layer, unit, side)``. Its bound is of the points on that side; ranges, which must be known,
    stay as they are in later layers, and the lines are not changed.
    """
    inside = np.flatnonzero(part.domain.sum(axis=1) > 1)
    lines = part.lines if part.lines.size else widest_lines(net)
    region = Region(part.domain, part.free, part.anchor, inside, part.extra, part.stale, lines)
    bounds = np.empty((len(demands), 2))
    bound_each(net, region, demands, rounds, enough, point, work, lines.copy(), bounds)
    return bounds
