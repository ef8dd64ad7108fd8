"""Classifiers as result files describe them, drawn at random and evaluated point by point in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

Point = Sequence[int]


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
