"""One search for all oracles: climbing first, then branch and bound over the points of a question."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.box import Part, list_points
from oneformany.oracles.protocol import NEAR, POSITIVE, Answer

POINTS_JUDGED = 4096  # how many points are judged at once, so that the first positive one ends it
FEW_POINTS = 64  # parts with at most so many points are looked through
TIES_KEPT = 1024  # how many near points are asked about together
MOST_TIES = 1_000_000  # about how many near points a question may ask before its answer is "unknown"

Step: TypeAlias = Callable[[Part, int], tuple[IntArray, list[Part]]]
"""For a part and its number, from 1: points to look at, and parts with all others that may be positive."""

Scores: TypeAlias = Callable[[IntArray], IntArray | FloatArray]
"""The score of each of some points, or what grows with it."""


def search(
    whole: Part,
    step: Step | None,
    judge: Callable[[IntArray], NDArray[Any]],
    positive: Callable[[IntArray], BoolArray],
    *,
    few: float = FEW_POINTS,
) -> Answer:
    """Find a positive point or prove that there is none.

    Without steps that is done by looking at all points, or the answer is "unknown". Points that ``judge``
    calls near are put off until there are many to ask about.
    """
    parts, near = [whole], whole.anchor[None][:0]
    steps = asked = 0
    while parts or len(near):
        ask: Callable[[IntArray], NDArray[Any]] = judge
        if len(near) >= TIES_KEPT or not parts:
            points, near = near, near[:0]
            ask = positive
            asked += len(points)
        else:
            part = parts.pop()
            spent = asked > MOST_TIES or (part.stop is not None and part.stop.expired())
            if part.size <= few:
                points = list_points(part)
            elif step is None or spent:
                return Answer.unknown()
            else:
                steps += 1
                points, found = step(part, steps)
                parts += found
        for begin in range(0, len(points), POINTS_JUDGED):
            if begin and whole.stop is not None and whole.stop.expired():
                return Answer.unknown()
            some = points[begin : begin + POINTS_JUDGED]
            judged = ask(some)
            if (judged == POSITIVE).any():
                return Answer(some[int((judged == POSITIVE).argmax())].copy())
            near = np.concatenate((near, some[judged == NEAR]))
    return Answer.none()


def climb(part: Part, scores: Scores, enough: float, point: IntArray) -> float:
    """Improve a point by its best move, again and again, until its score is enough; returns the score."""
    score = float(scores(point[None])[0])
    while score < enough and not (part.stop is not None and part.stop.expired()):
        away = ~part.free & (point != part.anchor)
        able = part.free | away | (away.sum() < part.extra)
        feature, level = np.nonzero(part.domain & able[:, None])
        moved = np.tile(point, (len(feature), 1))
        moved[np.arange(len(feature)), feature] = level
        after = scores(moved)
        if after.max(initial=score) <= score:
            break
        score, point[:] = float(after.max()), moved[after.argmax()]
    return score
