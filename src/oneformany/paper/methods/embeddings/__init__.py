"""Classifiers as constraints of a mixed-integer program."""

from __future__ import annotations

from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import Oracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.paper.methods.embeddings.additive import AdditiveEmbedding
from oneformany.paper.methods.embeddings.base import Embedding, require_positive
from oneformany.paper.methods.embeddings.network import NetworkEmbedding
from oneformany.paper.methods.embeddings.trees import TreeEmbedding

__all__ = ["Embedding", "embed", "require_positive"]


def embed(oracle: Oracle) -> Embedding:
    """Write a classifier as constraints on one-hot columns.

    Raises
    ------
    UnsupportedModelError
        No formulation is known for this kind of classifier.
    """
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
