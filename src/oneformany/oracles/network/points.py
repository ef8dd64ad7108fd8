"""Points of a part: what its budget and a bound leave; all of them in turn; a good one by climbing."""

from __future__ import annotations

from math import comb

import numpy as np

from oneformany.arrays import IntArray
from oneformany.compiled import inlined, lean
from oneformany.oracles.network.arrays import (
    BASE,
    COEFS,
    EXTRA,
    GAINS,
    HIDDEN,
    INSIDE,
    STALE,
    TARGET,
    Arrays,
    Part,
    Work,
    forward,
    score_point,
)


@lean()
def enter(net: Arrays, part: Part, work: Work) -> int:
    """Apply what follows from the budget and list the open features; returns how many, -1: no point left.

    What has to move is free from now on; what no budget is left for stays. Features with one option are
    settled: they add to ``BASE``, and ``TARGET`` is where they are.
    """
    options, free, anchor, starts, features = part.options, part.free, part.anchor, net.starts, work.features
    extra = part.numbers[EXTRA]
    for f in range(len(anchor)):
        if not (free[f] or options[anchor[f]]):
            free[f] = True
            extra -= 1
    part.numbers[EXTRA] = extra
    for j in range(net.widths[0]):
        work.layers[BASE, 0, j] = net.biases[0, j]
    n_open = 0
    for f in range(len(anchor)):
        several = 0
        for c in range(starts[f], starts[f + 1]):
            options[c] &= extra > 0 or free[f] or c == anchor[f]
            if options[c]:
                several += 1
                features[TARGET, f] = c
        if several == 0 or extra < 0:
            return -1
        if several > 1:
            features[INSIDE, n_open] = f
            n_open += 1
        else:
            for j in range(net.widths[0]):
                work.layers[BASE, 0, j] += net.rows[features[TARGET, f], j]
    return n_open


@inlined
def _around(work: Work, n_open: int, extra: int) -> tuple[float, float]:
    """Find the smallest lift that the peak takes, and the largest that it leaves; 0 where there is none."""
    taken = left = 0.0
    for t in range(n_open):
        lift = work.lift[work.features[INSIDE, t]]
        larger = equal = 0
        for u in range(n_open):
            other = work.lift[work.features[INSIDE, u]]
            larger += other > lift
            equal += other == lift
        if larger < extra <= larger + equal:
            taken = lift
        if larger <= extra < larger + equal:
            left = lift
    return taken, left


@lean()
def shrink(net: Arrays, part: Part, n_open: int, value: float, threshold: float, work: Work) -> bool:
    """Drop choices that no point above the threshold makes, by the linear bound; whether these were many."""
    for t in range(n_open):
        f = work.features[INSIDE, t]
        work.lift[f] = 0.0
        if not part.free[f]:
            for c in range(net.starts[f], net.starts[f + 1]):
                if part.options[c]:
                    lift = work.choices[GAINS, c] - work.choices[GAINS, part.anchor[f]]
                    work.lift[f] = max(work.lift[f], lift)
    taken, left = _around(work, n_open, part.numbers[EXTRA])
    total = dropped = 0
    for t in range(n_open):
        f = work.features[INSIDE, t]
        at, lift, most = part.anchor[f], work.lift[f], -np.inf
        for c in range(net.starts[f], net.starts[f + 1]):
            if part.options[c]:
                most = max(most, work.choices[GAINS, c])
        for c in range(net.starts[f], net.starts[f + 1]):
            if not part.options[c]:
                continue
            gain = work.choices[GAINS, c]
            if part.free[f]:
                best = value - most + gain
            elif c == at:
                best = value - max(0.0, lift - left)
            else:
                best = value - max(lift, taken) + gain - work.choices[GAINS, at]
            total += 1
            if best < threshold:
                part.options[c] = False
                dropped += 1
    many = 8 * dropped > total
    if many:
        part.numbers[STALE] = 0
    return bool(many)


def has_more_points_than(net: Arrays, part: Part, n_open: int, few: int, work: Work) -> bool:
    """Whether the part may have more than a few points."""
    inside = work.features[INSIDE, :n_open]
    several = np.add.reduceat(part.options, net.starts[:-1], dtype=np.int64)[inside]
    free = part.free[inside]
    points = float(several[free].prod(dtype=np.float64))
    moves = int((several[~free] - 1).sum())
    return points * sum(comb(moves, k) for k in range(min(int(part.numbers[EXTRA]), moves) + 1)) > few


def all_points(net: Arrays, part: Part, n_open: int, work: Work) -> IntArray:
    """List the points of a part that has few."""
    inside = work.features[INSIDE, :n_open]
    points: IntArray = work.features[TARGET][None].copy()
    points[0, inside] = part.anchor[inside]
    for feature in inside.tolist():
        start, end = net.starts[feature : feature + 2]
        options = start + np.flatnonzero(part.options[start:end])
        taken = np.tile(options, len(points))
        points = points.repeat(len(options), axis=0)
        points[:, feature] = taken
        points = points[((points != part.anchor) & ~part.free).sum(axis=1) <= part.numbers[EXTRA]]
    return points


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
