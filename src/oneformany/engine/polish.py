"""From columns to explanations: every row assigned once, and as few and as common changes as possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column
from oneformany.problem import Problem


def assign(problem: Problem, helpable: IntArray, cover: Sequence[Column]) -> list[IntArray]:
    """Assign each row to the column that changes fewest of its features; return the rows of each column."""
    fewest = np.full(len(helpable), problem.n_features + 1)
    nearest = np.full(len(helpable), len(cover))
    for index, column in enumerate(cover):
        changes = (problem.rows[helpable[column.rows]] != column.point).sum(axis=1)
        better = column.rows[changes < fewest[column.rows]]
        fewest[column.rows] = np.minimum(fewest[column.rows], changes)
        nearest[better] = index
    order = np.argsort(nearest, kind="stable")
    ends = np.searchsorted(nearest[order], np.arange(len(cover) + 1))
    return [helpable[order[start:end]] for start, end in pairwise(ends)]


def simplest_point(problem: Problem, point: IntArray, rows: IntArray) -> IntArray:
    """Move a positive point towards what most of its rows already have, while it stays positive."""
    members = problem.rows[rows]
    count = problem.multiplicity[rows]
    simpler = point.copy()
    for _ in range(len(point)):
        trials = []
        for feature, level in enumerate(simpler.tolist()):
            levels = members[:, feature]
            votes = np.bincount(levels, weights=count, minlength=problem.levels[feature])
            moves = problem.moves[feature]
            if moves is not None:
                votes = np.where(moves[levels].all(axis=0), votes, -1)
            common = int(votes.argmax())
            if votes[common] > votes[level]:
                trial = simpler.copy()
                trial[feature] = common
                trials.append((votes[common] - votes[level], trial))
        if not trials:
            break
        trials.sort(key=lambda pair: -pair[0])
        positive = problem.oracle.positive(np.array([trial for _, trial in trials]))
        if not positive.any():
            break
        simpler = trials[int(np.flatnonzero(positive)[0])][1]
    return simpler
