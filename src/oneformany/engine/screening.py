"""Which rows can be helped at all, each with a point or a proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from oneformany.arrays import IntArray
from oneformany.oracles.protocol import Answer
from oneformany.problem import Problem
from oneformany.result.result import Unreachable
from oneformany.statistics import Statistics
from oneformany.stop import Stop

__all__ = ["Screened", "screen"]


@dataclass(frozen=True, eq=False)
class Screened:
    """The rows that can be helped, a point for each, and the others.

    Attributes
    ----------
    places : integer array
        Distinct rows with a positive point in reach.
    points : list of integer arrays
        Those points.
    unreachable : tuple of Unreachable
        Given rows without one, with the reason.
    proved : bool
        Whether all of those are proved to be out of reach.
    """

    places: IntArray
    points: list[IntArray]
    unreachable: tuple[Unreachable, ...]
    proved: bool


def screen(problem: Problem, statistics: Statistics, stop: Stop | None = None) -> Screened:
    """Ask once for every distinct row, as long as there is time; a closed form always has it."""
    start = perf_counter()
    relaxation = problem.oracle.relaxation()
    in_closed_form = relaxation is not None and relaxation.exact
    answers: list[Answer] = []
    for row in range(len(problem.rows)):
        late = stop is not None and not in_closed_form and stop.expired()
        question = replace(problem.question(row), stop=stop)
        answers.append(Answer.unknown() if late else problem.oracle.reach(question))
    statistics.spend("screening", perf_counter() - start)
    reachable = np.array([answer.point is not None for answer in answers])
    unreachable = []
    for given, row in enumerate(problem.row_of.tolist()):
        answer = answers[row]
        if answer.point is None:
            unreachable.append(Unreachable(given, _reason(problem, row, proved=answer.proved_none)))
    return Screened(
        np.flatnonzero(reachable),
        [answer.point for answer in answers if answer.point is not None],
        tuple(unreachable),
        all(answer.point is not None or answer.proved_none for answer in answers),
    )


def _reason(problem: Problem, row: int, *, proved: bool) -> str:
    changes = "1 change" if problem.max_changes == 1 else f"{problem.max_changes} changes"
    if not proved:
        return f"no positive point was found within {changes}; none was excluded either"
    score = float(problem.oracle.score(problem.rows[[row]])[0])
    domain = problem.question(row).domain
    best = problem.oracle.upper_bound(domain)
    threshold = problem.oracle.threshold
    if best < threshold:
        return (
            f"no allowed move reaches the threshold: score {score:.6g}, at most {best:.6g} "
            f"with every feature free, needed {threshold:.6g}"
        )
    return f"no positive point within {changes}: score {score:.6g}, needed {threshold:.6g}"
