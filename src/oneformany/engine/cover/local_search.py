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

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.cover.incidence import Incidence, gathered
from oneformany.engine.cover.kernels import BEST, walk
from oneformany.stop import Stop

FIRST_STATE = 88_172_645_463_325_252  # of the random numbers: any but 0
MOVES_AT_ONCE = 20_000  # between two looks at the clock: some hundredths of a second
# How much weights of rows begin with of the duals: 0 forgets them, much more lets nothing else count
DUAL_OF_ONE = 100
THREADS = 2  # cores that most machines have; each has a seed of its own, so that answers do not depend on it
# Of one short search: many short ones from different starts found more than few long ones
STEPS_PER_ROW = 200
FIRST_SEARCHES = 30  # from nothing, before any begins with what good covers share
BEST_KEPT = 60  # covers; fewer are soon all alike, and of many the worst say little
SHARE_FIXED = 0.35  # of a good cover is kept: the more, the quicker a search, and the nearer to what is known


class LocalSearch:
    """A search under way, from a cover on; it goes on where it stopped.

    Every row has a column. The duals are those of a relaxation where a column costs 1.
    """

    def __init__(self, incidence: Incidence, duals: FloatArray, start: IntArray, seed: int = 0) -> None:
        n, m = incidence.n_rows, incidence.n_columns
        self.steps = 0
        weight = 1 + np.rint(np.maximum(duals, 0.0) * DUAL_OF_ONE).astype(np.int64)
        held, owner = gathered(incidence.rows, incidence.starts, start), np.zeros(n, dtype=np.int64)
        times = np.bincount(held, minlength=n)
        np.bitwise_xor.at(owner, held, np.repeat(start, incidence.sizes[start]))
        score, position = np.zeros((2, m), dtype=np.int64)
        once = np.flatnonzero(times == 1)
        np.subtract.at(score, owner[once], weight[once])
        position[start] = np.arange(len(start))
        chosen = np.concatenate((np.asarray(start, dtype=np.int64), [0, 0]))
        self._best = chosen.copy()
        self._scalars = np.array([0, len(start), len(start), 0, -1, FIRST_STATE + seed % 2**62])
        self._table = incidence.arrays
        self._columns = (score, position, np.zeros(m, dtype=np.int64), np.full(m, -1), chosen, self._best)
        self._rows = (times, owner, weight, np.zeros(n, dtype=np.int64), np.arange(n), np.arange(n))

    def run(self, goal: int, steps: int, stop: Stop) -> IntArray:
        """Look for a cover by ``goal`` columns, for so many steps; return the best one."""
        until = self.steps + steps
        while self.steps < until and self._scalars[BEST] > goal and not stop.expired():
            some = min(until - self.steps, MOVES_AT_ONCE)
            walk(self._table, self._columns, self._rows, self._scalars, goal, some)
            self.steps += some
        return np.sort(self._best[: self._scalars[BEST]])


def search_around_shared(
    incidence: Incidence, duals: FloatArray, goal: int, patience: int, stop: Stop, seed: int = 0
) -> tuple[IntArray, int]:
    """Search until so many searches in a row bring no smaller cover; return the best, and how many ran.

    Every row has a column. The duals are those of a relaxation where a column costs 1.
    """
    random, searches, idle = np.random.default_rng(seed), 0, 0
    covers = [np.sort(greedy_columns(incidence))]

    def fixed() -> IntArray:
        """Columns of one of the covers, those that many of them have with greater probability."""
        base = covers[random.integers(len(covers))] if searches >= FIRST_SEARCHES else covers[0][:0]
        share = np.bincount(np.concatenate(covers))[base] / len(covers)
        # Drawn without putting back, with these probabilities (Efraimidis and Spirakis 2006).
        order = np.argsort(-(random.random(len(base)) ** (1.0 / share)))
        return base[order[: int(SHARE_FIXED * len(base))]]

    def search(kept: IntArray, state: int) -> IntArray:
        """Cover what some columns leave bare by a local search."""
        bare = ~incidence.covered_by(kept)
        if not bare.any():
            return kept
        columns = incidence.columns_of(np.flatnonzero(bare))
        part, rows = incidence.part(columns, bare)
        local = LocalSearch(part, duals[rows], greedy_columns(part), state)
        found = local.run(goal - len(kept), STEPS_PER_ROW * incidence.n_rows, stop)
        return np.union1d(kept, columns[found])

    with ThreadPoolExecutor(THREADS) as pool:
        while idle < patience and len(covers[0]) > goal and not stop.expired():
            before = len(covers[0])
            seeds = random.integers(1, 2**62, THREADS).tolist()
            found = pool.map(search, [fixed() for _ in range(THREADS)], seeds)
            latest = {cover.tobytes(): cover for cover in [*found, *covers]}
            covers = sorted(latest.values(), key=len)[:BEST_KEPT]  # of equal sizes the latest first
            searches += THREADS
            idle = 0 if len(covers[0]) < before else idle + THREADS
    return covers[0], searches
