"""Which ranges an explanation may name: those of which every number serves every row of its group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.explainer.between import Between
from oneformany.explainer.posing import Posed
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.frames import alike
from oneformany.schema.rules.combine import compared_names
from oneformany.schema.rules.moves import Range
from oneformany.stop import Stop

# What is named must not depend on how busy the machine is, so these count questions, not seconds. Two hundred
# trees answer about 100,000 rows per second.
MOST_QUESTIONS = 20_000  # changed rows that the model is shown for one explanation and its ranges
MOST_ASKED = 200_000  # for all of them
LEAST_ASKED = 5_000  # of a function, which may be slow; more if the search itself asked more
MOST_EXPLANATIONS = 50  # so many explanations, those of most rows, are looked at
BATCH = 4_096  # rows that are shown to a model before the clock is looked at
SMALL_BATCH = 100  # to a function: half a second where it needs 5 ms for a row


@dataclass(frozen=True)
class Span:
    """Numbers of one cell, from the least to the greatest; ``whole``: as the name of the cell says."""

    feature: int
    low: float
    high: float
    whole: bool = False

    def written(self) -> int | dict[str, Any]:
        """Plain data: the feature alone for a whole cell."""
        return self.feature if self.whole else {"feature": self.feature, "low": self.low, "high": self.high}


def ranges_of(
    result: Result, posed: Posed, moved: pd.DataFrame, rules: Sequence[object], stop: Stop
) -> list[list[int | dict[str, Any]]]:
    """Say for each explanation in which features a range may be named instead of a number.

    A range may be named when every number in it keeps to the ``rules`` and, in every combination with the
    numbers of the other ranges, makes the model accept every row of the group, given as ``moved`` after
    following. The whole cell comes first; where its end is open and nobody can prove anything about numbers
    beyond the reference data, the least or the greatest of these is the end. What cannot be known, or takes
    too many questions, is told as the number that was proved.
    """
    ranges: list[list[int | dict[str, Any]]] = [[] for _ in result.explanations]
    if posed.cells is None or result.share == "features" or not result.covered:
        return ranges
    asking = _Asking(posed, rules, stop)
    covered, changes = np.flatnonzero(result.has_explanation), result.changes
    compared = compared_names(rules)  # of these only the number itself was looked at
    for number, explanation in enumerate(result.explanations[:MOST_EXPLANATIONS]):
        rows = moved.iloc[np.searchsorted(covered, explanation.members)]
        moves = changes[list(explanation.members)]
        spans: list[Span] = []
        for feature in explanation.changed:  # as long as all combinations of numbers serve
            if moves[:, feature].any() and posed.schema.names[feature] not in compared:
                widest_first = asking.spans(feature, explanation.point[feature])
                served = (span for span in widest_first if asking.serve(rows, moves, [*spans, span]))
                spans += [span for span in (next(served, None),) if span is not None]
        ranges[number] = [span.written() for span in spans]
    return ranges


class _Asking:
    """Questions about ranges, as many as there may be."""

    def __init__(self, posed: Posed, rules: Sequence[object], stop: Stop) -> None:
        assert posed.cells is not None  # noqa: S101 (only asked of frames)
        self._posed, self._cells, self._stop = posed, posed.cells, stop
        self._limits = [rule for rule in rules if isinstance(rule, Range)]
        # Of features whose numbers a rule compares with others, only the target was looked at
        self._compared = {str(name) for rule in rules for name in getattr(rule, "compared", ())}
        self._between, self._batch, self._left = Between(posed), BATCH, MOST_ASKED
        if (asked := getattr(posed.oracle, "asked", None)) is not None:  # a function
            self._batch, self._left = SMALL_BATCH, min(MOST_ASKED, max(LEAST_ASKED, asked))

    def spans(self, feature: int, cell: int) -> Iterator[Span]:
        """What may be named of a cell, widest first: all of it, or what the reference data have of it."""
        one: Feature = self._posed.schema.features[feature]
        known = self._cells.inside(feature, cell)
        if one.edges is None or cell >= one.n_regular or not known or one.name in self._compared:
            return
        least, most, last = min(known), max(known), len(one.edges)
        low: float = -math.inf if cell == 0 else one.edges[cell - 1]
        high: float = math.inf if cell == last else one.edges[cell]
        if self._between.integers(feature):
            low, high = (math.floor(end) if math.isfinite(end) else end for end in (low + 1, high))
        elif cell:
            low = float(np.nextafter(low, np.inf))  # a cell does not hold its left edge
        closed = least if low == -math.inf else low, most if high == math.inf else high
        for ends in dict.fromkeys([(low, high), closed, (least, most)]):
            span = Span(feature, *ends, whole=ends == (low, high))
            if span.low < span.high and self._kept(one, span):
                yield span

    def _kept(self, feature: Feature, span: Span) -> bool:
        """Whether rules let rows go to every number of a span, and no special code lies in it."""
        limits = [limit for limit in self._limits if str(limit.feature) == feature.name]
        codes = [code for _, codes in feature.special for code in codes if not isinstance(code, str)]
        within = all(limit.low <= span.low and span.high <= limit.high for limit in limits)
        return within and not any(span.low <= code <= span.high for code in codes)

    def serve(self, rows: pd.DataFrame, moves: BoolArray, spans: Sequence[Span]) -> bool:
        """Whether every row is accepted with every combination of numbers in the features in which it moves.

        A number that the model refuses, such as one that its encoder does not know, does not serve.
        """
        numbers = []
        for span in spans:
            found = self._between.numbers(span.feature, span.low, span.high, MOST_QUESTIONS)
            if found is None:
                return False
            numbers.append(found)
        features = [span.feature for span in spans]
        rows, moves = self._different(rows, moves[:, features], features)
        combinations = math.prod(map(len, numbers))
        questions = len(rows) * combinations
        if questions > min(MOST_QUESTIONS, self._left):
            return False
        tried = list(product(*numbers))
        together = max(1, self._batch // combinations)
        for start in range(0, len(rows), together):
            part = slice(start, start + together)
            many = self._with_numbers(rows.iloc[part], moves[part], features, tried)
            for first in range(0, len(many), self._batch):
                some = many.iloc[first : first + self._batch]
                if self._stop.expired():
                    return False
                self._left -= len(some)
                if not self._accepted(some):
                    return False
        return True

    def _different(
        self, rows: pd.DataFrame, moves: BoolArray, features: Sequence[int]
    ) -> tuple[pd.DataFrame, BoolArray]:
        """Leave out rows that the model cannot tell from others, once they have the same number."""
        names = self._posed.schema.names
        plain = rows[[name for name in names if name not in self._cells.unread]].copy()
        for index, feature in enumerate(features):
            plain[names[feature]] = plain[names[feature]].astype(object).where(~moves[:, index], None)
            plain[feature] = moves[:, index]  # names are texts, and so are none of these
        kept = np.flatnonzero(~plain.duplicated().to_numpy() & moves.any(axis=1))
        return rows.iloc[kept], moves[kept]

    def _with_numbers(
        self, rows: pd.DataFrame, moves: BoolArray, features: Sequence[int], tried: Sequence[Sequence[Any]]
    ) -> pd.DataFrame:
        """Give every row each of the combinations of numbers in the features in which it moves."""
        many = rows.iloc[np.repeat(np.arange(len(rows)), len(tried))].reset_index(drop=True)
        for index, feature in enumerate(features):
            name = self._posed.schema.names[feature]
            new = [combination[index] for combination in tried] * len(rows)
            stays = ~np.repeat(moves[:, index], len(tried))
            many[name] = _replaced(many[name], stays, new)
        return many

    def _accepted(self, rows: pd.DataFrame) -> bool:
        try:
            return bool(np.asarray(self._posed.decide(rows)).all())
        except InputError:
            return False


def _replaced(column: pd.Series[Any], stays: BoolArray, new: Sequence[Any]) -> pd.Series[Any]:
    """Replace the numbers that do not stay, in the type of the column if it can hold the new ones."""
    if max(map(abs, new), default=0) < 2**31:  # else a cast to a type of integers may fail in its own way
        return column.where(stays, alike(pd.Series(new, name=column.name), column.dtype))
    numbers = column.to_numpy(np.float64, na_value=np.nan)
    return pd.Series(np.where(stays, numbers, np.array(new, dtype=np.float64)), name=column.name)
