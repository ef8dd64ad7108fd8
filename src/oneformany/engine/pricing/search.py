"""One resumable search around one item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing import kernels as k
from oneformany.engine.pricing.candidates import Candidates
from oneformany.stop import Stop

__all__ = ["ColumnSearch", "Heaviest"]

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
    """Memory for searches over the same rows, used again and again."""

    def __init__(self, arrays: k.SearchArrays, candidates: Candidates) -> None:
        p = arrays.rows.shape[1]
        n = len(arrays.item_start) - 1
        words = (p + 63) // 64
        depth = p + 3
        self.arrays = arrays
        self.candidates = candidates
        self.nodes = 0
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
            self.candidates.settle(self.state, item, self.weights, every=step == 0)
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
