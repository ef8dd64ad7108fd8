"""What the rows of one explanation have in common: who can join a column."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.problem import Problem

__all__ = ["PointSharing", "Sharing"]


class Sharing(Protocol):
    """A way to share; owns membership, and what the classifier has to be asked for it."""

    def joins(self, problem: Problem, changed: BoolArray, targets: IntArray, rows: IntArray) -> IntArray:
        """Which of these distinct rows an explanation covers, as rising indices into ``rows``.

        ``changed`` are the features that it changes, ``targets`` the cells of a full point.
        """
        ...


class PointSharing:
    """Rows share the changed features, their new cells, and the cells of all other features.

    Without own values a group's rows all end at the same point. Whoever makes the column has asked the
    classifier about it once, so joining is a matter of cells and moves alone.
    """

    def joins(self, problem: Problem, changed: BoolArray, targets: IntArray, rows: IntArray) -> IntArray:
        """Rows that agree with the point outside ``changed`` and may move there inside."""
        agree = np.ones(len(problem.rows), dtype=np.bool_)
        for feature in np.flatnonzero(~changed).tolist():
            agree &= problem.by_feature[feature] == targets[feature]
        joined = np.flatnonzero(agree[rows])
        if problem.ruled.any():
            codes = problem.rows[rows[joined]]
            joined = joined[((codes == targets) | problem.may_move(codes, targets)).all(axis=1)]
        return joined
