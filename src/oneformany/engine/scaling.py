"""Duals as integers, so that searches and proofs add without rounding."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray, IntArray

__all__ = ["ONE", "ONE_IN_COVERS", "ONE_IN_TABLES", "STEP", "integer_weights"]

ONE = 2**40
"""What a dual of 1 is in pricing: a column heavier than this improves the relaxation."""

STEP = 2**20
"""Columns that differ by less count as equally heavy: above the rounding of even parts of a weight, so that
ties are not searched twice, and above the tolerance of the relaxation's duals."""

ONE_IN_COVERS = 2**20
"""What a dual of 1 is in the proofs of set covers, which are written to files."""

ONE_IN_TABLES = 2**30
"""What one person is in the weights over long tables of columns."""


def integer_weights(duals: FloatArray, one: int = ONE) -> IntArray:
    """Round duals to integers of which ``one`` stands for 1."""
    return np.rint(duals * one).astype(np.int64)
