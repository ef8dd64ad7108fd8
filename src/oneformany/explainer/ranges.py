"""Which ranges an explanation may name: those of which every number serves every row of its group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from oneformany.arrays import IntArray
from oneformany.explainer.posing import Posed
from oneformany.result.explanation import Explanation
from oneformany.result.following import apply
from oneformany.result.result import Result
from oneformany.schema.frames import Table, alike
from oneformany.stop import Stop

SECONDS = 2.0
MOST_QUESTIONS = 20_000
"""So many changed rows are shown to the model for one explanation."""

MOST_EXPLANATIONS = 50
"""So many explanations, those of most rows, are looked at."""


def with_ranges(result: Result, posed: Posed, table: Table, seconds: float | None = None) -> Result:
    """Note for each explanation the features of which a whole cell may be named instead of a number.

    A cell may be named when every number of the reference data in it, in every combination with the numbers
    of the other cells that are named, makes the model accept every row of the group. What was not examined in
    time is told as the number that was proved.
    """
    if posed.inside is None or result.share == "features" or not result.covered:
        return result
    stop = Stop(SECONDS if seconds is None else max(0.0, min(seconds, SECONDS)))
    moved = apply(result, table.frame).reset_index(drop=True)
    covered = np.flatnonzero(np.asarray(result.assignment) >= 0)
    codes = np.asarray(result.problem["codes"], dtype=np.int64)
    ranges: list[list[int]] = [[] for _ in result.explanations]
    for number, explanation in enumerate(result.explanations[:MOST_EXPLANATIONS]):
        if stop.expired():
            break
        members = np.asarray(explanation.members, dtype=np.int64)
        rows = moved.iloc[np.searchsorted(covered, members)]
        ranges[number] = _ranges(posed, explanation, rows, codes[members], stop)
    if not any(ranges):
        return result
    return replace(result, problem={**result.problem, "ranges": ranges})


def _ranges(
    posed: Posed, explanation: Explanation, rows: pd.DataFrame, before: IntArray, stop: Stop
) -> list[int]:
    """Take features one after the other, as long as all combinations of numbers serve."""
    numbers: dict[int, Sequence[Any]] = {}
    for feature in explanation.changed:
        if posed.inside is None or not posed.schema.features[feature].binned:
            continue
        moves = before[:, feature] != explanation.point[feature]
        inside = posed.inside(feature, explanation.point[feature])
        tried = {**numbers, feature: inside}
        questions = len(rows) * int(np.prod([len(values) for values in tried.values()], dtype=np.float64))
        if not moves.any() or len(inside) < 2 or questions > MOST_QUESTIONS or stop.expired():
            continue
        if _serve(posed, explanation, rows, before, tried):
            numbers = tried
    return list(numbers)


def _serve(
    posed: Posed,
    explanation: Explanation,
    rows: pd.DataFrame,
    before: IntArray,
    numbers: dict[int, Sequence[Any]],
) -> bool:
    """Whether every row is accepted with every combination of numbers in the features in which it moves."""
    combinations = list(product(*numbers.values()))
    many = rows.iloc[np.repeat(np.arange(len(rows)), len(combinations))].reset_index(drop=True)
    for index, feature in enumerate(numbers):
        name = posed.schema.names[feature]
        moves = np.repeat(before[:, feature] != explanation.point[feature], len(combinations))
        column = many[name]
        new = pd.Series([combination[index] for combination in combinations] * len(rows), name=name)
        many[name] = column.where(~moves, alike(new, column.dtype))
    return bool(np.asarray(posed.decide(many)).all())
