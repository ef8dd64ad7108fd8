"""One resumable search around one item, which pauses where only the classifier can decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing import kernels as k
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.items import Items
from oneformany.engine.pricing.space import members
from oneformany.stop import Stop

# Nodes, times items, between two looks at the clock: a node looks at every item.
WORK_AT_ONCE = 20_000_000
NODES_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class Heaviest:
    """The heaviest column around an item above the floor, if any, and a proved bound on all of them."""

    choice: IntArray | None
    weight: int
    bound: int
    complete: bool


class ColumnSearch:
    """Searches over the items of a branching node, in the same memory; ``arrays`` may stand in for theirs."""

    def __init__(self, items: Items, oracle: CachedOracle, arrays: k.SearchArrays | None = None) -> None:
        self.items = items
        self.oracle = oracle
        self.arrays = arrays or items.arrays
        self.nodes = 0
        n, p = len(items), self.arrays.rows.shape[1]
        words = (p + 63) // 64
        depth = p + 3
        self.weigh(np.zeros(n, dtype=np.int64))
        self._chunk = min(NODES_AT_ONCE, 1 + WORK_AT_ONCE // max(n, 1))
        self.state = k.SearchState(
            masks=np.zeros((n, words), dtype=np.uint64),
            order=np.zeros(n, dtype=np.int64),
            eligible=np.ones(n, dtype=np.bool_),
            nodes=np.zeros(depth, dtype=k.NODE),
            features=np.zeros(p, dtype=k.FEATURE),
            inside=np.zeros((depth, words), dtype=np.uint64),
            outside=np.zeros((depth, words), dtype=np.uint64),
            forced=np.zeros((1, words), dtype=np.uint64),
            scalars=np.zeros(10, dtype=np.int64),
        )

    def weigh(self, weights: IntArray) -> None:
        """Search by these integer weights of the items from now on; keep their even parts ready.

        An item that misses so many features spreads its weight evenly over them.
        """
        counts = np.maximum(np.arange(self.arrays.max_changes + 1), 1)
        self.weights, self.parts = weights, np.ascontiguousarray(weights[:, None] // counts)

    def heaviest(self, item: int, floor: int, step: int, node_limit: int, stop: Stop) -> Heaviest:
        """Look for a column heavier than ``floor``, in steps of at least ``step``."""
        scalars = self.state.scalars
        self._begin(floor)
        while True:
            limit = min(self._chunk, node_limit - int(scalars[k.NODES]))
            done = self._advance(item, step, limit) == k.DONE
            if done or scalars[k.NODES] >= node_limit or stop.expired():
                break
        self.nodes += int(scalars[k.NODES])
        best = int(scalars[k.BEST])
        bound = best + step - 1 if done else max(best + step - 1, k.open_bound(self.state))
        choice = self.state.features["best"].copy() if best > floor else None
        return Heaviest(choice, best, max(bound, int(scalars[k.REJECTED])), complete=done)

    def _begin(self, floor: int) -> None:
        self.state.scalars[:] = 0
        self.state.scalars[[k.STAGE, k.BEST]] = k.BEGIN, floor

    def _advance(self, item: int, step: int, limit: int) -> int:
        """Search on for so many nodes; settle the candidate where that ends with one."""
        code = k.advance(self.arrays, self.state, item, self.weights, self.parts, step, limit)
        if code == k.CANDIDATE:
            self._settle(item, every=step == 0)
        return int(code)

    def every(self, item: int, floor: int, stop: Stop) -> Iterator[IntArray | None]:
        """Yield all columns of at least this weight that may be maximal as choices; ``None`` if stopped."""
        scalars = self.state.scalars
        self._begin(floor)
        while True:
            code = self._advance(item, 0, self._chunk)
            if code == k.DONE:
                break
            if stop.expired():
                yield None
                break
            if code == k.FOUND or (code == k.CANDIDATE and scalars[k.ANSWER] == k.ACCEPT):
                yield self.state.features["found"].copy()
        self.nodes += int(scalars[k.NODES])

    def _settle(self, item: int, *, every: bool) -> None:
        """Accept the candidate, refute a subtree, or let the search go on below."""
        scalars = self.state.scalars
        row = int(self.items.first[item])
        answer = self.oracle.ask(row, self.state.features["found"])
        scalars[k.ANSWER] = k.GO_ON
        if answer.point is None and not answer.proved_none:
            # Nobody knows: the bound must allow for it, the solution must not use it.
            scalars[k.REJECTED] = max(scalars[k.REJECTED], scalars[k.WEIGHT])
            if every:
                scalars[k.ANSWER] = k.ACCEPT
        elif answer.proved_none:
            refuted = self._highest_refuted(row)
            if refuted >= 0:
                scalars[k.TARGET] = refuted
                scalars[k.ANSWER] = k.PRUNE
        elif every or not self.items.apart:
            scalars[k.ANSWER] = k.ACCEPT
        else:
            self._weigh_apart(item)

    def _weigh_apart(self, item: int) -> None:
        """Count only the heaviest selection of items that need not stay apart."""
        state, scalars = self.state, self.state.scalars
        found = state.features["found"]
        inside = self.items.group(members(self.arrays, int(self.items.first[item]), found))
        joined = inside[state.eligible[inside] | (inside == item)]
        real = int(self.weights[self.items.heaviest(joined, self.weights)].sum())
        everything = (
            not np.array_equal(found, state.features["choice"]) or state.nodes["alive"][scalars[k.DEPTH]] == 0
        )
        if real > scalars[k.BEST]:
            scalars[k.WEIGHT] = real
            scalars[k.ANSWER] = k.ACCEPT
        elif everything:
            scalars[k.TARGET] = scalars[k.DEPTH]
            scalars[k.ANSWER] = k.PRUNE

    def _highest_refuted(self, row: int) -> int:
        """Depth of the highest node on the path without a positive point; -1 when the current has one."""
        depth = int(self.state.scalars[k.DEPTH])
        choice = self.state.features["choice"].copy()
        refuted = -1
        for d in range(depth, -1, -1):
            if d < depth:
                choice[self.state.nodes["feature"][d]] = -1
            if not self.oracle.ask(row, choice).proved_none:
                break
            refuted = d
        return refuted
