"""What a formulation needs of an embedded classifier."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.one_hot import OneHot

__all__ = ["Embedding", "require_positive"]

SMALLEST = 1e-9  # what solvers take for zero
ROUNDING = 1e-9  # more than float64 loses in a row scaled to 1


class Embedding(Protocol):
    """A classifier's score as linear constraints on one-hot columns."""

    one_hot: OneHot  # the columns it reads
    threshold: float  # a point is positive when its score is at least this
    slack: float  # proved: no embedded score is further than this from the classifier's

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add what defines the score of the point ``x``, and return the score."""
        ...

    def hidden(self, point: IntArray) -> FloatArray:
        """Values at a point of the variables that :meth:`add` adds, in their order."""
        ...


def require_positive(model: Model, score: LinearExpression, threshold: float, slack: float) -> None:
    """Add ``score >= threshold - slack``, scaled to coefficients of size 1.

    The row never excludes a positive point: what is lost in dropped coefficients and rounding is given
    to the slack. A point that only the slack lets in is for the caller to reject.
    """
    scale = float(np.abs(score.values).max(initial=0.0)) or 1.0
    values = score.values / scale
    kept = np.abs(values) >= SMALLEST
    dropped = score.columns[~kept]
    reach = np.maximum(np.abs(model.variables.lower[dropped]), np.abs(model.variables.upper[dropped]))
    lost = float(np.abs(values[~kept]) @ reach) + ROUNDING
    model.constraints.add(
        score.columns[kept], values[kept], lower=(threshold - slack - score.constant) / scale - lost
    )
