"""Limits on the numbers that a feature may be changed to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, number_label

__all__ = ["Range"]


@dataclass(frozen=True)
class Range:
    """Whoever changes the feature ends at a number within limits; rows outside may stay.

    Parameters
    ----------
    feature : str
        Name of a feature of numbers.
    low, high : float
        Smallest and largest number, both included.

    Examples
    --------
    >>> from oneformany import Feature, Schema, allowed_moves
    >>> rooms = Feature("rooms", ("1", "2", "3"), ordered=True, numbers=(1, 2, 3))
    >>> allowed_moves(Schema((rooms,)), [Range("rooms", high=2)])[0].tolist()
    [[True, True, False], [True, True, False], [True, True, True]]
    """

    feature: str
    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return f"{self.feature} may change to any number"
        if math.isinf(self.high):
            return f"{self.feature} may change to {number_label(self.low)} or more"
        if math.isinf(self.low):
            return f"{self.feature} may change to {number_label(self.high)} or less"
        return (
            f"{self.feature} may change to numbers from {number_label(self.low)} to {number_label(self.high)}"
        )

    def allowed(self, feature: Feature) -> BoolArray:
        """Allow the moves to levels whose target lies within the limits."""
        if not all(isinstance(limit, Real) for limit in (self.low, self.high)) or not self.low <= self.high:
            raise InputError(
                f"Range({feature.name!r}): {self.low!r} to {self.high!r} is not a range of numbers"
            )
        targets = [feature.target(level) for level in range(feature.n_levels)]
        if not any(isinstance(target, Real) for target in targets):
            raise InputError(
                f"Range({feature.name!r}) needs numbers, but {feature.name!r} has none to change to; use "
                "NeverTarget for levels without numbers"
            )
        inside = [isinstance(target, Real) and self.low <= target <= self.high for target in targets]
        matrix = np.eye(feature.n_levels, dtype=np.bool_)
        matrix[:, inside] = True
        return matrix
