"""Smaller covers by many small moves: one column out, one column in, rows that stay bare grow heavier.

The local search with row weights of Gao, Yao, Weise and Li (European Journal of Operational Research 246,
2015): always one column fewer than the best cover; a move takes out the column that is needed least, and
takes in the best one for some bare row. Here rows begin with weights near their duals: columns of small
reduced cost come first.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.local_kernels import BEST, walk
from oneformany.stop import Stop

STEPS_AT_ONCE = 20_000
DUAL_OF_ONE = 100
SEED = 88_172_645_463_325_252


class LocalSearch:
    """A search under way, from a cover on; it goes on where it stopped.

    Every row has a column. The duals are those of a relaxation where a column costs 1. The seed is not 0.
    """

    def __init__(self, incidence: Incidence, duals: FloatArray, start: IntArray, seed: int = SEED) -> None:
        n, m = incidence.n_rows, incidence.n_columns
        self.steps = 0
        weight = 1 + np.rint(np.maximum(duals, 0.0) * DUAL_OF_ONE).astype(np.int64)
        holder = np.repeat(np.arange(m), np.diff(incidence.starts))
        used = np.isin(holder, start)
        times = np.bincount(incidence.rows[used], minlength=n)
        owner = np.zeros(n, dtype=np.int64)
        np.bitwise_xor.at(owner, incidence.rows[used], holder[used])
        score = np.zeros(m, dtype=np.int64)
        once = np.flatnonzero(times == 1)
        np.subtract.at(score, owner[once], weight[once])
        chosen = np.concatenate((np.asarray(start, dtype=np.int64), [0, 0]))
        position = np.zeros(m, dtype=np.int64)
        position[start] = np.arange(len(start))
        self._best = chosen.copy()
        self._scalars = np.array([0, len(start), len(start), 0, -1, seed])
        self._table = incidence.arrays
        self._columns = (score, position, np.zeros(m, dtype=np.int64), np.full(m, -1), chosen, self._best)
        self._rows = (times, owner, weight, np.zeros(n, dtype=np.int64), np.arange(n), np.arange(n))

    @property
    def best(self) -> IntArray:
        """The smallest cover so far."""
        return np.sort(self._best[: self._scalars[BEST]])

    def run(self, goal: int, steps: int, stop: Stop) -> IntArray:
        """Look for a cover by ``goal`` columns, for so many steps; return the best one."""
        left = steps
        while left > 0 and len(self.best) > goal and not stop.expired():
            some = min(left, STEPS_AT_ONCE)
            walk(self._table, self._columns, self._rows, self._scalars, goal, some)
            left -= some
            self.steps += some
        return self.best
