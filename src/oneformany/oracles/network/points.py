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

__all__ = ["climb", "enter", "has_more_points_than", "look_through", "shrink"]


@lean()
def enter(net: Arrays, part: Part, work: Work) -> int:
    """Apply what follows from the budget and list the open features; returns how many, -1: no point left."""
    return _open_features(net, part, work) if _settle(net, part) else -1


@inlined
def _settle(net: Arrays, part: Part) -> bool:
    """Move features that have to, and keep those that no budget is left for; false when no point is left."""
    for f in range(len(part.anchor)):
        some = False
        for c in range(net.starts[f], net.starts[f + 1]):
            some |= part.options[c]
        if not some:
            return False
        if not (part.free[f] or part.options[part.anchor[f]]):
            part.free[f] = True
            part.numbers[EXTRA] -= 1
    if part.numbers[EXTRA] == 0:
        for f in range(len(part.anchor)):
            if not part.free[f]:
                for c in range(net.starts[f], net.starts[f + 1]):
                    part.options[c] = c == part.anchor[f]
    return bool(part.numbers[EXTRA] >= 0)


@inlined
def _open_features(net: Arrays, part: Part, work: Work) -> int:
    """List the features with several options in ``INSIDE``; the others are settled and add to ``BASE``."""
    n_open = 0
    for j in range(net.widths[0]):
        work.layers[BASE, 0, j] = net.biases[0, j]
    for f in range(len(part.anchor)):
        several = 0
        for c in range(net.starts[f], net.starts[f + 1]):
            if part.options[c]:
                several += 1
                work.features[TARGET, f] = c
        if several > 1:
            work.features[INSIDE, n_open] = f
            n_open += 1
        else:
            for j in range(net.widths[0]):
                work.layers[BASE, 0, j] += net.rows[work.features[TARGET, f], j]
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


@lean()
def look_through(net: Arrays, part: Part, threshold: float, point: IntArray, work: Work) -> bool:
    """Try every point; true when ``point`` reaches the threshold. Sums are in the order of a score's."""
    p = len(point)
    for j in range(net.widths[0]):
        work.sums[0, j] = net.biases[0, j]
    spent = 0
    f = 0
    point[0] = net.starts[0] - 1
    while f >= 0:
        c = point[f]
        if c >= net.starts[f] and c != part.anchor[f] and not part.free[f]:
            spent -= 1
        c += 1
        while c < net.starts[f + 1]:
            moves = c != part.anchor[f] and not part.free[f]
            if part.options[c] and not (moves and spent >= part.numbers[EXTRA]):
                spent += moves
                break
            c += 1
        if c == net.starts[f + 1]:
            f -= 1
            continue
        point[f] = c
        for j in range(net.widths[0]):
            work.sums[f + 1, j] = work.sums[f, j] + net.rows[c, j]
        f += 1
        if f < p:
            point[f] = net.starts[f] - 1
        else:
            for j in range(net.widths[0]):
                work.layers[HIDDEN, 0, j] = work.sums[p, j]
            if forward(net, work.layers[HIDDEN]) >= threshold:
                return True
            f -= 1
    return False


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
