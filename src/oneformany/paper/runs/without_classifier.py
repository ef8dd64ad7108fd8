"""How few explanations any classifier could allow: the same question where every point is positive."""

from __future__ import annotations

import numpy as np

from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.result import Result

__all__ = ["bound_without_classifier"]


def bound_without_classifier(problem: Problem, result: Result, time_limit: float | None = None) -> int:
    """Prove a lower bound for the rows that were helped which holds whatever the classifier is.

    Parameters
    ----------
    problem : Problem
        What was asked.
    result : Result
        Its answer; rows that it could not help are left out here, too.
    time_limit : float or None
        Seconds.
    """
    helped = np.array(result.assignment) >= 0
    if not helped.any():
        return 0
    always = AdditiveOracle([np.zeros(n) for n in problem.levels])
    free = Problem(problem.codes[helped], problem.levels, always, problem.max_changes, problem.allowed)
    return solve(free, time_limit=time_limit).lower_bound
