"""Choose the value that each cell sends rows to: one that occurs there in the reference data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import MISSING, Feature, Raw, levels_told
from oneformany.schema.round_numbers import roundness
from oneformany.schema.values import ColumnValues

MIDDLE = (0.4, 0.6)
"""Between these quantiles of a cell a rounder number that occurs is taken instead of the median."""


def choose_targets(
    feature: Feature,
    values: ColumnValues,
    counts: IntArray,
    cells: IntArray,
    asked: Mapping[int, Raw | None] | None = None,
) -> Feature:
    """Give every cell a target, or none.

    Numbers: the lower median of the reference data in the cell, or a rounder number that occurs next to it.
    Categories: the most frequent. Special codes, missing and unseen values are targets only if asked for.

    For each value, ``counts`` say how often it occurs in the reference data, and ``cells`` where it lies.
    What is ``asked`` for a cell comes first; ``None``: no target; not-a-number: the missing value.
    """
    targets: list[Raw | None] = []
    for cell in range(feature.n_levels):
        if asked and cell in asked:
            targets.append(asked[cell])
        elif feature.targets is not None:
            targets.append(feature.targets[cell])
        elif cell >= feature.n_regular:
            targets.append(None)
        else:
            there = (cells == cell) & ~values.gaps
            inside = np.flatnonzero(there & (counts > 0))
            if len(inside):
                targets.append(_usual(values, counts, inside))
            else:  # what only rows have is not a target; a level that occurs nowhere may stand for itself
                targets.append(None if there.any() else feature.target(cell))
    plain = tuple(feature.target(cell) for cell in range(feature.n_levels))
    if feature.targets is None and tuple(targets) == plain:
        return feature
    return replace(feature, targets=tuple(targets))


def named_targets(
    feature: Feature, asked: Mapping[object, Raw | None] | Sequence[Raw] | None
) -> dict[int, Raw | None]:
    """Find the cells of the targets that a user names: by label, or by a value in them.

    A value of ``None`` is not a target; the label of the missing cell as value is the missing value.
    """
    if asked is None:
        return {}
    if isinstance(asked, (str, bytes)) or not isinstance(asked, (Mapping, Sequence)):
        raise InputError(f"targets of {feature.name!r} must be a list of values or a dict of cell to value")
    pairs = list(asked.items()) if isinstance(asked, Mapping) else [(value, value) for value in asked]
    found: dict[int, Raw | None] = {}
    for label, value in pairs:
        cell = feature.find(label)
        if cell is None:
            raise InputError(
                f"targets name {label!r} of {feature.name!r}, whose cells are {levels_told(feature)}"
            )
        wanted = (
            float("nan")
            if value == MISSING or (cell == feature.missing_level and value is not None)
            else value
        )
        if wanted is not None and feature.find(wanted) != cell:
            raise InputError(
                f"the target {value!r} of {feature.name!r} does not lie in the cell {feature.levels[cell]!r}"
            )
        found[cell] = wanted
    return found


def _usual(values: ColumnValues, counts: IntArray, inside: IntArray) -> Raw:
    """Choose among the values of a cell that the reference data have."""
    plain: Sequence[Raw] = values.plain
    if values.kind != "number":
        return plain[int(inside[np.argmax(counts[inside])])]
    below = np.cumsum(counts[inside])
    median = int(inside[np.searchsorted(below, below[-1] / 2)])
    first, last = (int(np.searchsorted(below, share * below[-1])) for share in MIDDLE)
    near = [int(index) for index in inside[first : last + 1]]
    digits = {index: roundness(float(plain[index])) for index in {median, *near}}
    best = min(digits, key=lambda index: (digits[index], abs(index - median)))
    return plain[best if digits[best] < digits[median] else median]
