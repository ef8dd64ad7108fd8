"""Which rows can be helped at all: each with a point, with a proof that there is none, or undecided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.ground import Ground
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop

BLOCK = 2**20  # rows times cells of a feature at once

Points = dict[int, IntArray]
Reasons = dict[int, str]


@dataclass(frozen=True, eq=False)
class Screened:
    """What is known about the distinct rows of a problem; of the rows named nowhere here, nothing is."""

    helpable: IntArray  # distinct rows with a positive point in reach
    points: list[IntArray]  # these points
    reasons: dict[int, str]  # distinct rows that are proved to have none, and why


def screen(
    problem: Problem,
    statistics: Statistics,
    stop: Stop | None = None,
    known: Mapping[int, IntArray] | None = None,
) -> Screened:
    """Look once at every distinct row, as long as there is time; the others stay undecided.

    ``known`` holds positive points in reach of some of them: the classifier is not asked about these again.
    """
    relaxation = problem.oracle.relaxation()
    summed = relaxation is not None and relaxation.exact and not problem.restrictions
    points, reasons = ({} if summed else dict(known or {})), Reasons()
    with statistics.timed("screening"):
        (_climb if summed else _ask)(problem, stop or Stop(), points, reasons)
    statistics.count("rows screened", len(points) + len(reasons))
    helpable = sorted(points)
    return Screened(np.array(helpable, dtype=np.int64), [points[row] for row in helpable], reasons)


def _ask(problem: Problem, stop: Stop, points: Points, reasons: Reasons) -> None:
    """Ask the classifier about every row that has no point yet."""
    for row in range(len(problem.rows)):
        if stop.expired():
            break
        if row in points:
            continue
        question = replace(problem.question(row), stop=stop)
        answer = problem.oracle.reach(question)
        if answer.point is not None:
            point = problem.cells_of(answer.point)
            if all(rule.holds(problem.rows[[row]], point[None]).all() for rule in problem.restrictions):
                points[row] = point
        elif answer.proved_none:
            score = float(problem.oracle.score(problem.values[[row]])[0])
            reasons[row] = _reason(problem, score, problem.oracle.upper_bound(question.domain))


def _climb(problem: Problem, stop: Stop, points: Points, reasons: Reasons) -> None:
    """Take the moves that gain most; where they do not reach the threshold, nothing does."""
    size = max(1, BLOCK // max(problem.levels))
    for first in range(0, len(problem.rows), size):
        if stop.expired():
            break
        block = np.arange(first, min(first + size, len(problem.rows)))
        ground = Ground.of(problem, block)
        rows, values = ground.rows, ground.values
        best, gain = np.empty((2, *rows.shape), dtype=np.int64)
        for feature in range(problem.n_features):
            every = ground.gain(feature, np.arange(len(block)))
            best[:, feature], gain[:, feature] = every.argmax(axis=1), every.max(axis=1)
        best = np.where(gain > 0, best, rows)
        order = np.argsort(-gain, axis=1, kind="stable")
        score = np.cumsum(np.take_along_axis(gain, order, axis=1), axis=1)
        reached = np.column_stack((np.zeros_like(block), score))
        needed = (reached < ground.deficit[:, None]).sum(axis=1)
        moved = np.where(np.argsort(order, axis=1) < needed[:, None], best, rows)
        enough = needed <= problem.max_changes
        points |= zip(block[enough].tolist(), moved[enough], strict=True)
        if not enough.all():
            before, after = values[~enough], best[~enough]
            if problem.own is not None:
                after = problem.own.follow(before, after, np.ones(after.shape, dtype=np.bool_))
            told = (problem.oracle.score(before), problem.oracle.score(after), needed[~enough].tolist())
            for row, *why in zip(block[~enough].tolist(), *told, strict=True):
                reasons[row] = _reason(problem, *why)


def _reason(problem: Problem, score: float, best: float, needed: int | None = None) -> str:
    """Why a row cannot be helped: its score, the best of all its moves, and how many changes would do."""
    threshold = problem.oracle.threshold
    told = f"{0.0 if abs(threshold) < 1e-6 else threshold:.6g}"  # 0 to the user, without its margin
    if best < threshold:
        return (
            f"no allowed move reaches the threshold: score {score:.6g} now, at most {best:.6g} "
            f"with every feature free, needed {told}"
        )
    changes = "1 change" if problem.max_changes == 1 else f"{problem.max_changes} changes"
    remedy = "" if needed is None else f"; {needed} changes would do"
    return f"no positive point within {changes}: score {score:.6g} now, needed {told}{remedy}"
