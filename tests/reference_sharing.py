"""Groups by brute force for the three ways to share: slow, simple, and written to be believed by reading.

Every row, every set of features, every choice of target cells; the classifier is asked about every changed
row. A group is a dictionary from row to cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import isnan
from typing import Any

import numpy as np

from oneformany.problem import Problem
from oneformany.schema.rules.distance import AtMostNumbers

Group = dict[int, int]


def cost_of_joining(
    problem: Problem, row: int, changed: tuple[int, ...], goal: tuple[int, ...]
) -> int | None:
    """What a distinct row pays for following; ``None`` when it may not, or is not accepted then."""
    before = problem.rows[row]
    cells, values, cost = before.copy(), problem.values[row].copy(), 0
    for feature, cell in zip(changed, goal, strict=True):
        old = int(before[feature])
        if old == cell:
            continue
        if problem.allowed is not None and problem.allowed[feature] is not None:
            rule: Any = problem.allowed[feature]
            if not rule[old][cell]:
                return None
        target = cell if problem.own is None else int(problem.own.targets[feature][cell])
        if target < 0:
            return None
        cells[feature], values[feature] = cell, target
        cost += 1 if problem.costs is None else int(problem.costs.tables[feature][old, cell])
    if not all(_kept(rule, (before, cells), (problem.values[row], values)) for rule in problem.restrictions):
        return None
    return cost if problem.oracle.positive(values[None])[0] else None


def _kept(rule: Any, cells: tuple[Any, Any], values: tuple[Any, Any]) -> bool:
    """Whether a row may go from cells to others; of a limit on its number, by digits."""
    if not isinstance(rule, AtMostNumbers):
        return bool(rule.holds(cells[0][None], cells[1][None])[0])
    if cells[0][rule.feature] == cells[1][rule.feature]:
        return True
    old, new = (float(rule.numbers[rule.feature][one[rule.feature]]) for one in values)
    if isnan(old) or isnan(new):
        return False
    far, by = abs(Fraction(repr(new)) - Fraction(repr(old))), Fraction(repr(rule.by))
    return far <= (by * abs(Fraction(repr(old))) / 100 if rule.part else by)


def all_groups(problem: Problem) -> Iterator[Group]:
    """Every group of every column, with costs; many of them twice.

    With a slack nobody is in a group where following costs much more than in the cheapest one.
    """
    if problem.slack is None:
        yield from _groups_at_any_cost(problem)
        return
    groups = list(_groups_at_any_cost(problem))
    most = most_paid(problem, groups)
    for group in groups:
        yield {row: cost for row, cost in group.items() if cost <= most[row]}


def most_paid(problem: Problem, groups: list[Group]) -> dict[int, Fraction]:
    """What each row may pay, by the least that it pays in any group."""
    slack: Any = problem.slack
    times, more = Fraction(repr(slack.times)), Fraction(repr(slack.more))
    scale = 1 if problem.costs is None else problem.costs.scale
    least: dict[int, int] = {}
    for group in groups:
        for row, cost in group.items():
            least[row] = min(cost, least.get(row, cost))
    return {row: times * cost + more * scale for row, cost in least.items()}


def _groups_at_any_cost(problem: Problem) -> Iterator[Group]:
    n_rows, n_features = problem.rows.shape
    for size in range(problem.max_changes + 1):
        for changed in combinations(range(n_features), size):
            goals = list(product(*(range(problem.levels[feature]) for feature in changed)))
            paid = {
                (row, goal): cost_of_joining(problem, row, changed, goal)
                for row in range(n_rows)
                for goal in goals
            }
            yield from _shared(problem, changed, goals, paid)


def _shared(
    problem: Problem,
    changed: tuple[int, ...],
    goals: list[tuple[int, ...]],
    paid: dict[tuple[int, tuple[int, ...]], int | None],
) -> Iterator[Group]:
    rows = range(len(problem.rows))
    if problem.share == "features":
        group = {}
        for row in rows:
            costs = [cost for goal in goals if (cost := paid[row, goal]) is not None]
            if costs:
                group[row] = min(costs)
        yield group
        return
    outside = np.delete(problem.rows, changed, axis=1)
    for goal in goals:
        joined = {row: cost for row in rows if (cost := paid[row, goal]) is not None}
        if problem.share == "action":
            yield joined
            continue
        for profile in {tuple(outside[row].tolist()) for row in joined}:
            yield {row: cost for row, cost in joined.items() if tuple(outside[row].tolist()) == profile}


def maximal(groups: Iterator[Group], multiplicity: Any) -> dict[frozenset[int], int]:
    """Groups whose rows are not all in another one, each with the least that it costs all rows together."""
    least: dict[frozenset[int], int] = {}
    for group in groups:
        if group:
            total = sum(int(multiplicity[row]) * cost for row, cost in group.items())
            rows = frozenset(group)
            least[rows] = min(total, least.get(rows, total))
    return {rows: total for rows, total in least.items() if not any(rows < other for other in least)}


def undominated(groups: Iterator[Group]) -> set[frozenset[tuple[int, int]]]:
    """Groups with costs for which no other one has all of their rows at no more cost for any of them."""
    different = {frozenset(group.items()) for group in groups if group}
    as_dicts = {items: dict(items) for items in different}

    def beats(other: Group, group: Group) -> bool:
        return all(row in other and other[row] <= cost for row, cost in group.items())

    return {
        items
        for items, group in as_dicts.items()
        if not any(beats(other, group) for key, other in as_dicts.items() if key != items)
    }
