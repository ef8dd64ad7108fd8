"""Scores that are a sum of one table entry per feature: decided in exact integer arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.box import admits, count_points, list_points
from oneformany.oracles.grid import finest_digits
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.ties import Acceptance, Decide

LARGEST_SUM = 2**61
NEVER = -(2**40)
LARGEST_BOX = 10_000
"""Questions within the margin with at most so many points are settled by asking about all of them."""


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
        Scores within this distance of the threshold are too near to tell what a model that rounds would
        say. They do not count as positive, unless :meth:`decided_by` says who to ask.
    rounds : bool
        False: the model adds up without rounding, so that points with the same score are both positive or
        both not.

    Examples
    --------
    >>> oracle = AdditiveOracle([[0.0, 1.0], [0.0, 2.0, 3.0]], intercept=-2.5)
    >>> oracle.positive([[1, 0], [0, 2]]).tolist()
    [False, True]
    """

    def __init__(
        self,
        tables: Sequence[ArrayLike],
        intercept: float = 0.0,
        threshold: float = 0.0,
        *,
        margin: float = 0.0,
        rounds: bool = True,
    ) -> None:
        entries = [np.asarray(table, dtype=np.float64) for table in tables]
        _check(entries, intercept, threshold, margin)
        self._levels = tuple(len(table) for table in entries)
        largest = abs(intercept) + abs(threshold) + margin + sum(float(np.abs(t).max()) for t in entries)
        self.digits = finest_digits(largest, LARGEST_SUM, "tables")
        self._scale = scale = int(10**self.digits)
        width = max(self._levels)
        self.units = np.full((len(entries), width), NEVER, dtype=np.int64)
        for feature, table in enumerate(entries):
            self.units[feature, : len(table)] = np.rint(table * scale).astype(np.int64)
        self.intercept_units = round(intercept * scale)
        least = round((threshold + margin) * scale)
        self._acceptance = Acceptance(least, least)
        self._band = (math.floor((threshold - margin) * scale), math.ceil((threshold + margin) * scale))
        self._rounds = rounds
        self._ties = np.zeros((0, len(entries)), dtype=np.int64)

    def decided_by(self, decide: Decide) -> AdditiveOracle:
        """Let the model decide about the points within the margin.

        Where these can be listed, its answers usually are what some threshold says, and then that is the
        threshold. Otherwise the points it accepts are remembered one by one. Points that are too many to be
        listed are asked about when a search meets them; see also :meth:`hopeful`.

        Parameters
        ----------
        decide : callable
            Says of points whether the model calls them positive.
        """
        asked = Acceptance(*self._band, decide, self._rounds)
        listed = asked.listed(self.units, self._levels, self.intercept_units)
        oracle = self._with(asked if listed is None else listed)
        if listed is not None and listed.accepted:
            oracle._ties = np.array(sorted(listed.accepted))  # noqa: SLF001 (a copy of itself)
        return oracle

    def hopeful(self) -> AdditiveOracle | None:
        """Count every point that the model would have to be asked about as positive; ``None``: there is none.

        The score decides there, which is quick. What is proved to be out of reach, or to need so many
        explanations, is so for the model too; of what is found, the points have to be asked about.
        """
        acceptance = self._acceptance
        if acceptance.decide is None or acceptance.least == acceptance.sure:
            return None
        return self._with(Acceptance(acceptance.least, acceptance.least))

    def _with(self, acceptance: Acceptance) -> AdditiveOracle:
        oracle = copy(self)
        oracle._acceptance = acceptance  # noqa: SLF001 (a copy of itself)
        return oracle

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether the score of each row of codes is so near the threshold that rounding could decide."""
        low, high = self._band
        scores = self._sum(codes)
        return np.asarray((scores >= low) & (scores <= high))

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self._levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this, unless the model itself says otherwise."""
        return self._acceptance.least / self._scale

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        return np.asarray(self._sum(codes) / self._scale)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive, exactly."""
        points = np.asarray(codes)
        return self._acceptance.met(points, self._sum(points))

    def upper_bound(self, domain: BoolArray) -> float:
        """Largest score of a point with levels inside ``domain``; minus infinity when there is none."""
        if not domain.any(axis=1).all():
            return -np.inf
        best = np.where(domain, self.units, np.iinfo(np.int64).min).max(axis=1)
        return (self.intercept_units + int(best.sum())) / self._scale

    def reach(self, question: Question) -> Answer:
        """Find the best point of the question in closed form: it is positive, or only a listed tie can be."""
        needed = self._acceptance.sure
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
            if total >= needed or question.free[feature] or gain[feature] <= 0:
                break
            point[feature] = target[feature]
            total += int(gain[feature])
        if total >= needed:
            return Answer(point)
        if total < self._acceptance.least:
            return Answer.none()
        if self._acceptance.decide is not None:
            return self._ask_near(question, point)
        ties = self._ties[admits(question, self._ties)]
        return Answer(ties[0].copy()) if len(ties) else Answer.none()

    def relaxation(self) -> Relaxation:
        """The score itself, in units; exact unless ties are decided one by one."""
        least, sure = int(self._acceptance.least), int(self._acceptance.sure)
        return Relaxation(self.units, self.intercept_units, least, exact=least == sure)

    def describe(self) -> dict[str, Any]:
        """Integer tables that rebuild the oracle exactly, and the ties that the model itself decided."""
        return {
            "kind": "additive",
            "digits": self.digits,
            "tables": [row[:n].tolist() for row, n in zip(self.units, self._levels, strict=True)],
            "intercept": self.intercept_units,
            **self._acceptance.describe(),
        }

    def _ask_near(self, question: Question, best: IntArray) -> Answer:
        """Settle a question whose best point is within the margin: no other point is surely positive."""
        if self.positive(best[None])[0]:
            return Answer(best)
        if count_points(question) > LARGEST_BOX:
            return Answer.unknown()
        for points in list_points(question):
            positive = np.flatnonzero(self.positive(points))
            if len(positive):
                return Answer(points[positive[0]])
        return Answer.none()

    def _sum(self, codes: IntArray) -> IntArray:
        rows = np.arange(len(self._levels))
        return np.asarray(self.intercept_units + self.units[rows, np.asarray(codes)].sum(axis=-1))


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
        if not (isinstance(number, Real) and np.isfinite(number)):
            raise InputError(f"{name} is {number!r}; it must be a finite number")
    if margin < 0:
        raise InputError(f"margin is {margin}; it must not be negative")
