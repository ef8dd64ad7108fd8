"""Who can join a column whose rows share a point."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem

__all__ = ["joins"]


def joins(problem: Problem, changed: BoolArray, targets: IntArray, rows: IntArray) -> IntArray:
    """Which of these distinct rows a point covers, as rising indices into ``rows``.

    They have the cells ``targets`` outside of the ``changed`` features and may move there inside. Whoever
    makes the column has asked the classifier about the point once, so joining is a matter of cells and moves.
    """
    agree = np.ones(len(problem.rows), dtype=np.bool_)
    for feature in np.flatnonzero(~changed).tolist():
        agree &= problem.by_feature[feature] == targets[feature]
    joined = np.flatnonzero(agree[rows])
    if problem.ruled.any():
        codes = problem.rows[rows[joined]]
        joined = joined[((codes == targets) | problem.may_move(codes, targets)).all(axis=1)]
    return joined
