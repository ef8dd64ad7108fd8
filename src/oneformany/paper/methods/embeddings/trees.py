"""Tree ensembles by leaf selection: a leaf can be selected when the point goes its way at every split.

For a tree with leaves ``s`` and a split of feature ``f`` that sends the levels ``A`` to the left::

    sum of selected[s] over all leaves             =  1
    sum of selected[s] over leaves to the left    <=  [level of f in A]
    sum of selected[s] over leaves to the right   <=  [level of f not in A]

With integer one-hot columns exactly one leaf is left, so that the selections need not be integer variables.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.trees.ensemble import LEAF, TreeEnsemble
from oneformany.paper.methods.model import LinearExpression, Model
from oneformany.paper.methods.one_hot import OneHot

__all__ = ["TreeEmbedding"]


class TreeEmbedding:
    """Embeds a :class:`oneformany.TreeEnsemble`."""

    slack = 0.0

    def __init__(self, ensemble: TreeEnsemble, threshold: float) -> None:
        self.one_hot = OneHot(ensemble.levels)
        self.threshold = threshold
        self._ensemble = ensemble
        self._leaves = np.flatnonzero(ensemble.feature == LEAF)

    def add(self, model: Model, x: IntArray) -> LinearExpression:
        """Add the selection of leaves and return the score of the point ``x``."""
        ensemble = self._ensemble
        selected = np.full(len(ensemble.feature), -1)
        selected[self._leaves] = model.variables.add(len(self._leaves), integer=False)
        for root in ensemble.roots:
            model.constraints.add(selected[self._below(root)], 1.0, lower=1.0, upper=1.0)
        for node in np.flatnonzero(ensemble.feature != LEAF):
            feature, goes_left = int(ensemble.feature[node]), ensemble.left[node]
            for child, levels in zip(ensemble.children[node], (goes_left, ~goes_left), strict=True):
                way = self.one_hot.choice(feature, levels, x)
                leaves = selected[self._below(child)]
                model.constraints.add(
                    np.concatenate([leaves, way.columns]),
                    np.concatenate([np.ones(len(leaves)), -way.values]),
                    upper=way.constant,
                )
        unit = 10**ensemble.digits
        return LinearExpression(
            selected[self._leaves], ensemble.units[self._leaves] / unit, ensemble.intercept / unit
        )

    def hidden(self, point: IntArray) -> FloatArray:
        """1 for the leaf of each tree that the point falls into."""
        ensemble = self._ensemble
        reached = np.zeros(len(ensemble.feature))
        for root in ensemble.roots:
            node = int(root)
            while (feature := ensemble.feature[node]) != LEAF:
                node = int(ensemble.children[node, 0 if ensemble.left[node, point[feature]] else 1])
            reached[node] = 1.0
        return reached[self._leaves]

    def _below(self, node: int) -> IntArray:
        """All leaves under a node."""
        leaves, pending = [], [int(node)]
        while pending:
            here = pending.pop()
            if self._ensemble.feature[here] == LEAF:
                leaves.append(here)
            else:
                pending += self._ensemble.children[here].tolist()
        return np.array(leaves, dtype=np.int64)
