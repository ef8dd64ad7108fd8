"""The points that a question admits: how many they are, all of them, some of them, a good one by climbing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.protocol import Answer, Question

BATCH = 4096  # how many points are looked at together


def choices(question: Question) -> list[IntArray]:
    """For each feature the levels that it may take when it moves: for a free one all of its domain."""
    inside = question.domain.copy()
    paid = np.flatnonzero(~question.free)
    inside[paid, question.anchor[paid]] = False
    return [np.flatnonzero(row) for row in inside]


def admits(question: Question, points: IntArray) -> BoolArray:
    """Whether each of the points is one of the question's."""
    inside = question.domain[np.arange(points.shape[1]), points]
    stays = points == question.anchor
    fits = np.where(question.free, inside, inside | stays).all(axis=1)
    return np.asarray(fits & ((~stays & ~question.free).sum(axis=1) <= question.extra))


def count_points(question: Question, enough: float = np.inf) -> int:
    """Count the points, or as many as are enough.

    Those in which exactly ``k`` features that are not free move are the elementary symmetric polynomial of
    degree ``k`` in the numbers of their choices.
    """
    inside = question.domain.sum(axis=1)
    own = question.domain[np.arange(len(inside)), question.anchor]
    moved = [prod(inside[question.free].tolist())] + [0] * question.extra
    for size in (inside - own)[~question.free & (inside > own)].tolist():
        for k in range(question.extra, 0, -1):
            moved[k] += moved[k - 1] * size
        if sum(moved) >= enough:
            break
    return int(sum(moved))


def list_points(question: Question) -> IntArray:
    """List the points, those with fewer moves first; meant for boxes that are small."""
    points = question.anchor[None].astype(np.int64)
    moves = np.zeros(1, dtype=np.int64)
    for feature, levels in enumerate(choices(question)):
        if question.free[feature]:
            points = points.repeat(len(levels), axis=0)
            points[:, feature] = np.tile(levels, len(moves))
            moves = moves.repeat(len(levels))
        elif len(levels):
            able = moves < question.extra
            moved = points[able].repeat(len(levels), axis=0)
            moved[:, feature] = np.tile(levels, able.sum())
            points = np.concatenate((points, moved))
            moves = np.concatenate((moves, moves[able].repeat(len(levels)) + 1))
    return points[np.argsort(moves, kind="stable")]


def look_through(question: Question, positive: Callable[[IntArray], BoolArray]) -> Answer:
    """Look at all points, those with fewer moves first."""
    points = list_points(question)
    for start in range(0, len(points), BATCH):
        found = np.flatnonzero(positive(points[start : start + BATCH]))
        if len(found):
            return Answer(points[start + found[0]].copy())
    return Answer.none()


def restricted(question: Question, domain: BoolArray) -> Question | None:
    """Keep the points with these levels; ``None``: there are none. It must hold the levels that may stay.

    A feature without its anchor's level has to move: it is free, with one change less.
    """
    must = ~(question.free | domain[np.arange(len(domain)), question.anchor])
    free, extra = question.free | must, question.extra - int(must.sum())
    if extra < 0 or not domain.any(axis=1).all():
        return None
    if extra == 0:
        paid = np.flatnonzero(~free)
        domain = domain.copy()
        domain[paid] = False
        domain[paid, question.anchor[paid]] = True
    return Question(question.anchor, free, extra, domain, question.stop)


def anchored(question: Question) -> Question | None:
    """Let every feature that may stay have its anchor's level in its domain; the arrays are copies."""
    domain = question.domain.copy()
    paid = np.flatnonzero(~question.free)
    domain[paid, question.anchor[paid]] = True
    return restricted(replace(question, anchor=np.array(question.anchor, dtype=np.int64)), domain)


def first_point(question: Question) -> IntArray:
    """Take the anchor, or where a feature cannot stay there, its first level."""
    stays = question.domain[np.arange(len(question.anchor)), question.anchor]
    return np.where(stays, question.anchor, question.domain.argmax(axis=1))


def lifts(
    question: Question, gains: FloatArray | IntArray
) -> tuple[FloatArray | IntArray, IntArray, FloatArray | IntArray]:
    """For each feature of an anchored question: the anchor's gain, the best level, its lift if it costs."""
    rows = np.arange(len(gains))
    home = gains[rows, question.anchor]
    never = np.iinfo(np.int64).min if gains.dtype.kind == "i" else -np.inf
    most = np.where(question.domain, gains, never).argmax(axis=1)
    return home, most, np.where(question.free, 0, gains[rows, most] - home)


def divided(question: Question, feature: int, gains: FloatArray | IntArray) -> tuple[Question | None, ...]:
    """Divide the points of an anchored question in two: smaller and larger gains of a free feature's levels.

    A feature that is not free stays at the anchor in one part and moves in the other.
    """
    levels = np.flatnonzero(question.domain[feature])
    larger = levels != question.anchor[feature]
    if question.free[feature]:
        values = gains[levels]
        larger = values > 0.5 * (values.max() + values.min())
        larger[values.argmin()], larger[values.argmax()] = False, True
    parts = []
    for some in (levels[~larger], levels[larger]):
        domain = question.domain.copy()
        domain[feature] = False
        domain[feature, some] = True
        parts.append(restricted(question, domain))
    return tuple(parts)


def climb(
    question: Question,
    score: Callable[[IntArray], FloatArray],
    threshold: float,
    rng: np.random.Generator,
    restarts: int,
) -> IntArray | None:
    """Look for a point whose score reaches the threshold; every free feature must have a level to take.

    Each step goes to the best neighbour. Neighbours differ in one feature, or, where no such is better and
    all changes are spent, take one feature back and move another instead. The first climb starts at
    the anchor, the others at random points.
    """
    levels = choices(question)
    feature = np.repeat(np.arange(len(levels)), [len(options) for options in levels])
    moves = np.stack((feature, np.concatenate(levels)))
    for attempt in range(restarts + 1):
        point = _start(question, levels, rng if attempt else None)
        best = float(score(point[None])[0])
        while best < threshold:
            for neighbours in (_steps, _swaps):
                near = neighbours(question, moves, point)
                scores = score(near)
                if scores.max(initial=-np.inf) > best:
                    point, best = near[int(scores.argmax())], float(scores.max())
                    break
            else:
                break
        if best >= threshold:
            return point
    return None


def _start(question: Question, levels: list[IntArray], rng: np.random.Generator | None) -> IntArray:
    """Stay at the anchor, except where a free feature may not; or go to a random point."""
    point = question.anchor.copy()
    free = np.flatnonzero(question.free)
    if rng is None:
        for feature in free[~question.domain[free, point[free]]]:
            point[feature] = levels[feature][0]
        return point
    paid = [feature for feature in np.flatnonzero(~question.free) if len(levels[feature])]
    for feature in [*free, *rng.permutation(paid)[: question.extra].astype(np.int64)]:
        point[feature] = rng.choice(levels[feature])
    return point


def _steps(question: Question, moves: IntArray, point: IntArray) -> IntArray:
    """Points that differ in one feature and spend no more than there is."""
    away = (point != question.anchor) & ~question.free
    may_move = question.free | away | (away.sum() < question.extra)
    home = np.stack((np.flatnonzero(away), question.anchor[away]))
    return _moved(point, np.concatenate((moves[:, may_move[moves[0]]], home), axis=1))


def _swaps(question: Question, moves: IntArray, point: IntArray) -> IntArray:
    """Points in which one feature moves instead of another, when all changes are spent."""
    away = (point != question.anchor) & ~question.free
    others = moves[:, (~away & ~question.free)[moves[0]]]
    backs = np.flatnonzero(away) if away.sum() >= question.extra else np.zeros(0, dtype=np.int64)
    without = (_moved(point, np.array([[back], [question.anchor[back]]]))[0] for back in backs)
    return np.concatenate([point[None][:0], *(_moved(start, others) for start in without)])


def _moved(point: IntArray, moves: IntArray) -> IntArray:
    """Copies of a point, each after one of the moves that changes it: a feature and its new level."""
    feature, level = moves[:, moves[1] != point[moves[0]]]
    copies = np.tile(point, (len(level), 1))
    copies[np.arange(len(level)), feature] = level
    return copies
