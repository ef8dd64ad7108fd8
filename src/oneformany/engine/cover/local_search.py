"""Smaller covers by many small moves, and by what good covers share.

The local search with row weights of Gao, Yao, Weise and Li (European Journal of Operational Research 246,
2015): always one column fewer than the best cover; a move takes out the column that is needed least, and
takes in the best one for some bare row; rows that stay bare grow heavier. Here they begin with weights near
their duals: columns of small reduced cost come first.

One such search settles in one corner. The fixed set search of Jovanović, Tuba and Voß (Hybrid Metaheuristics
2019, LNCS 11299) runs many short ones. The first start from nothing. Each later one takes one of the best
covers so far, keeps some of its columns, preferably those that many of the best have, and covers what they
leave bare. Two run beside each other; what they find does not depend on which is quicker.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.kernels import BEST, walk
from oneformany.stop import Stop

STEPS_AT_ONCE = 20_000
DUAL_OF_ONE = 100
SEED = 88_172_645_463_325_252
THREADS = 2
STEPS_PER_ROW = 200
FIRST_SEARCHES = 30
BEST_KEPT = 60
SHARE_FIXED = 0.35


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
        until = self.steps + steps
        while self.steps < until and len(self.best) > goal and not stop.expired():
            some = min(until - self.steps, STEPS_AT_ONCE)
            walk(self._table, self._columns, self._rows, self._scalars, goal, some)
            self.steps += some
        return self.best


class FixedSetSearch:
    """A search under way; it goes on where it stopped.

    Every row has a column. The duals are those of a relaxation where a column costs 1.
    """

    def __init__(self, incidence: Incidence, duals: FloatArray, seed: int = 0) -> None:
        self.searches = 0
        self._incidence = incidence
        self._duals = duals
        self._random = np.random.default_rng(seed)
        self._covers: list[tuple[int, ...]] = []

    @property
    def best(self) -> IntArray:
        """The smallest cover so far."""
        return np.array(min(self._covers, key=len, default=range(self._incidence.n_columns)), dtype=np.int64)

    def run(self, goal: int, patience: int, stop: Stop) -> IntArray:
        """Look for a cover by ``goal`` columns until so many searches in a row bring none that is smaller."""
        idle = 0
        with ThreadPoolExecutor(THREADS) as pool:
            while idle < patience and len(self.best) > goal and not stop.expired():
                before = len(self.best)
                fixed = [self._fixed() for _ in range(THREADS)]
                seeds = self._random.integers(1, 2**62, THREADS).tolist()
                covers = pool.map(lambda some, seed: self._search(some, goal, seed, stop), fixed, seeds)
                for cover in covers:
                    self._keep(cover)
                self.searches += THREADS
                idle = 0 if len(self.best) < before else idle + THREADS
        return self.best

    def _fixed(self) -> IntArray:
        """Columns of one of the covers, those that many of them have with greater probability."""
        if self.searches < FIRST_SEARCHES:
            return np.zeros(0, dtype=np.int64)
        times = Counter(column for cover in self._covers for column in cover)
        base = np.array(self._covers[self._random.integers(len(self._covers))])
        share = np.array([times[column] for column in base.tolist()]) / len(self._covers)
        # Drawn without putting back, with these probabilities (Efraimidis and Spirakis 2006).
        order = np.argsort(-(self._random.random(len(base)) ** (1.0 / share)))
        return base[order[: int(SHARE_FIXED * len(base))]]

    def _search(self, fixed: IntArray, goal: int, seed: int, stop: Stop) -> tuple[int, ...]:
        """Cover what some columns leave bare by a local search."""
        bare = ~self._incidence.covered_by(fixed)
        if not bare.any():
            return tuple(fixed.tolist())
        columns = self._incidence.columns_of(np.flatnonzero(bare))
        part, rows = self._incidence.part(columns, bare)
        local = LocalSearch(part, self._duals[rows], greedy_columns(part), seed)
        found = local.run(goal - len(fixed), STEPS_PER_ROW * self._incidence.n_rows, stop)
        return (*fixed.tolist(), *columns[found].tolist())

    def _keep(self, cover: tuple[int, ...]) -> None:
        """Remember a cover among the best, of equal sizes the latest."""
        cover = tuple(sorted(cover))
        if cover not in self._covers:
            self._covers = sorted([cover, *self._covers], key=len)[:BEST_KEPT]
