"""A sum of one table entry per feature: linear in the one-hot columns as it is."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.one_hot import OneHot

__all__ = ["AdditiveEmbedding"]


class AdditiveEmbedding:
    """Embeds an :class:`oneformany.AdditiveOracle`; needs no variables of its own."""

    slack = 0.0

    def __init__(self, oracle: AdditiveOracle) -> None:
        self.one_hot = OneHot(oracle.levels)
        self.threshold = oracle.threshold
        unit = 10**oracle.digits
        self._intercept = oracle.intercept_units / unit
        self._tables = [row[:n] / unit for row, n in zip(oracle.units, oracle.levels, strict=True)]

    def add(self, model: Model, x: IntArray) -> LinearExpression:  # noqa: ARG002 (others add to it)
        """Return the score of the point ``x``."""
        score = self.one_hot.affine(self._tables, x)
        return LinearExpression(score.columns, score.values, score.constant + self._intercept)

    def hidden(self, point: IntArray) -> FloatArray:  # noqa: ARG002 (as others do)
        """Nothing is hidden."""
        return np.empty(0)
