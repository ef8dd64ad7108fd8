"""Settling the candidates of a paused search: by the classifier, and by decisions to keep rows apart."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing import kernels as k
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.space import members

__all__ = ["Candidates"]


class Candidates:
    """Settles what a search of one branching node reports."""

    def __init__(self, items: Items, oracle: CachedOracle) -> None:
        self.items = items
        self.oracle = oracle

    def settle(self, state: k.SearchState, item: int, weights: IntArray, *, every: bool) -> None:
        """Accept the candidate, refute a subtree, or let the search go on below."""
        scalars = state.scalars
        row = int(self.items.first[item])
        answer = self.oracle.ask(row, state.features["found"])
        scalars[k.ANSWER] = k.GO_ON
        if answer.point is None and not answer.proved_none:
            # Nobody knows: the bound must allow for it, the solution must not use it.
            scalars[k.REJECTED] = max(scalars[k.REJECTED], scalars[k.WEIGHT])
            if every:
                scalars[k.ANSWER] = k.ACCEPT
        elif answer.proved_none:
            refuted = self._highest_refuted(state, row)
            if refuted >= 0:
                scalars[k.TARGET] = refuted
                scalars[k.ANSWER] = k.PRUNE
        elif every or not self.items.apart:
            scalars[k.ANSWER] = k.ACCEPT
        else:
            self._weigh(state, item, weights)

    def _weigh(self, state: k.SearchState, item: int, weights: IntArray) -> None:
        """Count only the heaviest selection of items that need not stay apart."""
        scalars = state.scalars
        joined = self._covered(state, item)
        real = int(weights[self.items.heaviest(joined, weights)].sum())
        everything = (
            not np.array_equal(state.features["found"], state.features["choice"])
            or state.nodes["alive"][scalars[k.DEPTH]] == 0
        )
        if real > scalars[k.BEST]:
            scalars[k.WEIGHT] = real
            scalars[k.ANSWER] = k.ACCEPT
        elif everything:
            scalars[k.TARGET] = scalars[k.DEPTH]
            scalars[k.ANSWER] = k.PRUNE

    def _covered(self, state: k.SearchState, item: int) -> IntArray:
        covered = members(self.items.arrays, int(self.items.first[item]), state.features["found"])
        inside = self.items.group(covered)
        return np.asarray(inside[state.eligible[inside] | (inside == item)])

    def _highest_refuted(self, state: k.SearchState, row: int) -> int:
        """Depth of the highest node on the path without a positive point; -1 when the current has one."""
        depth = int(state.scalars[k.DEPTH])
        choice = state.features["choice"].copy()
        refuted = -1
        for d in range(depth, -1, -1):
            if d < depth:
                choice[state.nodes["feature"][d]] = -1
            if not self.oracle.ask(row, choice).proved_none:
                break
            refuted = d
        return refuted
