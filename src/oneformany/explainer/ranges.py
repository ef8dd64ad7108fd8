"""Which ranges an explanation may name: those of which every number serves every row of its group."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.explainer.posing import Posed
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.frames import alike
from oneformany.schema.rules.moves import Range
from oneformany.stop import Stop

SECONDS = 2.0
MOST_QUESTIONS = 20_000  # so many changed rows are shown to the model for one explanation
MOST_EXPLANATIONS = 50  # so many explanations, those of most rows, are looked at


def with_ranges(
    result: Result, posed: Posed, moved: pd.DataFrame, rules: Sequence[object], stop: Stop
) -> Result:
    """Note for each explanation the features of which a whole cell may be named instead of a number.

    A cell may be named when every number that its name promises keeps to the ``rules`` and, in every
    combination with the numbers of the other cells that are named, makes the model accept every row of the
    group, given as ``moved`` after following. What was not examined in time is told as the number that was
    proved.
    """
    if posed.cells is None or result.share == "features" or not result.covered:
        return result
    stop = stop.part(SECONDS)
    covered, changes = np.flatnonzero(result.has_explanation), result.changes
    limits = [rule for rule in rules if isinstance(rule, Range)]
    ranges: list[list[int]] = [[] for _ in result.explanations]
    for number, explanation in enumerate(result.explanations[:MOST_EXPLANATIONS]):
        rows = moved.iloc[np.searchsorted(covered, explanation.members)]
        moves = changes[list(explanation.members)]
        numbers: dict[int, Sequence[Any]] = {}
        for feature in explanation.changed:  # as long as all combinations of numbers serve
            one, cell = posed.schema.features[feature], explanation.point[feature]
            if not one.binned or not moves[:, feature].any() or stop.expired():
                continue
            inside = _promised(one, cell, posed.cells.inside(feature, cell))
            if not all(_within(one, cell, inside, limit) for limit in limits):
                continue
            tried = {**numbers, feature: inside}
            questions = len(rows) * int(np.prod([len(values) for values in tried.values()], dtype=np.float64))
            if len(inside) > 1 and questions <= MOST_QUESTIONS and _serve(posed, rows, moves, tried):
                numbers = tried
        ranges[number] = list(numbers)
    if not any(ranges):
        return result
    return replace(result, problem={**result.problem, "ranges": ranges})


def _promised(feature: Feature, cell: int, known: Sequence[Any]) -> Sequence[Any]:
    """Numbers that the name of a cell promises: known ones of it, its ends, and all integers of integers."""
    edges, last = feature.edges or (), len(feature.edges or ())
    if not known or cell > last:
        return known
    if all(float(number).is_integer() for number in known):
        low = math.floor(edges[cell - 1]) + 1 if cell else int(min(known))
        high = math.floor(edges[cell]) if cell < last else int(max(known))
        return [type(known[0])(number) for number in range(low, min(high, low + MOST_QUESTIONS) + 1)]
    with np.errstate(over="ignore"):  # beyond single precision there is infinity
        above = [float(np.nextafter(np.float32(edge), np.float32(np.inf))) for edge in edges[:cell][-1:]]
    return sorted({*known, *above, *edges[cell : cell + 1]})  # "above 5" promises the next number


def _within(feature: Feature, cell: int, inside: Sequence[Any], limit: Range) -> bool:
    """Whether a rule lets a row go to every number of a cell, of which the first and the last have no end."""
    low = -math.inf if cell == 0 else min(inside, default=math.inf)
    high = math.inf if cell == feature.n_regular - 1 else max(inside, default=-math.inf)
    return str(limit.feature) != feature.name or limit.low <= low <= high <= limit.high


def _serve(posed: Posed, rows: pd.DataFrame, moves: BoolArray, numbers: dict[int, Sequence[Any]]) -> bool:
    """Whether every row is accepted with every combination of numbers in the features in which it moves.

    A number that the model refuses, such as one that its encoder does not know, does not serve.
    """
    combinations = list(product(*numbers.values()))
    many = rows.iloc[np.repeat(np.arange(len(rows)), len(combinations))].reset_index(drop=True)
    for index, feature in enumerate(numbers):
        name = posed.schema.names[feature]
        new = pd.Series([combination[index] for combination in combinations] * len(rows), name=name)
        stays = ~np.repeat(moves[:, feature], len(combinations))
        many[name] = many[name].where(stays, alike(new, many[name].dtype))
    try:
        return bool(np.asarray(posed.decide(many)).all())
    except InputError:
        return False
