"""What moves cost, and how few of them, at how little cost, could help each row by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.space import SearchSpace
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop

NEVER = 2**40


def move_costs(problem: Problem) -> IntArray:
    """``(p, V, V)``: what going from a level to another costs, ``NEVER`` where that is not allowed."""
    p, width = problem.exists.shape
    costs = np.full((p, width, width), NEVER, dtype=np.int64)
    tables = (problem.costs or Costs.changes(problem.levels)).tables
    for feature, (table, moves) in enumerate(zip(tables, problem.moves, strict=True)):
        n = len(table)
        costs[feature, :n, :n] = table if moves is None else np.where(moves, table, NEVER)
    return costs


def leaving_costs(costs: IntArray) -> IntArray:
    """``(p, V)``: the least that going away from a level costs."""
    return np.asarray(np.where(np.eye(costs.shape[1], dtype=np.bool_), NEVER, costs).min(axis=2))


def meeting_costs(costs: IntArray, rows: IntArray) -> IntArray:
    """``(p, V, V)``: what rows at two levels pay at least together to meet, for levels that rows have."""
    together = np.full(costs.shape, NEVER)
    for feature, moves in enumerate(costs):
        levels = np.unique(rows[:, feature])
        for level in levels.tolist():
            together[feature, level, levels] = (moves[level] + moves[levels]).min(axis=1)
    return np.asarray(np.minimum(together, NEVER))


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
    moves = leaving_costs(move_costs(problem))[np.arange(problem.n_features), rows]
    totals = np.cumsum(np.sort(moves, axis=1), axis=1)
    every = np.concatenate((np.zeros((len(rows), 1), dtype=np.int64), totals), axis=1)
    return np.minimum(every[np.arange(len(rows)), changes], NEVER)
