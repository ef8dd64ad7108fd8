"""A bound that holds whatever the classifier says: as if every group of rows had a point it accepts."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.exact import minimise
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.run import Options, Run
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.proof import DualProof, EnumerationProof
from oneformany.statistics import Statistics
from oneformany.stop import Stop


def optimistic_weights(problem: Problem, reachable: BoolArray, stop: Stop) -> tuple[IntArray, int] | None:
    """Weights of distinct rows that can be helped, and what no group weighs more than, by cells and moves.

    Rows share a point. Returns ``None`` where nothing was found in time.
    """
    rows = np.flatnonzero(reachable)
    kept = rows[np.sort(np.unique(problem.rows[rows], axis=0, return_index=True)[1])]
    anything = AdditiveOracle([np.zeros(n) for n in problem.levels])
    relaxed = Problem(problem.rows[kept], problem.levels, anything, problem.max_changes, problem.allowed)
    statistics = Statistics()
    space = SearchSpace(relaxed, np.arange(len(kept)))
    run = Run(space, CachedOracle(space, statistics, stop), stop, statistics, Options(branching=False))
    run.pool.add(run.first_columns(list(relaxed.rows)))
    proof = minimise(run)
    if not isinstance(proof, (DualProof, EnumerationProof)):
        return None
    weights = np.zeros(len(problem.rows), dtype=np.int64)
    weights[kept] = proof.weights
    return weights, proof.capacity
