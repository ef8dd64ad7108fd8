"""Proofs by complete searches over all columns, from brute force alone: without weights, without prices."""

from __future__ import annotations

import json
from itertools import combinations, product
from typing import Any

import numpy as np

from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from reference_sharing import cost_of_joining

MOST_COLUMNS = 14
MOST_CHOSEN = 2

Group = dict[int, int]


def with_searches(content: dict[str, Any], problem: Problem, goal: Goal) -> dict[str, Any]:
    """Put complete searches in the place of weights and prices, wherever they are small enough."""
    columns = costed_columns(problem)
    if len(columns) > MOST_COLUMNS or content["status"] != "optimal":
        return content
    certificate, helpable = content["certificate"], helpable_people(content, problem)
    if goal.explanations is not None:
        chosen, target = goal.explanations, content["covered_bound"] + 1
        if chosen <= MOST_CHOSEN and target <= helpable:
            content["lower_bound"] = certificate["bound"] = min(1, content["covered"])
            certificate["proof"] = searched_coverage(columns, chosen, target, content, problem)
    elif goal.coverage is not None:
        chosen, target = content["lower_bound"] - 1, goal.needed(int(problem.multiplicity.sum()))
        if 1 <= chosen <= MOST_CHOSEN:
            certificate["proof"] = searched_coverage(columns, chosen, min(target, helpable), content, problem)
    chosen = content["count"] if goal.explanations is None else goal.explanations
    if chosen <= MOST_CHOSEN and 0 < content.get("cost", 0) == content["cost_bound"]:
        certificate["cost"] |= {
            **zeros("prices", content, problem),
            "exclusion": costed(columns, chosen, content["cost"] - 1, complete_tree(len(columns), chosen)),
        }
    return content


def helpable_people(content: dict[str, Any], problem: Problem) -> int:
    people = content["problem"].get("people") or [1] * len(problem.codes)
    return int(sum(people) - sum(people[entry["row"]] for entry in content["unreachable"]))


def searched_coverage(
    columns: list[Any], chosen: int, target: int, content: dict[str, Any], problem: Problem
) -> dict[str, Any]:
    """A proof without weights that so many columns do not cover so many people."""
    spare = helpable_people(content, problem) - target
    return {
        "kind": "weights",
        **zeros("weights", content, problem),
        "capacity": 1,
        "scale": 1,
        "exclusion": exclusion(columns, chosen, spare, stripped(complete_tree(len(columns), chosen))),
        "bound": chosen + 1 if spare >= 0 else 0,
    }


def zeros(name: str, content: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """A scope of everybody who can be helped, where nobody weighs or pays anything."""
    beyond = {int(problem.row_of[entry["row"]]) for entry in content["unreachable"]}
    first = np.unique(problem.row_of, return_index=True)[1]
    scope = sorted(int(first[kind]) for kind in range(len(first)) if kind not in beyond)
    return {"scope": scope, name: [0] * len(scope)}


def exclusion(columns: list[Any], chosen: int, at_most: int, tree: dict[str, Any]) -> dict[str, Any]:
    rows = [rows for rows, _ in columns]
    return {"explanations": chosen, "at_most": at_most, "columns": rows, "tree": tree}


def costed(columns: list[Any], chosen: int, at_most: int, tree: dict[str, Any]) -> dict[str, Any]:
    return {**exclusion(columns, chosen, at_most, tree), "moves": [moves for _, moves in columns]}


def complete_tree(columns: int, left: int, number: int = 0) -> dict[str, Any]:
    """Every choice of columns, each added up."""
    if left == 0 or number == columns:
        return {"filters": [], "evaluated": True}
    with_it, without = (complete_tree(columns, left - used, number + 1) for used in (1, 0))
    return {"filters": [], "column": number, "parts": [with_it, without]}


def stripped(tree: dict[str, Any]) -> dict[str, Any]:
    """The same tree for coverage, where nothing needs to be said about the ends."""
    parts = {"parts": [stripped(part) for part in tree["parts"]]} if "parts" in tree else {}
    return {name: part for name, part in {**tree, **parts}.items() if name != "evaluated"}


def costed_columns(problem: Problem) -> list[Any]:
    """Every explanation that somebody can follow, without those that another one makes superfluous."""
    first = [problem.row_of.tolist().index(kind) for kind in range(len(problem.rows))]
    found: dict[str, tuple[Group, list[Any]]] = {}
    for size in range(problem.max_changes + 1):
        for changed in combinations(range(len(problem.levels)), size):
            for group, column in columns_of(problem, changed):
                found.setdefault(json.dumps(sorted(group.items())), (group, column))
    kept = []
    for group, column in found.values():
        if not any(beats(other, group) for other, _ in found.values() if other != group):
            kept.append((sorted(first[row] for row in group), column))
    return kept


def beats(one: Group, other: Group) -> bool:
    return all(row in one and one[row] <= cost for row, cost in other.items())


def columns_of(problem: Problem, changed: tuple[int, ...]) -> list[tuple[Group, list[Any]]]:
    """Groups of one set of features, with what a file says about each."""
    goals = list(product(*(range(problem.levels[feature]) for feature in changed)))
    found = []
    for to in goals if problem.share != "features" else [None]:
        groups: dict[tuple[int, ...], Group] = {}
        for row, codes in enumerate(problem.rows):
            paid = [cost_of_joining(problem, row, changed, goal) for goal in (goals if to is None else [to])]
            costs = [cost for cost in paid if cost is not None]
            outside = tuple(np.delete(codes, changed).tolist()) if problem.share == "point" else ()
            if costs:
                groups.setdefault(outside, {})[row] = min(costs)
        for group in groups.values():
            point = [-1] * len(problem.levels)
            if problem.share == "point":
                point = problem.rows[min(group)].tolist()
            if to is not None:
                for feature, cell in zip(changed, to, strict=True):
                    point[feature] = cell
            found.append((group, [[feature, point[feature]] for feature in changed]))
    return found
