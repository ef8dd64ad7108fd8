"""What the best answer to every goal is, by brute force: over all sets of rows that groups can make up.

Part of a group is a group, so an answer is a partition of the covered rows into parts of groups. All sets of
rows are tried with every number of parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from reference_sharing import all_groups

NEVER = 10**9


@dataclass(frozen=True)
class Best:
    """The fewest explanations, the most people, and the least cost, in the order that the goal sets.

    For a share of the people: the fewest explanations, the least cost, and the most people at that cost.
    """

    explanations: int
    covered: int
    cost: int


def best_answer(problem: Problem, goal: Goal) -> Best:
    """The best answer to a goal."""
    people, costs = _people(problem), _least_costs(problem)
    helpable = int(people[costs[-1] < NEVER].max())
    if goal.explanations is not None:
        ways = costs[min(goal.explanations, len(costs) - 1)]
        return _cheapest_of_most(ways, people)
    needed = (
        helpable if goal.coverage is None else min(helpable, goal.needed(int(problem.multiplicity.sum())))
    )
    fewest = next(number for number, ways in enumerate(costs) if people[ways < NEVER].max() >= needed)
    least = int(costs[fewest][people >= needed].min())
    return Best(fewest, int(people[costs[fewest] == least].max()), least)


def _cheapest_of_most(ways: np.ndarray, people: np.ndarray) -> Best:
    most = int(people[ways < NEVER].max())
    return Best(-1, most, int(ways[people == most].min()))


def _people(problem: Problem) -> np.ndarray:
    """People in each set of distinct rows."""
    bits = np.arange(1 << len(problem.rows))[:, None] >> np.arange(len(problem.rows)) & 1
    return bits @ problem.multiplicity


def _least_costs(problem: Problem) -> list[np.ndarray]:
    """Least cost of covering exactly a set of distinct rows, by at most so many explanations."""
    n = len(problem.rows)
    alone = np.full(1 << n, NEVER, dtype=np.int64)
    alone[0] = 0
    for group in all_groups(problem):
        rows = sorted(group)
        for part in range(1, 1 << len(rows)):
            members = [row for index, row in enumerate(rows) if part >> index & 1]
            which = sum(1 << row for row in members)
            alone[which] = min(
                alone[which], sum(int(problem.multiplicity[row]) * group[row] for row in members)
            )
    costs = [np.where(np.arange(1 << n) == 0, 0, NEVER)]
    for _ in range(n):
        last, least = costs[-1], costs[-1].copy()
        for rows in range(1, 1 << n):
            part = rows
            while part:
                least[rows] = min(least[rows], last[rows ^ part] + alone[part])
                part = (part - 1) & rows
        costs.append(np.minimum(least, NEVER))
    return costs
