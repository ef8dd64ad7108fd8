"""Branch and bound over the points of a question."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.oracles.network.arrays import HIDDEN, Arrays, Part, Work, reserve, score_point
from oneformany.oracles.network.bounds import bound_logit
from oneformany.oracles.network.branching import split
from oneformany.oracles.network.climb import climb
from oneformany.oracles.network.leaves import enter, has_more_points_than, look_through, shrink
from oneformany.oracles.protocol import Answer
from oneformany.stop import Stop

__all__ = ["FEW", "ROUNDS", "search"]

ROUNDS = 10
"""How often a bound is improved."""

FIRST_ROUNDS = 40
"""How often the first bound is, from which all others start."""

FEW = 64
"""Parts with at most so many points are looked through."""


def search(
    net: Arrays, question: Part, threshold: float, budget: int | None = None, stop: Stop | None = None
) -> Answer:
    """Find a point with a score of at least the threshold; points are given as choices.

    Parameters
    ----------
    net : Arrays
        The network.
    question : Part
        Where to look; it is changed.
    threshold : float
        What the score has to reach.
    budget : int or None
        How many parts may be bounded before giving up; ``None``: never give up.
    stop : Stop or None
        When to give up otherwise.
    """
    work = reserve(net)
    if enter(net, question, work) < 0:
        return Answer.none()
    point = _first_point(net, question)
    climb(net, question, threshold, point, work)
    if _reaches(net, point, threshold, work):
        return Answer(point)
    return _branch(net, question, threshold, point, work, budget, stop)


def _branch(
    net: Arrays,
    question: Part,
    threshold: float,
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
            if look_through(net, part, threshold, point, work):
                return Answer(point)
            continue
        if n_bounded == budget or (stop is not None and stop.expired()):
            return Answer.unknown()
        n_bounded += 1
        rounds = ROUNDS if n_bounded > 1 else FIRST_ROUNDS
        value, _ = bound_logit(net, part, n_open, rounds, threshold, point, work)
        # After 1, 2, 4, 8 ... parts: a point is sometimes near although no bound peaks there.
        if value >= threshold and n_bounded.bit_count() == 1:
            climb(net, part, threshold, point, work)
        if _reaches(net, point, threshold, work):
            return Answer(point)
        if value < threshold:
            continue
        many = shrink(net, part, n_open, value, threshold, work)
        n_open = enter(net, part, work)
        if many or n_open == 0:
            parts.append(part)
        elif n_open > 0:
            parts += split(net, part, n_open, value, threshold, point, work)
    return Answer.none()


def _reaches(net: Arrays, point: IntArray, threshold: float, work: Work) -> bool:
    """Whether the score of a point, computed as always, reaches the threshold."""
    return bool(score_point(net, point, work.layers[HIDDEN]) >= threshold)


def _first_point(net: Arrays, part: Part) -> IntArray:
    """Take the anchor, or where a feature cannot stay there, its first option."""
    point = part.anchor.copy()
    for feature in np.flatnonzero(~part.options[point]):
        start, end = net.starts[feature : feature + 2]
        point[feature] = start + part.options[start:end].argmax()
    return point
