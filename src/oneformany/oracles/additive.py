"""Scores that are a sum of one table entry per feature: decided in exact integer arithmetic."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.actions import Actions
from oneformany.oracles.box import Narrowed, Part, anchored, narrowed
from oneformany.oracles.conjunction_kernels import judge_sums
from oneformany.oracles.dense import AdditiveJudge
from oneformany.oracles.protocol import Answer, Question, Relaxation
from oneformany.oracles.scored import ScoredOracle, check_finite, finest_digits
from oneformany.oracles.search import search

LARGEST_SCORE = 2**61  # in units: sums and their differences stay within 64 bits
NO_LEVEL = -(2**40)  # the score share of levels that a feature does not have: far below any other
ROUNDOFF = 2.0**-53  # of float64, relative
LARGEST_BOX = 10_000  # points that are listed to settle a question
"""Questions within the margin with at most so many points are settled by asking about all of them."""
SPARSE = 4  # times as many features as are used: then only the used ones are looked at
"""A question about less than a fourth of the levels is asked about these alone: numbers have thousands."""


class AdditiveOracle(ScoredOracle):
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
        try:
            entries = [np.asarray(table, dtype=np.float64) for table in tables]
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"tables must hold a list of numbers for each feature: {error}") from error
        if not entries:
            raise InputError("an additive score needs a table for at least one feature")
        for feature, table in enumerate(entries):
            if table.ndim != 1 or len(table) == 0:
                raise InputError(f"the table of feature {feature} must be a non-empty list of numbers")
            for level in np.flatnonzero(~np.isfinite(table)):
                raise InputError(f"the table of feature {feature} is {table[level]} at level {level}")
        check_finite(intercept=intercept, threshold=threshold, margin=margin)
        largest = abs(intercept) + abs(threshold) + margin + sum(float(np.abs(t).max()) for t in entries)
        self.digits = finest_digits(largest, LARGEST_SCORE, "tables")
        scale = int(10**self.digits)
        levels = tuple(len(table) for table in entries)
        super().__init__(levels, threshold, margin, scale=scale, rounds=rounds)
        self.units = np.full((len(entries), max(levels)), NO_LEVEL, dtype=np.int64)
        for feature, table in enumerate(entries):
            self.units[feature, : len(table)] = np.rint(table * scale).astype(np.int64)
        self.intercept_units = round(intercept * scale)

    @classmethod
    def from_units(cls, tables: Sequence[Sequence[int]], intercept: int, digits: int) -> Self:
        """Rebuild an oracle from integers, of which ``10**digits`` make 1; its threshold is 0."""
        oracle = cls([np.zeros(len(table)) for table in tables])
        oracle.digits, oracle.intercept_units = digits, intercept
        oracle._scale = 10**digits
        for units, table in zip(oracle.units, tables, strict=True):
            units[: len(table)] = table
        return oracle

    def upper_bound(self, domain: BoolArray) -> float:
        """Largest score of a point with levels inside ``domain``; minus infinity when there is none."""
        if not domain.any(axis=1).all():
            return -np.inf
        best = np.where(domain, self.units, np.iinfo(np.int64).min).max(axis=1)
        return (self.intercept_units + int(best.sum())) / self._scale

    def reach(self, question: Question) -> Answer:
        """Find the best point of the question in closed form: it is positive, or only a tie can be."""
        levels: BoolArray = np.array(question.domain.any(axis=0))  # that some feature may take
        levels[question.anchor] = True
        used = np.flatnonzero(levels)
        few = len(used) * SPARSE < len(levels)
        part = anchored(_of_levels(question, used) if few else question)
        if part is None:
            return Answer.none()
        point, total = self._best(part, self.units[:, used] if few else self.units)
        if total < self._acceptance.least:
            return Answer.none()
        point = used[point] if few else point
        if self.positive(point[None])[0]:
            return Answer(point)
        whole = anchored(question) if few else part
        if whole is None:
            return Answer.none()
        return search(whole, None, self.judge, self.positive, few=LARGEST_BOX)

    def narrow(self, part: Part, near: IntArray) -> Narrowed:  # noqa: ARG002 (the same bound around any point)
        """Leave what may be positive of a part; see :class:`~oneformany.oracles.box.Narrows`.

        Bounds are added up in decimal numbers, so there is room for their rounding.
        """
        point, total = self._best(part, self.units)
        least, gains = int(self._acceptance.least), self.units.astype(np.float64)
        sizes = np.where(part.domain, np.abs(gains), 0.0).max(axis=1).sum() + abs(self.intercept_units)
        room = least - 8 * (len(gains) + 2) * ROUNDOFF * (sizes + abs(least))
        if total < least:
            return Narrowed(None, point[None][:0], gains, self.intercept_units, room)
        left = narrowed(part, gains, self.intercept_units, room)
        return Narrowed(left, point[None], gains, self.intercept_units, room)

    def _best(self, part: Part, units: IntArray) -> tuple[IntArray, int]:
        """The point of largest score, with no more changes than make it surely positive."""
        rows = np.arange(len(part.anchor))
        most = np.where(part.domain, units, np.iinfo(np.int64).min).argmax(axis=1)
        lift = np.where(part.free, 0, units[rows, most] - units[rows, part.anchor])
        point = np.where(part.free, most, part.anchor)
        total = self.intercept_units + int(units[rows, point].sum())
        for feature in np.argsort(-lift, kind="stable")[: part.extra]:
            if total >= self._acceptance.sure or lift[feature] <= 0:
                break
            point[feature] = most[feature]
            total += int(lift[feature])
        return point, total

    def action_judge(self, actions: Actions) -> AdditiveJudge:
        """Judge all actions of a row together; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        return AdditiveJudge(self.units, self.intercept_units, actions, self._needed)

    def judge_sums(
        self, values: IntArray, features: IntArray, goals: NDArray[np.int32], choices: IntArray
    ) -> NDArray[np.int8]:
        """Judge each row after each choice, as ``judge_moves`` of others does.

        The engine has a quicker way for a single sum, so this one is for members of conjunctions.
        """
        own = self.units[np.arange(len(self._levels)), values]
        gains = self.units[features[:, None], np.maximum(goals, 0)] - own[:, features][:, :, None]
        judged = np.empty((len(values), len(choices)), dtype=np.int8)
        base = self.intercept_units + own.sum(axis=1)
        judge_sums(base, gains, goals >= 0, choices, np.array(self._needed(), dtype=np.int64), judged)
        return judged

    def _needed(self) -> tuple[int, int]:
        return int(self._acceptance.least), int(self._acceptance.sure)

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

    def _sums(self, codes: IntArray) -> IntArray:
        rows = np.arange(len(self._levels))
        return np.asarray(self.intercept_units + self.units[rows, np.asarray(codes)].sum(axis=-1))


def _of_levels(question: Question, levels: IntArray) -> Question:
    """The same question where features have some of the levels only."""
    return replace(
        question, domain=question.domain[:, levels], anchor=np.searchsorted(levels, question.anchor)
    )
