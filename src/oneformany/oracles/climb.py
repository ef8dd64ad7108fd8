"""Local search for a high score among the points of a question, for scores that only can be asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.box import choices
from oneformany.oracles.protocol import Question


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
    for attempt in range(restarts + 1):
        point = _start(question, levels) if attempt == 0 else _random(question, levels, rng)
        best = float(score(point[None])[0])
        while best < threshold:
            for neighbours in (_steps, _swaps):
                near = neighbours(question, levels, point)
                scores = score(near)
                if scores.max(initial=-np.inf) > best:
                    point, best = near[int(scores.argmax())], float(scores.max())
                    break
            else:
                break
        if best >= threshold:
            return point
    return None


def _start(question: Question, levels: list[IntArray]) -> IntArray:
    """Stay at the anchor, except where a free feature may not."""
    point = question.anchor.copy()
    for feature in np.flatnonzero(question.free):
        if not question.domain[feature, point[feature]]:
            point[feature] = levels[feature][0]
    return point


def _random(question: Question, levels: list[IntArray], rng: np.random.Generator) -> IntArray:
    paid = [feature for feature in np.flatnonzero(~question.free) if len(levels[feature])]
    moved = rng.permutation(paid)[: question.extra].astype(np.int64)
    point = question.anchor.copy()
    for feature in [*np.flatnonzero(question.free), *moved]:
        point[feature] = rng.choice(levels[feature])
    return point


def _steps(question: Question, levels: list[IntArray], point: IntArray) -> IntArray:
    """Points that differ in one feature and spend no more than there is."""
    away = (point != question.anchor) & ~question.free
    spent = away.sum() >= question.extra
    near = [
        _with(point, feature, options)
        for feature, options in enumerate(levels)
        if question.free[feature] or away[feature] or not spent
    ]
    home = [_with(point, feature, question.anchor[[feature]]) for feature in np.flatnonzero(away).tolist()]
    return np.concatenate([*near, *home, point[None][:0]])


def _swaps(question: Question, levels: list[IntArray], point: IntArray) -> IntArray:
    """Points in which one feature moves instead of another, when all changes are spent."""
    away = (point != question.anchor) & ~question.free
    stays = np.flatnonzero(~away & ~question.free)
    near = [point[None][:0]]
    if away.sum() >= question.extra:
        for back in np.flatnonzero(away):
            without = point.copy()
            without[back] = question.anchor[back]
            near += [_with(without, feature, levels[feature]) for feature in stays.tolist()]
    return np.concatenate(near)


def _with(point: IntArray, feature: int, options: IntArray) -> IntArray:
    """Copies of a point, one for each level of one feature other than its own."""
    options = options[options != point[feature]]
    copies = np.tile(point, (len(options), 1))
    copies[:, feature] = options
    return copies
