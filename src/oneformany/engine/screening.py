"""Which rows can be helped at all: each with a point, with a proof that there is none, or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.ground import Ground
from oneformany.problem import Problem
from oneformany.statistics import Statistics
from oneformany.stop import Stop

BLOCK = 4096
TINY = 1e-6


@dataclass(frozen=True, eq=False)
class Screened:
    """What is known about the distinct rows of a problem; of the rows named nowhere here, nothing is.

    Attributes
    ----------
    helpable : integer array
        Distinct rows with a positive point in reach.
    points : list of integer arrays
        Those points.
    reasons : dict from int to str
        Distinct rows that are proved to have none, and why.
    """

    helpable: IntArray
    points: list[IntArray]
    reasons: dict[int, str]


def screen(
    problem: Problem,
    statistics: Statistics,
    stop: Stop | None = None,
    known: Mapping[int, IntArray] | None = None,
) -> Screened:
    """Look once at every distinct row, as long as there is time.

    Parameters
    ----------
    problem : Problem
        What is asked.
    statistics : Statistics
        Where the time goes.
    stop : Stop or None
        Rows not examined in time stay undecided.
    known : mapping from int to integer array or None
        Positive points in reach of some distinct rows; the classifier is not asked about these again.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> problem = ofm.Problem([[0, 0], [0, 1]], (2, 2), oracle, max_changes=1)
    >>> screen(problem, ofm.Statistics()).helpable
    array([0, 1])
    """
    stop = stop or Stop()
    relaxation = problem.oracle.relaxation()
    with statistics.timed("screening"):
        if relaxation is not None and relaxation.exact and not problem.restrictions:
            screened = _in_closed_form(problem, stop)
        else:
            screened = _by_asking(problem, stop, known or {})
    statistics.count("rows screened", len(screened.helpable) + len(screened.reasons))
    return screened


def _by_asking(problem: Problem, stop: Stop, known: Mapping[int, IntArray]) -> Screened:
    helpable, points, reasons = list(known), list(known.values()), {}
    for row in range(len(problem.rows)):
        if stop.expired():
            break
        if row in known:
            continue
        question = replace(problem.question(row), stop=stop)
        answer = problem.oracle.reach(question)
        if answer.point is not None:
            point = problem.cells_of(answer.point)
            if all(rule.holds(problem.rows[[row]], point[None]).all() for rule in problem.restrictions):
                helpable.append(row)
                points.append(point)
        elif answer.proved_none:
            score = float(problem.oracle.score(problem.values[[row]])[0])
            best = problem.oracle.upper_bound(question.domain)
            reasons[row] = _reason(problem, score, best)
    order = np.argsort(helpable)
    return Screened(
        np.array(helpable, dtype=np.int64)[order], [points[index] for index in order.tolist()], reasons
    )


def _in_closed_form(problem: Problem, stop: Stop) -> Screened:
    """Take the moves that gain most; where they do not reach the threshold, nothing does."""
    helpable: list[IntArray] = []
    points: list[IntArray] = []
    reasons: dict[int, str] = {}
    for first in range(0, len(problem.rows), BLOCK):
        if stop.expired():
            break
        block = np.arange(first, min(first + BLOCK, len(problem.rows)))
        climb = _Climb.of(problem, block)
        enough = climb.needed <= problem.max_changes
        helpable.append(block[enough])
        points.extend(climb.points(climb.needed)[enough])
        reasons |= climb.reasons(~enough)
    return Screened(np.concatenate(helpable) if helpable else np.zeros(0, dtype=np.int64), points, reasons)


@dataclass(frozen=True, eq=False)
class _Climb:
    """Some rows, and how their score grows when they make their best moves one after the other."""

    problem: Problem
    rows: IntArray
    cells: IntArray
    gain: IntArray
    order: IntArray
    needed: IntArray

    @classmethod
    def of(cls, problem: Problem, rows: IntArray) -> _Climb:
        ground = Ground.of(problem, rows)
        cells, gain = np.empty((2, *ground.rows.shape), dtype=np.int64)
        for feature in range(problem.n_features):
            every = ground.gain(feature, np.arange(len(rows)))
            cells[:, feature], gain[:, feature] = every.argmax(axis=1), every.max(axis=1)
        order = np.argsort(-gain, axis=1, kind="stable")
        steps = np.cumsum(np.take_along_axis(gain, order, axis=1), axis=1)
        below = np.column_stack([np.zeros(len(rows), dtype=np.int64), steps])
        needed = (below < ground.deficit[:, None]).sum(axis=1)
        return cls(problem, rows, cells, gain, order, needed)

    def points(self, changes: IntArray) -> IntArray:
        """Where the rows are after so many moves."""
        rank = np.empty_like(self.order)
        np.put_along_axis(rank, self.order, np.arange(self.order.shape[1])[None], axis=1)
        moved: BoolArray = (rank < changes[:, None]) & (self.gain > 0)
        return np.where(moved, self.cells, self.problem.rows[self.rows])

    def reasons(self, which: BoolArray) -> dict[int, str]:
        """Why some of the rows cannot be helped."""
        if not which.any():
            return {}
        every = np.full(len(self.rows), self.problem.n_features)
        before = self.problem.values[self.rows]
        after = self.points(every)
        if self.problem.own is not None:
            after = self.problem.own.follow(before, after, np.ones(after.shape, dtype=np.bool_))
        scores, best = (self.problem.oracle.score(codes[which]) for codes in (before, after))
        return {
            row: _reason(self.problem, float(score), float(most), needed)
            for row, score, most, needed in zip(
                self.rows[which].tolist(), scores, best, self.needed[which].tolist(), strict=True
            )
        }


def _reason(problem: Problem, score: float, best: float, needed: int | None = None) -> str:
    threshold = problem.oracle.threshold
    if best < threshold:
        return (
            f"no allowed move reaches the threshold: score {score:.6g}, at most {best:.6g} "
            f"with every feature free, needed {_plain(threshold)}"
        )
    changes = "1 change" if problem.max_changes == 1 else f"{problem.max_changes} changes"
    remedy = "" if needed is None else f"; {needed} changes would do"
    return f"no positive point within {changes}: score {score:.6g}, needed {_plain(threshold)}{remedy}"


def _plain(number: float) -> str:
    """A number for a sentence: the margin of a threshold that is 0 to the user is not told."""
    return f"{0.0 if abs(number) < TINY else number:.6g}"
