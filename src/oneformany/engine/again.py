"""When a question is answered again: one function says what makes the next answer differ."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from typing import TypeVar

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem
from oneformany.result.facts import TurnedDownError
from oneformany.stop import Stop

Answer = TypeVar("Answer")


def until_accepted(problem: Problem, answer: Callable[[Problem], Answer], stop: Stop) -> Answer:
    """Answer a question, and again as long as the answer is turned down.

    Whoever answers raises :class:`~oneformany.result.facts.TurnedDownError` for an answer that does not hold.
    What makes the next one differ is only what is known of points so near the threshold that the model has
    to be asked:

    1. At first all of them count as positive, which decides sums of tables in closed form. Bounds and proofs
       then hold all the more for fewer positive points, and an answer seldom has such a point.
    2. Asked about the points of an answer, a model that adds up without rounding settles all of the same
       score: the threshold has moved, and the first way is worth another try.
    3. Otherwise the model is asked about each such point that a search meets.
    4. What it says otherwise about a row in its frame, in other company, its oracle knows from then on.

    Each time at least one point less is taken for positive, so that this ends.
    """
    for asked in _asked(problem, stop):
        with suppress(TurnedDownError):
            return answer(asked)
    raise AssertionError  # there is always a next one


def _asked(problem: Problem, stop: Stop) -> Iterator[Problem]:
    """The same question, each time with what is known of points near the threshold."""
    for hopeful in hopeful_problems(problem):
        yield hopeful
        if stop.expired():
            break
    yield from repeat(problem)


def hopeful_problems(problem: Problem) -> Iterator[Problem]:
    """Ask with an oracle that calls all doubtful points positive, if there are any: another one each time."""
    hopeful = getattr(problem.oracle, "hopeful", lambda: None)
    threshold = None
    while (oracle := hopeful()) is not None and oracle.threshold != threshold:
        threshold = oracle.threshold
        yield replace(problem, oracle=oracle)


def accepts(problem: Problem, rows: IntArray, cells: IntArray) -> BoolArray:
    """Whether the oracle accepts each of some given rows at the cells it goes to."""
    if problem.own is None:
        return problem.oracle.positive(cells)
    values = problem.own.values[rows]
    return problem.oracle.positive(problem.own.follow(values, cells, np.ones(cells.shape, dtype=np.bool_)))
