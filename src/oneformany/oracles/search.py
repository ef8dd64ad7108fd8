"""One search for all oracles: climbing first, then branch and bound over the points of a question."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.box import Part, list_points
from oneformany.oracles.protocol import NEAR, POSITIVE, Answer

BATCH = 4096  # how many points are judged at once, so that the first positive one ends it
FEW = 64  # parts with at most so many points are looked through
TIES_KEPT = 1024  # how many near points are asked about together
MOST_TIES = 1_000_000  # about how many near points a question may ask before its answer is "unknown"

Step: TypeAlias = Callable[[Part, int], tuple[IntArray, list[Part] | None]]
"""For a part and its number, from 1: points to look at, and parts that hold all others that may be positive.

``None`` instead of parts: nobody knows, and the part is left open.
"""

Near: TypeAlias = Callable[[IntArray, BoolArray], tuple[float, FloatArray]]
"""For a point and some levels of each feature: its score, and the score after the move to each of them."""


def search(
    whole: Part,
    step: Step | None,
    judge: Callable[[IntArray], NDArray[Any]],
    positive: Callable[[IntArray], BoolArray],
    *,
    few: float = FEW,
    budget: int | None = None,
) -> Answer:
    """Find a positive point or prove that there is none, in at most ``budget`` steps; ``None``: without any.

    Points that ``judge`` calls near are put off until there are many to ask about.
    """
    parts, near = [whole], whole.anchor[None][:0]
    steps = asked = 0
    ending = Answer.none()
    while parts or len(near):
        ask: Callable[[IntArray], NDArray[Any]] = judge
        if len(near) >= TIES_KEPT or not parts:
            points, near = near, near[:0]
            ask = positive
            asked += len(points)
        else:
            part = parts.pop()
            spent = steps == budget or asked > MOST_TIES or (part.stop is not None and part.stop.expired())
            if part.size <= few:
                points = list_points(part)
            elif step is None or spent:
                return Answer.unknown()
            else:
                steps += 1
                points, found = step(part, steps)
                parts += found or []
                ending = Answer.unknown() if found is None else ending
        for begin in range(0, len(points), BATCH):
            some = points[begin : begin + BATCH]
            judged = ask(some)
            if (judged == POSITIVE).any():
                return Answer(some[int((judged == POSITIVE).argmax())].copy())
            near = np.concatenate((near, some[judged == NEAR]))
    return ending


def climb(
    part: Part,
    near: Near,
    enough: float,
    point: IntArray,
    *,
    swaps: bool = False,
) -> float:
    """Improve a point by its best move, again and again, until its score is enough; returns the score.

    Where no move helps and all changes are spent, ``swaps`` take one feature back and move another instead.
    """
    before = -np.inf
    while True:
        away = ~part.free & (point != part.anchor)
        spent = away.sum() >= part.extra
        score, best, target = _best_move(part, near, point, part.free | away | (not spent))
        for back in np.flatnonzero(away) if swaps and spent and best <= score < enough else ():
            start = point.copy()
            start[back] = part.anchor[back]
            _, swapped, other = _best_move(part, near, start, ~part.free & ~away)
            best, target = max((best, target), (swapped, other), key=itemgetter(0))
        # What moves are said to reach is rounded; where the point itself did not get better, that is the end.
        if score >= enough or not before < score < best or (part.stop is not None and part.stop.expired()):
            return score
        before, point[:] = score, target


def _best_move(part: Part, near: Near, start: IntArray, may: BoolArray) -> tuple[float, float, IntArray]:
    """The score of a point, that after the best move of features that may, and the point after it."""
    options = part.domain & may[:, None]
    score, after = near(start, options)
    scores = np.where(options, after, -np.inf)
    feature, level = divmod(int(scores.argmax()), scores.shape[1])
    target = start.copy()
    target[feature] = level
    return score, float(scores[feature, level]), target
