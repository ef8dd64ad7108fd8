"""Duals as integers, so that searches and proofs add without rounding.

How large 1 is differs, because what is added up does: sums have to stay below 2**62, and what rounding loses
has to be small beside 1.
"""

import numpy as np

from oneformany.arrays import FloatArray, IntArray

# In pricing, where a column heavier than this improves the relaxation. Weights are divided evenly there, and
# each part is rounded up: that is much finer than STEP.
ONE_IN_PRICING = 2**40
# Columns that differ by less count as equally heavy: above the rounding of even parts of a weight, so that
# ties are not searched twice, and above the tolerance of the relaxation's duals.
STEP = 2**20
# In the proofs of set covers and of costs, which are written to files. It is small, because prices are
# multiplied by it, and they may be large and stand for many people.
ONE_IN_COVERS = 2**20
# One person in the weights over long tables of columns: they are rounded down, and even what 100,000 of them
# lose together is nothing beside one person.
ONE_IN_TABLES = 2**30
# The price of what cannot be done. It is compared, and never added to.
UNPAYABLE: int = np.iinfo(np.int64).max


def integer_weights(duals: FloatArray, one: int = ONE_IN_PRICING) -> IntArray:
    """Round duals to integers of which ``one`` stands for 1."""
    return np.rint(duals * one).astype(np.int64)
