"""A positive point in a box, or the proof that there is none: climb, bound, shrink, divide."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from oneformany.oracles.network_arrays import GAINS, HIDDEN, Arrays, Box, Work, reserve, score_points
from oneformany.oracles.network_bounds import bound_logit
from oneformany.oracles.network_climb import climb
from oneformany.oracles.protocol import Answer, BoolArray, FloatArray, IntArray

__all__ = ["ROUNDS", "make_box", "search"]

ROUNDS = 4
"""How often a bound is improved."""

FEW = 256
"""Boxes with at most so many points are looked through."""


def make_box(net: Arrays, options: BoolArray, free: BoolArray, extra: int, anchor: IntArray) -> Box | None:
    """Settle what follows from the budget; ``None`` when no point is left.

    Parameters
    ----------
    net : Arrays
        The network.
    options : (choices,) boolean array
        Choices a feature may take when it moves; a feature that is not free and lacks its anchor has to.
    free, extra, anchor
        As in :class:`Box`.
    """
    forced = ~(free | options[anchor])
    free = free | forced
    extra -= int(np.count_nonzero(forced))
    if extra < 0 or not np.logical_or.reduceat(options, net.starts[:-1]).all():
        return None
    if extra == 0:
        options = options & np.repeat(free, np.diff(net.starts))
        options[anchor[~free]] = True
    return Box(options, free, extra, anchor)


def search(net: Arrays, box: Box, threshold: float, budget: int | None) -> Answer:
    """Find a point with a score of at least the threshold; points are given as choices.

    Parameters
    ----------
    net : Arrays
        The network.
    box : Box
        Where to look.
    threshold : float
        What the score has to reach.
    budget : int or None
        How many boxes may be bounded before giving up; ``None``: never give up.
    """
    work = reserve(net)
    point = _first_point(net, box)
    climb(net, box, threshold, point, work)
    if _reaches(net, point[None], threshold, work).any():
        return Answer(point)
    stack = [box]
    n_bounded = 0
    while stack:
        now = stack.pop()
        points = _all_points(net, now)
        if points is not None:
            reached = _reaches(net, points, threshold, work)
            if reached.any():
                return Answer(points[reached.argmax()])
            continue
        if n_bounded == budget:
            return Answer.unknown()
        n_bounded += 1
        value, _ = bound_logit(net, now, ROUNDS, threshold, point, work)
        if value < threshold:
            continue
        if n_bounded == 1:
            climb(net, now, threshold, point, work)
        if _reaches(net, point[None], threshold, work).any():
            return Answer(point)
        left = _shrink(net, now, value, work.choices[GAINS], threshold)
        if left is not None:
            stack.extend(_divide(net, left, work.choices[GAINS]) if _similar(left, now) else [left])
    return Answer.none()


def _reaches(net: Arrays, points: IntArray, threshold: float, work: Work) -> BoolArray:
    """Whether the score of each point, computed as always, reaches the threshold."""
    scores = np.empty(len(points))
    score_points(net, points, work.layers[HIDDEN], scores)
    return np.asarray(scores >= threshold)


def _first_point(net: Arrays, box: Box) -> IntArray:
    """The anchor, or where a feature cannot stay there, its first option."""
    point = box.anchor.copy()
    for feature in np.flatnonzero(~box.options[point]):
        start, end = net.starts[feature : feature + 2]
        point[feature] = start + box.options[start:end].argmax()
    return point


def _all_points(net: Arrays, box: Box) -> IntArray | None:
    """Every point of a small box, ``None`` for a large one."""
    counts = np.add.reduceat(box.options, net.starts[:-1], dtype=np.int64)
    total = math.prod(counts[box.free].tolist())
    moves = int(counts[~box.free].sum()) - int(np.count_nonzero(~box.free))
    if total > FEW or total * sum(math.comb(moves, k) for k in range(min(box.extra, moves) + 1)) > FEW:
        return None
    points = _first_point(net, box)[None]
    spent = np.zeros(1, dtype=np.int64)
    for feature in np.flatnonzero(counts > 1):
        start, end = net.starts[feature : feature + 2]
        choices = start + np.flatnonzero(box.options[start:end])
        if not box.free[feature]:
            choices = choices[choices != box.anchor[feature]]
        able = np.ones(len(points), dtype=np.bool_) if box.free[feature] else spent < box.extra
        moved = np.repeat(points[able], len(choices), axis=0)
        moved[:, feature] = np.tile(choices, np.count_nonzero(able))
        costs = np.repeat(spent[able], len(choices))
        if box.free[feature]:
            points, spent = moved, costs
        else:
            points, spent = np.concatenate([points, moved]), np.concatenate([spent, costs + 1])
    return points


def _shrink(net: Arrays, box: Box, value: float, gains: FloatArray, threshold: float) -> Box | None:
    """Drop choices that no point above the threshold makes, by the linear bound."""
    starts = net.starts[:-1]
    counts = np.diff(net.starts)
    most = np.maximum.reduceat(np.where(box.options, gains, -np.inf), starts)
    stay = gains[box.anchor]
    lift = np.where(box.free, 0.0, most - stay)
    sums = np.zeros(len(lift) + 2)
    np.cumsum(-np.sort(-lift), out=sums[1:-1])
    sums[-1] = sums[-2]
    extra = min(box.extra, len(lift))
    rest = value - sums[extra]
    if_moved = rest + np.minimum(sums[max(extra - 1, 0)], sums[extra] - lift) - stay
    if_stayed = rest + np.minimum(sums[extra], sums[extra + 1] - lift)
    best = np.repeat(np.where(box.free, value - most, if_moved), counts) + gains
    best[box.anchor[~box.free]] = if_stayed[~box.free]
    closed = np.repeat(np.add.reduceat(box.options, starts, dtype=np.int64) == 1, counts)
    return make_box(net, box.options & (closed | (best >= threshold)), box.free, box.extra, box.anchor)


def _similar(left: Box, before: Box) -> bool:
    """Whether so little was dropped that another bound would hardly differ."""
    return bool(8 * np.count_nonzero(left.options) > 7 * np.count_nonzero(before.options))


def _divide(net: Arrays, box: Box, gains: FloatArray) -> Iterator[Box]:
    """Split on the feature that moves the bound most; the most promising part comes last."""
    starts = net.starts[:-1]
    most = np.maximum.reduceat(np.where(box.options, gains, -np.inf), starts)
    least = np.minimum.reduceat(np.where(box.options, gains, np.inf), starts)
    several = np.add.reduceat(box.options, starts, dtype=np.int64) > 1
    feature = int(np.where(several, most - least, -1.0).argmax())
    own = np.zeros_like(box.options)
    own[net.starts[feature] : net.starts[feature + 1]] = True
    choices = np.flatnonzero(own & box.options)
    parts = [np.array([c]) for c in choices[np.argsort(gains[choices])]]
    if not box.free[feature]:
        at = box.anchor[feature]
        parts = [np.array([at]), choices[choices != at]]
    for part in parts:
        options = box.options & ~own
        options[part] = True
        child = make_box(net, options, box.free, box.extra, box.anchor)
        if child is not None:
            yield child
