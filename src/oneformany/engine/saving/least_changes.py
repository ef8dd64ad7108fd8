"""How few changes, and how little cost, could help each row by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop

__all__ = ["fewest_changes", "least_costs"]


def fewest_changes(space: SearchSpace, stop: Stop) -> IntArray:
    """For each row of the space a number of changes below which none is proved to help."""
    problem = space.problem
    fewest = np.zeros(len(space.helpable), dtype=np.int64)
    for index, row in enumerate(space.helpable.tolist()):
        question = replace(problem.question(row), stop=stop)
        while fewest[index] < problem.max_changes and not stop.expired():
            if not problem.oracle.reach(replace(question, extra=int(fewest[index]))).proved_none:
                break
            fewest[index] += 1
    return fewest


def least_costs(problem: Problem, rows: IntArray, changes: IntArray) -> IntArray:
    """What so many changes cost each row at least: as many of its cheapest moves in different features."""
    moves = np.zeros(rows.shape, dtype=np.int64)
    for feature, table in enumerate((problem.costs or Costs.changes(problem.levels)).tables):
        allowed = problem.moves[feature]
        away = ~np.eye(len(table), dtype=np.bool_)
        if allowed is not None:
            away &= allowed
        cheapest = np.where(away, table, 2**40).min(axis=1)
        moves[:, feature] = cheapest[rows[:, feature]]
    totals = np.cumsum(np.sort(moves, axis=1), axis=1)
    every = np.concatenate((np.zeros((len(rows), 1), dtype=np.int64), totals), axis=1)
    return np.minimum(every[np.arange(len(rows)), changes], 2**40)
