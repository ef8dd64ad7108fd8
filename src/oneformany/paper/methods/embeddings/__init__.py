"""Classifiers as constraints of a mixed-integer program."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.embeddings.base import Embedding, require_positive
from oneformany.paper.methods.embeddings.network import NetworkEmbedding
from oneformany.paper.methods.embeddings.trees import TreeEmbedding
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.one_hot import OneHot

__all__ = ["AdditiveEmbedding", "Embedding", "embed", "require_positive"]


def embed(oracle: Oracle) -> Embedding:
    """Write a classifier as constraints on one-hot columns."""
    if isinstance(oracle, AdditiveOracle):
        return AdditiveEmbedding(oracle)
    if isinstance(oracle, NetworkOracle):
        return NetworkEmbedding(oracle.network, oracle.threshold)
    if isinstance(oracle, TreeOracle):
        return TreeEmbedding(oracle.ensemble, oracle.threshold)
    raise UnsupportedModelError(
        f"{type(oracle).__name__} cannot be written as constraints: the paper's methods need an additive "
        'score, a ReLU network or a tree ensemble; use method="exact"'
    )


class AdditiveEmbedding:
    """Embeds an :class:`oneformany.AdditiveOracle`: linear in the one-hot columns as it is."""

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
