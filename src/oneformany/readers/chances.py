"""Probabilities, and the precision in which libraries compute them."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError

DOUBLE = 2.0**-53
"""Largest relative error of one operation in float64."""

SINGLE = 2.0**-24
"""The same in float32."""


def least_probability(threshold: float | None, n_classes: int = 2) -> float:
    """Check a threshold; without one it is where ``predict`` switches between two classes."""
    if threshold is None:
        if n_classes > 2:
            raise InputError(f"with {n_classes} classes a threshold on the probability must be named")
        return 0.5
    if not isinstance(threshold, Real) or not 0 < threshold < 1:
        raise InputError(f"the threshold is {threshold!r}; it is a probability, strictly between 0 and 1")
    return float(threshold)


def log_odds(chance: float) -> float:
    """Where the logistic function takes a value."""
    return math.log(chance) - math.log1p(-chance)


def are_round(numbers: FloatArray, bits: int, below: float) -> bool:
    """Whether numbers are small multiples of ``2**-bits``, so that no sum of them is rounded."""
    units = numbers * 2**bits
    return bool((units == np.rint(units)).all() and np.abs(numbers).max(initial=0.0) < below)


def both_classes(second: ArrayLike) -> FloatArray:
    """Columns for the probabilities of both classes, from those of the second."""
    chances = np.asarray(second, dtype=np.float64)
    return np.stack([1 - chances, chances], axis=1)
