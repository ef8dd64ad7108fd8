"""Scorecards: points per feature and level, written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.readers.verdict import Reading
from oneformany.schema.feature import Feature, levels_told
from oneformany.schema.schema import Schema

Points = Mapping[str, Mapping[str, float]]


def read_scorecard(
    points: Points, schema: Schema, threshold: float | None = None, positive: object = 1
) -> Reading:
    """Read a scorecard: a row is positive when its points sum to at least the threshold, exactly.

    A feature that is left out gives no points; a feature that is there needs all its levels.
    """
    if threshold is None:
        raise InputError("a scorecard needs a threshold: the points that make a row positive")
    if positive != 1:
        raise InputError(f"a scorecard has no class {positive!r}; to ask for few points, negate them")
    for name in points:
        schema.index(name)
    tables = [_table(feature, points.get(feature.name)) for feature in schema.features]

    def verdict(codes: IntArray) -> BoolArray:
        return np.array([_total(points, schema, row) >= Decimal(str(threshold)) for row in codes.tolist()])

    return Reading(AdditiveOracle(tables, threshold=threshold), verdict)


def _total(points: Points, schema: Schema, row: list[int]) -> Decimal:
    """Add up in decimals, in which points are written down, so that 0.1 + 0.2 is 0.3."""
    shares = (
        Decimal(str(points[feature.name][feature.levels[code]]))
        for feature, code in zip(schema.features, row, strict=True)
        if feature.name in points
    )
    return sum(shares, Decimal(0))


def _table(feature: Feature, points: Mapping[str, float] | None) -> FloatArray:
    if points is None:
        return np.zeros(feature.n_levels)
    for label in points:
        if label not in feature.levels:
            known = levels_told(feature)
            raise InputError(f"the scorecard names {label!r} of {feature.name!r}, whose levels are {known}")
    for label in feature.levels:
        if label not in points:
            raise InputError(f"the scorecard has no points for {label!r} of {feature.name!r}; add them")
        if not isinstance(points[label], Real):
            raise InputError(
                f"the scorecard gives {points[label]!r} for {label!r} of {feature.name!r}; points are numbers"
            )
    return np.array([points[label] for label in feature.levels], dtype=np.float64)
