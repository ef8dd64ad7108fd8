"""Valid results with proofs, built from the brute force alone: material for the verifier's tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.optimize import linprog

from reference import columns, columns_at, smallest_cover
from strategies import SmallProblem

UNIT = 60

# Two clusters of three rows that only pair up (the relaxation says 3, the optimum is 4), a repeat of the
# first row, and a row that cannot be helped. Features 3 and 4 are immutable, feature 0 only goes up.
TWO_TRIANGLES = SmallProblem(
    codes=[[*unit, side, 0] for side in (0, 1) for unit in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    + [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
    levels=[2, 2, 2, 2, 2],
    tables=[[0, 1], [0, 1], [0, 1], [0, 0], [0, -9]],
    intercept=0,
    threshold=1,
    max_changes=2,
    allowed=[[[1, 1], [0, 1]], None, None, [[1, 0], [0, 1]], [[1, 0], [0, 1]]],
)


def sealed(result: dict[str, Any]) -> dict[str, Any]:
    """The same content with its digest, as anyone can compute it."""
    rest = {name: value for name, value in result.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return {**rest, "digest": sha256(text.encode()).hexdigest()}


def weighed(weights: list[int], capacity: int, bound: int) -> dict[str, Any]:
    """A proof by one weight per given row."""
    scope = [row for row, weight in enumerate(weights) if weight]
    return {
        "kind": "weights",
        "scope": scope,
        "weights": [weights[row] for row in scope],
        "capacity": capacity,
        "scale": max([1, *weights]),
        "exclusion": None,
        "bound": bound,
    }


def build_result(
    problem: SmallProblem,
    proof: str = "best",
    branchings: int = 0,
    oracle: dict[str, Any] | None = None,
    positive: Callable[[tuple[int, ...]], bool] | None = None,
) -> dict[str, Any]:
    """A complete result file.

    ``proof`` is "dual" (which may leave a gap), "enumeration" (from equal weights, so that it has much to
    list), or "best" (by enumeration only where weights do not prove the optimum). Another classifier than
    the problem's tables comes as the file describes it and as a function that says which points it accepts.
    """
    if oracle is None or positive is None:
        cells = columns(**problem.arguments())
        names = ("tables", "intercept", "threshold")
        oracle = {"kind": "additive", "digits": 0, **{name: getattr(problem, name) for name in names}}
    else:
        points = [point for point in product(*(range(n) for n in problem.levels)) if positive(point)]
        shaped = np.array(points, dtype=int).reshape(-1, len(problem.levels))
        cells = columns_at(shaped, problem.codes, problem.levels, problem.max_changes, problem.allowed)
    reachable = 0
    for mask in cells:
        reachable |= mask
    chosen = [cells[mask] for mask in smallest_cover(list(cells), reachable)]
    assignment = [
        next((number for number, cell in enumerate(chosen) if cell.covered >> row & 1), -1)
        for row in range(len(problem.codes))
    ]
    unreachable = [row for row, number in enumerate(assignment) if number < 0]
    tree = Decisions(problem, list(cells)).prove(len(chosen), proof, branchings)
    status = "infeasible" if not chosen else "optimal" if tree["bound"] == len(chosen) else "feasible"
    return sealed(
        {
            "format": "oneformany-result",
            "version": 3,
            "status": status,
            "count": len(chosen),
            "lower_bound": tree["bound"],
            "method": "brute force",
            "seed": 0,
            "versions": {"oneformany": "test"},
            "problem": {
                "codes": problem.codes,
                "levels": problem.levels,
                "max_changes": problem.max_changes,
                "allowed": problem.allowed,
                "oracle": oracle,
            },
            "explanations": [
                {
                    "point": list(cell.point),
                    "changed": list(cell.changed),
                    "members": [row for row, other in enumerate(assignment) if other == number],
                }
                for number, cell in enumerate(chosen)
            ],
            "assignment": assignment,
            "covered": len(assignment) - len(unreachable),
            "unreachable": [{"row": row, "reason": "too far"} for row in unreachable],
            "undecided": [],
            "certificate": {"bound": tree["bound"], "proof": tree},
            "statistics": {"rounds": [], "timings": {}, "counters": {}},
            "schema": None,
            "ended": "limit" if status == "feasible" else "proved",
            "index": list(range(len(problem.codes))),
        }
    )


class Decisions:
    """Rows merged into items, items kept apart, and the groups that respect both, by brute force."""

    def __init__(self, problem: SmallProblem, masks: list[int]) -> None:
        reachable = 0
        for mask in masks:
            reachable |= mask
        first: dict[tuple[int, ...], int] = {}
        for row, codes in enumerate(problem.codes):
            first.setdefault(tuple(codes), row)
        self.n_rows = len(problem.codes)
        self.masks = masks
        self.items: list[tuple[int, ...]] = [(row,) for row in sorted(first.values()) if reachable >> row & 1]
        self.apart: set[frozenset[int]] = set()

    def _child(self) -> Decisions:
        child = object.__new__(Decisions)
        child.n_rows, child.masks = self.n_rows, self.masks
        child.items, child.apart = list(self.items), set(self.apart)
        return child

    def together(self, one: int, other: int) -> Decisions:
        """Merge the items of two rows."""
        child = self._child()
        merged = [item for item in self.items if one in item or other in item]
        rows = tuple(sorted(row for item in merged for row in item))
        child.items = sorted([*(set(self.items) - set(merged)), rows])
        return child

    def separate(self, one: int, other: int) -> Decisions:
        """Keep the items of two rows apart."""
        child = self._child()
        child.apart.add(frozenset((one, other)))
        return child

    def groups(self) -> set[frozenset[int]]:
        """All groups of complete items, as indices of items, that contain no two rows kept apart."""
        waiting = {
            frozenset(index for index, item in enumerate(self.items) if all(mask >> row & 1 for row in item))
            for mask in self.masks
        }
        found: set[frozenset[int]] = set()
        while waiting:
            group = waiting.pop()
            if clash := self._clash(group):
                waiting |= {group - {item} for item in clash}
            elif group:
                found.add(group)
        return found

    def _clash(self, group: frozenset[int]) -> tuple[int, int] | None:
        for one, other in combinations(sorted(group), 2):
            if any(frozenset((a, b)) in self.apart for a in self.items[one] for b in self.items[other]):
                return one, other
        return None

    def prove(self, count: int, proof: str, branchings: int) -> dict[str, Any]:
        """Prove that ``count`` groups are needed, after some branchings on arbitrary pairs."""
        if branchings and len(self.items) > 1 and (pair := self._undecided()):
            children = [
                child.prove(count, proof, branchings - 1)
                for child in (self.together(*pair), self.separate(*pair))
            ]
            return {
                "kind": "branch",
                "pair": list(pair),
                "together": children[0],
                "apart": children[1],
                "bound": min(child["bound"] for child in children),
            }
        groups = self.groups()
        weights = [1] * len(self.items) if proof == "enumeration" else fair_weights(groups, len(self.items))
        capacity = max([1, *(sum(weights[item] for item in group) for group in groups)])
        bound = -(-sum(weights) // capacity)
        scope, scale = [item[0] for item in self.items], max([1, *weights])
        claim = {"kind": "weights", "scope": scope, "weights": weights, "capacity": capacity, "scale": scale}
        if proof == "dual" or count < 2 or (proof == "best" and bound >= count):
            return {**claim, "exclusion": None, "bound": bound}
        floor = sum(weights) - (count - 2) * capacity
        heavy = {group for group in groups if sum(weights[item] for item in group) >= floor}
        listed = sorted((g for g in heavy if not any(g < other for other in heavy)), key=sorted)
        everything = frozenset(range(len(self.items)))
        exclusion = {
            "explanations": count - 1,
            "at_most": 0,
            "columns": [sorted(row for item in group for row in self.items[item]) for group in listed],
            "tree": self._refutation(listed, everything, frozenset(range(len(listed))), count - 1),
        }
        return {**claim, "exclusion": exclusion, "bound": max(bound, count)}

    def _refutation(
        self, groups: list[frozenset[int]], needed: frozenset[int], usable: frozenset[int], left: int
    ) -> dict[str, Any]:
        """Tell, case by case, why so many of the usable groups do not cover what is needed."""
        choices = {item: sorted(g for g in usable if item in groups[g]) for item in sorted(needed)}
        item = min(choices, key=lambda item: len(choices[item]))
        if left == 0 or not choices[item]:
            return {"filters": [[[self.items[item][0], 1]]]}
        if len(needed) > left * max(len(groups[g] & needed) for g in usable):
            return {"filters": [[[self.items[item][0], 1] for item in sorted(needed)]]}
        tried = choices[item]
        return {
            "filters": [],
            "row": self.items[item][0],
            "columns": tried,
            "parts": [
                self._refutation(groups, needed - groups[g], usable - set(tried[: number + 1]), left - 1)
                for number, g in enumerate(tried)
            ],
        }

    def _undecided(self) -> tuple[int, int] | None:
        for one, other in combinations(range(len(self.items)), 2):
            if not self._clash(frozenset((one, other))):
                return self.items[one][-1], self.items[other][0]
        return None


def fair_weights(groups: set[frozenset[int]], size: int) -> list[int]:
    """Integer weights near the duals of the covering problem's relaxation."""
    if not groups:
        return [0] * size
    matrix = np.array([[item in group for item in range(size)] for group in groups], dtype=float)
    solution = linprog(-np.ones(size), matrix, np.ones(len(groups)), bounds=(0, 1))
    return [int(weight) for weight in np.rint(solution.x * UNIT)]
