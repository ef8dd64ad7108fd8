"""Result files judged by brute force: is what they say true? Scores are computed in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from reference import columns_at, smallest_cover

Point = Sequence[int]


def is_true(result: dict[str, Any]) -> bool:
    """Judge a well-formed result by brute force."""
    problem = result["problem"]
    codes, allowed, most = problem["codes"], problem["allowed"], problem["max_changes"]
    oracle = problem["oracle"]
    points = [point for point in product(*(range(n) for n in problem["levels"])) if accepts(oracle, point)]
    shaped = np.array(points, dtype=int).reshape(-1, len(problem["levels"]))
    groups = columns_at(shaped, codes, problem["levels"], most, allowed)
    reachable = 0
    for group in groups:
        reachable |= group
    beyond_help = [row for row in range(len(codes)) if not reachable >> row & 1]
    explanations, undecided = result["explanations"], result["undecided"]
    covered = sorted(row for explanation in explanations for row in explanation["members"])
    unreachable = [entry["row"] for entry in result["unreachable"]]
    if sorted([*covered, *unreachable, *undecided]) != list(range(len(codes))):
        return False
    if not set(unreachable) <= set(beyond_help) or set(covered) & set(beyond_help):
        return False
    for explanation in explanations:
        point, changed = explanation["point"], explanation["changed"]
        if not accepts(oracle, point) or len(changed) > most:
            return False
        for row in explanation["members"]:
            for feature, (old, new) in enumerate(zip(codes[row], point, strict=True)):
                rule = None if allowed is None else allowed[feature]
                if old != new and (feature not in changed or (rule is not None and not rule[old][new])):
                    return False
    optimum = len(smallest_cover(list(groups), sum(1 << row for row in covered)))
    count, bound = result["count"], result["lower_bound"]
    status = "optimal" if count == bound and not undecided else "feasible"
    if len(unreachable) == len(codes):
        status = "infeasible"
    return count == len(explanations) and bound <= optimum <= count and result["status"] == status


def accepts(oracle: dict[str, Any], point: Point) -> bool:
    """Whether a point is positive, in exact arithmetic."""
    return EXCESSES[oracle["kind"]](oracle, point) >= 0


def _additive_excess(oracle: dict[str, Any], point: Point) -> Fraction:
    total = oracle["intercept"] + sum(t[v] for t, v in zip(oracle["tables"], point, strict=True))
    return Fraction(total - oracle["threshold"])


def _trees_excess(oracle: dict[str, Any], point: Point) -> Fraction:
    total = oracle["intercept"]
    for node in oracle["roots"]:
        at = node
        while oracle["feature"][at] >= 0:
            left = point[oracle["feature"][at]] in oracle["left"][at]
            at = oracle["children"][at][0 if left else 1]
        total += oracle["units"][at]
    return Fraction(total - oracle["threshold"])


def _network_excess(oracle: dict[str, Any], point: Point) -> Fraction:
    values = [
        sum((Fraction(table[v][unit]) for table, v in zip(oracle["tables"], point, strict=True)), Fraction(b))
        for unit, b in enumerate(oracle["bias"])
    ]
    for layer in oracle["layers"]:
        values = [
            sum(
                (max(v, 0) * Fraction(w[unit]) for v, w in zip(values, layer["weights"], strict=True)),
                Fraction(b),
            )
            for unit, b in enumerate(layer["bias"])
        ]
    return values[0] - Fraction(oracle["threshold"])


EXCESSES = {"additive": _additive_excess, "trees": _trees_excess, "network": _network_excess}


def random_trees(rng: np.random.Generator, levels: Sequence[int], trees: int = 3) -> dict[str, Any]:
    """Trees of two splits each, with small integers in their leaves so that ties are common."""
    feature, left, children, units, roots = [], [], [], [], []
    for _ in range(trees):
        root = len(feature)
        roots.append(root)
        upper, lower = (int(f) for f in rng.integers(len(levels), size=2))
        feature += [upper, lower, -1, -1, -1]
        for split in (upper, lower, None, None, None):
            chosen = np.flatnonzero(rng.random(levels[split]) < 0.5).tolist() if split is not None else []
            left.append(chosen)
        children += [[root + 1, root + 2], [root + 3, root + 4], [0, 0], [0, 0], [0, 0]]
        units += [0, 0, *rng.integers(-3, 4, size=3).tolist()]
    oracle = {
        "kind": "trees",
        "digits": 0,
        "levels": list(levels),
        "feature": feature,
        "left": left,
        "children": children,
        "units": units,
        "roots": roots,
        "intercept": int(rng.integers(-2, 3)),
        "threshold": 0,
    }
    scores = sorted(_trees_excess(oracle, point) for point in product(*(range(n) for n in levels)))
    oracle["threshold"] = int(scores[int(len(scores) * rng.choice([0.5, 0.8, 0.95]))])
    return oracle


def random_network(rng: np.random.Generator, levels: Sequence[int], width: int = 3) -> dict[str, Any]:
    """A network with weights of few digits; its threshold is between two scores, or exactly one."""

    def numbers(*shape: int) -> Any:
        return rng.integers(-8, 9, size=shape).astype(float).tolist()

    oracle = {
        "kind": "network",
        "tables": [numbers(n, width) for n in levels],
        "bias": numbers(width),
        "layers": [{"weights": numbers(width, 1), "bias": numbers(1)}],
        "threshold": 0.0,
    }
    scores = sorted(_network_excess(oracle, point) for point in product(*(range(n) for n in levels)))
    tie = float(scores[int(len(scores) * rng.choice([0.5, 0.8, 0.95]))])
    oracle["threshold"] = tie if rng.random() < 0.1 else tie - 0.25
    return oracle
