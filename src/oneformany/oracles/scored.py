"""What oracles have in common that compare a score with a threshold and may ask the model about ties."""

import math
from abc import ABC, abstractmethod
from copy import copy
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.oracles.ties import Acceptance, Decide

FINEST_DIGITS = 12


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
        least, low, high = ((threshold + m) * self._scale for m in (margin, -margin, margin))
        if scale is not None:
            least, low, high = round(least), math.floor(low), math.ceil(high)
        self._acceptance = Acceptance(least, least)
        self._band = low, high

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

    def _judge(self, points: IntArray) -> NDArray[np.int8]:
        """``POSITIVE``, ``NEGATIVE`` or, where the model has to be asked, ``NEAR``."""
        sums, acceptance = self._sums(points), self._acceptance
        judged = np.where(sums >= acceptance.least, NEAR, NEGATIVE)
        return np.where(sums >= acceptance.sure, POSITIVE, judged).astype(np.int8)

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether the score of each row of codes is so near the threshold that rounding could decide."""
        low, high = self._band
        sums = self._sums(codes)
        return np.asarray((sums >= low) & (sums <= high))

    @abstractmethod
    def _sums(self, codes: IntArray) -> IntArray | FloatArray:
        """Score each row of codes, in units."""


class DecidedOracle(ScoredOracle):
    """A scored oracle that can let the model decide about points near the threshold."""

    def decided_by(self, decide: Decide) -> Self:
        """Let the model decide about points within the margin.

        Points are asked about one by one, when a search meets them, and its answers are remembered. Where all
        of them can be listed (additive scores, a single tree), its answers usually are what some threshold
        says, and then that is the threshold. Where the model adds up without rounding, its first answer
        settles all points with the same score.

        Parameters
        ----------
        decide : callable
            Says of points whether the model calls them positive.
        """
        asked = Acceptance(*self._band, decide, self._rounds)
        return self._with(self._listed(asked) or asked)

    def _listed(self, asked: Acceptance) -> Acceptance | None:  # noqa: ARG002 (for those that can)
        """Ask about all points within the margin, if these can be listed."""
        return None

    def _with(self, acceptance: Acceptance) -> Self:
        oracle = copy(self)
        oracle._acceptance = acceptance  # noqa: SLF001 (a copy of itself)
        return oracle


def check_finite(**numbers: object) -> None:
    """Refuse numbers that are not finite."""
    for name, number in numbers.items():
        if not (isinstance(number, Real) and math.isfinite(number)):
            raise InputError(f"{name} is {number!r}; it must be a finite number")


def finest_digits(largest: float, largest_sum: int, entries: str) -> int:
    """Decimal digits with which sums of scores up to ``largest`` stay below ``largest_sum`` units."""
    for digits in range(FINEST_DIGITS, -1, -1):
        if (largest + 1) * 10**digits < largest_sum:
            return digits
    raise InputError(f"scores of size {largest:g} are too large: divide {entries} and threshold")
