"""Oracles that compare a score with a threshold, and ask the model where rounding could decide."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE, Relaxation
from oneformany.schema.feature import is_finite

Decide: TypeAlias = Callable[[IntArray], BoolArray]
"""Says for each row of an ``(n, p)`` array of codes whether the model calls it positive."""

MOST_NUMBERS = 10**7  # of points that are remembered, each of one number per feature: about a gigabyte
FINEST_DIGITS = 12  # after the point, unless scores are huge
COMPANY = 16  # rows, of which libraries add up several at once


@dataclass(eq=False)
class Acceptance:
    """When a point is positive: by its score or, where rounding could decide, when the model says so."""

    least: float  # no point with a lower score is
    sure: float  # every point with at least this score is
    decide: Decide | None = None  # of points with scores between; ``None``: those not in ``decided`` are not
    rounds: bool = True  # False: points with the same score, an integer, are both positive or both not
    decided: dict[tuple[int, ...], bool] = field(default_factory=dict)  # what the model said of those

    def met(self, points: IntArray, scores: IntArray | FloatArray) -> BoolArray:
        """Whether points with these scores are positive."""
        answers = np.asarray(scores >= self.sure)
        near = np.flatnonzero((scores >= self.least) & ~answers)
        if len(near):
            answers[near] = self._ask(points[near], scores[near])
        return answers

    def describe(self) -> dict[str, Any]:
        """From which score on points can be positive, from which they are, what the model said of others."""
        if self.least == self.sure:
            return {"threshold": self.least}
        ties, rejected = (
            sorted(list(point) for point, answer in self.decided.items() if answer == positive)
            for positive in (True, False)
        )
        described = {"threshold": self.least, "sure": self.sure, "ties": ties}
        return {**described, "rejected": rejected} if rejected else described

    def _ask(self, points: IntArray, scores: IntArray | FloatArray) -> BoolArray:
        if self.decide is not None and not self.rounds:
            for score in np.unique(scores).tolist():
                if self.least <= score < self.sure:
                    if self.decide(points[scores == score][:1])[0]:
                        self.sure = score
                    else:
                        self.least = score + 1
            return np.asarray(scores >= self.sure)
        keys = list(map(tuple, points.tolist()))
        known = {key: self.decided.get(key) for key in keys}
        new = [key for key, answer in known.items() if answer is None]
        if self.decide is not None and new:
            # In company: libraries may add up a single row, or the last of many, in another order.
            asked = np.resize(np.array(new), (-(-len(new) // COMPANY) * COMPANY, points.shape[1]))
            said = dict(zip(new, self.decide(asked)[: len(new)].tolist(), strict=True))
            known.update(said)
            room = len(self.decided) * points.shape[1] < MOST_NUMBERS
            self.decided.update((key, answer) for key, answer in said.items() if answer or room)
        return np.array([bool(known[key]) for key in keys], dtype=np.bool_)


class ScoredOracle(ABC):
    """An oracle whose positive points are those with a score of at least a threshold.

    Scores are compared in units, of which ``scale`` make 1; ``None``: they are not integers. With ``margin``,
    scores that near the threshold do not tell what a model that ``rounds`` would say: they do not count as
    positive as long as nobody can be asked.
    """

    def __init__(
        self,
        levels: tuple[int, ...],
        threshold: float,
        margin: float = 0.0,
        *,
        scale: int | None = None,
        rounds: bool = True,
    ) -> None:
        check_finite(threshold=threshold, margin=margin)
        if margin < 0:
            raise InputError(f"margin is {margin}; it must not be negative")
        self._levels = levels
        self._scale = scale or 1
        self._rounds = rounds
        least, low, sure = ((threshold + m) * self._scale for m in (margin, -margin, margin))
        if scale is not None:
            least, low, sure = round(least), math.floor(low), math.ceil(sure)
        if margin:  # a score just at its end is within it
            sure = math.nextafter(sure, math.inf) if scale is None else sure + 1
        self._acceptance = Acceptance(least, least)
        self._band = low, sure

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self._levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this, unless the model itself says otherwise."""
        return float(self._acceptance.least / self._scale)

    def score(self, codes: IntArray) -> FloatArray:
        """Score each row of an ``(n, p)`` array of codes."""
        return np.asarray(self._sums(codes) / self._scale)

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive, exactly."""
        points = np.atleast_2d(codes)
        return self._acceptance.met(points, self._sums(points))

    def judge(self, points: IntArray) -> NDArray[np.int8]:
        """``POSITIVE``, ``NEGATIVE`` or, where the model has to be asked, ``NEAR``."""
        sums, acceptance = self._sums(points), self._acceptance
        judged = np.where(sums >= acceptance.least, NEAR, NEGATIVE)
        return np.where(sums >= acceptance.sure, POSITIVE, judged).astype(np.int8)

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether the score of each row of codes is so near the threshold that rounding could decide."""
        low, sure = self._band
        sums = self._sums(codes)
        return np.asarray((sums >= low) & (sums < sure))

    def decided_by(self, decide: Decide) -> Self:
        """Let the model decide about points within the margin.

        Points are asked about one by one, when a search meets them, and its answers are remembered. Where the
        model adds up without rounding, its first answer settles all points with the same score.

        Parameters
        ----------
        decide : callable
            Says of points whether the model calls them positive.
        """
        low, high = self._band
        return self if low == high else self.accepting(Acceptance(low, high, decide, self._rounds))

    def turn_down(self, codes: IntArray) -> BoolArray:
        """Let the model take back that it accepts points: whether it does, as rounding can be the reason."""
        near = self.positive(codes) & self.doubtful(codes)
        self._acceptance.decided.update((tuple(point), False) for point in codes[near].tolist())
        return near & ~self.positive(codes)

    def hopeful(self) -> Self | None:
        """Count every point that the model would have to be asked about as positive; ``None``: there is none.

        Where a sum of tables decides then, that is quick. What is proved to be out of reach, or to need so
        many explanations, is so for the model too; of what is found, the points have to be asked about.
        """
        acceptance = self._acceptance
        if acceptance.decide is None or acceptance.least == acceptance.sure:
            return None
        made = self.accepting(Acceptance(acceptance.least, acceptance.least))
        relaxation = made.relaxation()
        return made if relaxation is not None and relaxation.exact else None

    def accepting(self, acceptance: Acceptance) -> Self:
        """Give a copy of the oracle that accepts points otherwise."""
        oracle = copy(self)
        oracle._acceptance = acceptance  # noqa: SLF001 (a copy of itself)
        return oracle

    @abstractmethod
    def relaxation(self) -> Relaxation | None:
        """Bound the score by a sum over the features for pruning inside the search, if that is possible."""

    @abstractmethod
    def _sums(self, codes: IntArray) -> IntArray | FloatArray:
        """Score each row of codes, in units."""


def check_finite(**numbers: object) -> None:
    """Refuse numbers that are not finite."""
    for name, number in numbers.items():
        if not is_finite(number):
            raise InputError(f"{name} is {number!r}; it must be a finite number")


def finest_digits(largest: float, largest_sum: int, entries: str) -> int:
    """Decimal digits with which sums of scores up to ``largest`` stay below ``largest_sum`` units."""
    for digits in range(FINEST_DIGITS, -1, -1):
        if (largest + 1) * 10**digits < largest_sum:
            return digits
    raise InputError(
        f"scores of size {largest:g} are too large: divide {entries} and threshold, or scale the columns "
        "before the model is fitted"
    )
