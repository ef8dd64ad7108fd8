"""Branch and bound over the points of a question.

A part is split at a unit's sign or a feature's choices, whatever lowers both bounds most. Deep narrow
networks are best split at units, wide shallow ones at features, so both are tried out.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.network.arrays import (
    GAINS,
    HIDDEN,
    INSIDE,
    LOOSENESS,
    SIDE,
    STALE,
    Arrays,
    Part,
    Work,
    copy_part,
    reserve,
    score_points,
)
from oneformany.oracles.network.bounds import bound_logit, bound_sides
from oneformany.oracles.network.points import all_points, climb, enter, has_more_points_than, shrink
from oneformany.oracles.protocol import Answer
from oneformany.oracles.ties import Acceptance
from oneformany.stop import Stop

ROUNDS = 10
"""How often a bound is improved."""

FIRST_ROUNDS = 40
"""How often the first bound is, from which all others start."""

FEW = 64
"""Parts with at most so many points are looked through."""

PROBES = 12
"""How many units are tried out."""

PROBE_ROUNDS = 3
"""How often a bound is improved while trying."""

LEAST = 1e-6
"""The share of the distance to the threshold that a bound loses at least, so that products compare."""


def search(
    net: Arrays, question: Part, acceptance: Acceptance, budget: int | None = None, stop: Stop | None = None
) -> Answer:
    """Find a positive point, given as choices, bounding at most ``budget`` parts; changes the question."""
    work = reserve(net)
    if enter(net, question, work) < 0:
        return Answer.none()
    point = _first_point(net, question)
    climb(net, question, acceptance.sure, point, work)
    if _positive(net, point[None], acceptance, work)[0]:
        return Answer(point)
    return _branch(net, question, acceptance, point, work, budget, stop)


def _branch(
    net: Arrays,
    question: Part,
    acceptance: Acceptance,
    point: IntArray,
    work: Work,
    budget: int | None,
    stop: Stop | None,
) -> Answer:
    """Bound, shrink and split until a point is found or every part is excluded."""
    parts = [question]
    n_bounded = 0
    while parts:
        part = parts.pop()
        n_open = enter(net, part, work)
        if n_open < 0:
            continue
        if not has_more_points_than(net, part, n_open, FEW, work):
            points = all_points(net, part, n_open, work)
            positive = _positive(net, points, acceptance, work)
            if positive.any():
                return Answer(points[int(positive.argmax())])
            continue
        if n_bounded == budget or (stop is not None and stop.expired()):
            return Answer.unknown()
        n_bounded += 1
        rounds = ROUNDS if n_bounded > 1 else FIRST_ROUNDS
        value, _ = bound_logit(net, part, n_open, rounds, acceptance.least, point, work)
        # After 1, 2, 4, 8 ... parts: a point is sometimes near although no bound peaks there.
        if value >= acceptance.least and n_bounded.bit_count() == 1:
            climb(net, part, acceptance.sure, point, work)
        if _positive(net, point[None], acceptance, work)[0]:
            return Answer(point)
        if value < acceptance.least:
            continue
        many = shrink(net, part, n_open, value, acceptance.least, work)
        n_open = enter(net, part, work)
        if many or n_open == 0:
            parts.append(part)
        elif n_open > 0:
            parts += _split(net, part, n_open, value, acceptance.least, point, work)
    return Answer.none()


def _positive(net: Arrays, points: IntArray, acceptance: Acceptance, work: Work) -> BoolArray:
    """Whether points are positive by their scores, computed as always."""
    scores = np.empty(len(points))
    score_points(net, points, work.layers[HIDDEN], scores)
    return acceptance.met(points - net.starts[:-1], scores)


def _first_point(net: Arrays, part: Part) -> IntArray:
    """Take the anchor, or where a feature cannot stay there, its first option."""
    point = part.anchor.copy()
    for feature in np.flatnonzero(~part.options[point]):
        start, end = net.starts[feature : feature + 2]
        point[feature] = start + part.options[start:end].argmax()
    return point


def _split(
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
