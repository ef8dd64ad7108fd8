"""Points at which rounding could decide count as positive first; where that fails the model is asked.

A sum of tables decides in closed form, except within its margin, where an answer seldom has a point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result


def hopeful_problems(problem: Problem) -> Iterator[Problem]:
    """Ask with an oracle that calls all doubtful points positive, if there are any.

    Asked about a point, the model may settle others as well; as long as it does, that is worth another try.
    """
    hopeful = getattr(problem.oracle, "hopeful", lambda: None)
    threshold = None
    while (oracle := hopeful()) is not None and oracle.threshold != threshold:
        threshold = oracle.threshold
        yield replace(problem, oracle=oracle)


def accepted_explanations(problem: Problem, result: Result) -> list[Explanation]:
    """Take the explanations after which the problem's own oracle accepts each of their rows."""
    covered = np.flatnonzero(np.asarray(result.assignment) >= 0)
    refused = covered[~accepts(problem, covered, result.points[covered])]
    return [one for one in result.explanations if not np.isin(one.members, refused).any()]


def accepts(problem: Problem, rows: IntArray, cells: IntArray) -> BoolArray:
    """Whether the oracle accepts each of some given rows at the cells it goes to."""
    if problem.own is None:
        return problem.oracle.positive(cells)
    values = problem.own.values[rows]
    return problem.oracle.positive(problem.own.follow(values, cells, np.ones(cells.shape, dtype=np.bool_)))
