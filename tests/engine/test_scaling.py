"""Weights are integers in which one dual has a fixed size."""

import numpy as np

from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_PRICING, integer_weights


def test_duals_are_rounded_to_the_nearest_integer():
    assert integer_weights(np.array([0.0, 0.5, 1.0])).tolist() == [0, ONE_IN_PRICING // 2, ONE_IN_PRICING]
    assert integer_weights(np.array([1 / 3]), 10).tolist() == [3]
    assert integer_weights(np.array([1.0]), ONE_IN_COVERS).tolist() == [ONE_IN_COVERS]


def test_sums_over_a_million_rows_fit():
    assert 10**6 * ONE_IN_PRICING < 2**62
