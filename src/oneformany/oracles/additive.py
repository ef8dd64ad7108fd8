"""Scores that are a sum of one table entry per feature: decided in exact integer arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import Answer, Question, Relaxation

__all__ = ["AdditiveOracle"]

FINEST_DIGITS = 12
LARGEST_SUM = 2**61
NEVER = -(2**40)


class AdditiveOracle:
    """A classifier whose score is ``intercept + tables[0][x_0] + tables[1][x_1] + ...``.

    All entries are rounded once, here, to a decimal grid (``10**-12`` unless the scores are huge), so
    that sums are exact integers, independent of their order, and ties at the threshold are ties.

    Parameters
    ----------
    tables : sequence of one-dimensional arrays
        ``tables[l][v]`` is what level ``v`` of feature ``l`` adds to the score.
    intercept : float
        Added to every score.
    threshold : float
        A point is positive when its score is at least this.
    margin : float
        Added to the threshold, so that rounding in the original model never flips an answer.
    """

    def __init__(
        self,
        tables: Sequence[ArrayLike],
        intercept: float = 0.0,
        threshold: float = 0.0,
        *,
        margin: float = 0.0,
    ) -> None:
        entries = [np.asarray(table, dtype=np.float64) for table in tables]
        _check(entries, intercept, threshold, margin)
        self._levels = tuple(len(table) for table in entries)
        largest = abs(intercept) + abs(threshold) + margin + sum(float(np.abs(t).max()) for t in entries)
        self.digits = _digits(largest)
        self._scale = scale = int(10**self.digits)
        width = max(self._levels)
        self.units = np.full((len(entries), width), NEVER, dtype=np.int64)
        for feature, table in enumerate(entries):
            self.units[feature, : len(table)] = np.rint(table * scale).astype(np.int64)
        self.intercept_units = round(intercept * scale)
        self.threshold_units = round((threshold + margin) * scale)

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self._levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this."""
        return self.threshold_units / self._scale

    @property
    def proves(self) -> bool:
        """Whether every ``reach`` ends with a point or a proof: always, in closed form."""
        return True

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        return np.asarray(self._sum(codes) / self._scale)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive, exactly."""
        return np.asarray(self._sum(codes) >= self.threshold_units)

    def upper_bound(self, domain: BoolArray) -> float:
        """Largest score of a point with levels inside ``domain``; minus infinity when there is none."""
        if not domain.any(axis=1).all():
            return -np.inf
        best = np.where(domain, self.units, np.iinfo(np.int64).min).max(axis=1)
        return (self.intercept_units + int(best.sum())) / self._scale

    def reach(self, question: Question) -> Answer:
        """Find the best point of the question in closed form: it is positive, or none is."""
        rows = np.arange(len(self._levels))
        masked = np.where(question.domain, self.units, np.iinfo(np.int64).min)
        target = masked.argmax(axis=1)
        if not question.domain[question.free].any(axis=1).all():
            return Answer.none()
        here = self.units[rows, question.anchor]
        gain = np.where(question.domain.any(axis=1), masked[rows, target], here) - here
        point = np.where(question.free, target, question.anchor).astype(np.int64)
        total = self.intercept_units + int(np.where(question.free, gain, 0).sum() + here.sum())
        for feature in np.argsort(np.where(question.free, 0, -gain), kind="stable")[: question.extra]:
            if total >= self.threshold_units or question.free[feature] or gain[feature] <= 0:
                break
            point[feature] = target[feature]
            total += int(gain[feature])
        return Answer(point) if total >= self.threshold_units else Answer.none()

    def relaxation(self) -> Relaxation:
        """The score itself, in units."""
        return Relaxation(self.units, self.intercept_units, self.threshold_units, exact=True)

    def describe(self) -> dict[str, Any]:
        """Integer tables that rebuild the oracle exactly."""
        return {
            "kind": "additive",
            "digits": self.digits,
            "tables": [row[:n].tolist() for row, n in zip(self.units, self._levels, strict=True)],
            "intercept": self.intercept_units,
            "threshold": self.threshold_units,
        }

    def _sum(self, codes: IntArray) -> IntArray:
        rows = np.arange(len(self._levels))
        return np.asarray(self.intercept_units + self.units[rows, np.asarray(codes)].sum(axis=-1))


def _digits(largest: float) -> int:
    digits = FINEST_DIGITS
    while digits > 0 and (largest + 1) * 10**digits >= LARGEST_SUM:
        digits -= 1
    if (largest + 1) * 10**digits >= LARGEST_SUM:
        raise InputError(f"scores of size {largest:g} are too large: divide tables and threshold")
    return digits


def _check(entries: list[FloatArray], intercept: float, threshold: float, margin: float) -> None:
    if not entries:
        raise InputError("an additive score needs a table for at least one feature")
    for feature, table in enumerate(entries):
        if table.ndim != 1 or len(table) == 0:
            raise InputError(f"the table of feature {feature} must be a non-empty list of numbers")
        if not np.isfinite(table).all():
            level = int(np.flatnonzero(~np.isfinite(table))[0])
            raise InputError(f"the table of feature {feature} is {table[level]} at level {level}")
    for name, number in (("intercept", intercept), ("threshold", threshold), ("margin", margin)):
        if not np.isfinite(number):
            raise InputError(f"{name} is {number}; it must be a finite number")
    if margin < 0:
        raise InputError(f"margin is {margin}; it must not be negative")
