"""Branch and bound over the points of a question."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from oneformany.arrays import IntArray
from oneformany.oracles.network.arrays import EXTRA, HIDDEN, Arrays, Part, Work, reserve, score_points
from oneformany.oracles.network.bounds import bound_logit
from oneformany.oracles.network.branching import split
from oneformany.oracles.network.climb import climb
from oneformany.oracles.network.leaves import enter, has_more_points_than, look_through, shrink
from oneformany.oracles.protocol import Answer
from oneformany.oracles.ties import Acceptance
from oneformany.stop import Stop

__all__ = ["FEW", "ROUNDS", "search"]

ROUNDS = 10
"""How often a bound is improved."""

FIRST_ROUNDS = 40
"""How often the first bound is, from which all others start."""

FEW = 64
"""Parts with at most so many points are looked through."""


def search(
    net: Arrays, question: Part, acceptance: Acceptance, budget: int | None = None, stop: Stop | None = None
) -> Answer:
    """Find a positive point, given as choices, bounding at most ``budget`` parts; changes the question."""
    work = reserve(net)
    if enter(net, question, work) < 0:
        return Answer.none()
    point = _first_point(net, question)
    climb(net, question, acceptance.sure, point, work)
    if _reaches(net, point, acceptance, work):
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
            if look_through(net, part, acceptance.sure, point, work):
                return Answer(point)
            if acceptance.least < acceptance.sure and look_through(net, part, acceptance.least, point, work):
                near = _first_tie(net, part, acceptance)
                if near is not None:
                    return Answer(near)
            continue
        if n_bounded == budget or (stop is not None and stop.expired()):
            return Answer.unknown()
        n_bounded += 1
        rounds = ROUNDS if n_bounded > 1 else FIRST_ROUNDS
        value, _ = bound_logit(net, part, n_open, rounds, acceptance.least, point, work)
        # After 1, 2, 4, 8 ... parts: a point is sometimes near although no bound peaks there.
        if value >= acceptance.least and n_bounded.bit_count() == 1:
            climb(net, part, acceptance.sure, point, work)
        if _reaches(net, point, acceptance, work):
            return Answer(point)
        if value < acceptance.least:
            continue
        many = shrink(net, part, n_open, value, acceptance.least, work)
        n_open = enter(net, part, work)
        if many or n_open == 0:
            parts.append(part)
        elif n_open > 0:
            parts += split(net, part, n_open, value, acceptance.least, point, work)
    return Answer.none()


def _reaches(net: Arrays, point: IntArray, acceptance: Acceptance, work: Work) -> bool:
    """Whether a point is positive by its score, computed as always."""
    score = np.empty(1)
    score_points(net, point[None], work.layers[HIDDEN], score)
    return bool(acceptance.met(point[None] - net.starts[:-1], score)[0])


def _first_tie(net: Arrays, part: Part, acceptance: Acceptance) -> IntArray | None:
    """Look through a small part for a point near the threshold that is positive."""
    points = part.anchor[None]
    for feature, (start, end) in enumerate(pairwise(net.starts)):
        options = start + np.flatnonzero(part.options[start:end])
        taken = np.tile(options, len(points))
        points = points.repeat(len(options), axis=0)
        points[:, feature] = taken
        points = points[((points != part.anchor) & ~part.free).sum(axis=1) <= part.numbers[EXTRA]]
    scores = np.empty(len(points))
    score_points(net, points, np.empty_like(net.biases), scores)
    positive = acceptance.met(points - net.starts[:-1], scores)
    return points[int(positive.argmax())] if positive.any() else None


def _first_point(net: Arrays, part: Part) -> IntArray:
    """Take the anchor, or where a feature cannot stay there, its first option."""
    point = part.anchor.copy()
    for feature in np.flatnonzero(~part.options[point]):
        start, end = net.starts[feature : feature + 2]
        point[feature] = start + part.options[start:end].argmax()
    return point
