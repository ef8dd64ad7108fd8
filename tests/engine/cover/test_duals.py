"""Weights from duals: whatever the duals are, the weights are integers that prove something."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from oneformany.engine.cover.duals import weighed
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.scaling import ONE_IN_TABLES

PAIRS = Incidence.of(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2]), 3)


def test_duals_are_rounded_down_and_columns_weighed():
    found = weighed(PAIRS, np.array([0.5, 0.25, -1.0]))
    assert found.weights.tolist() == [ONE_IN_TABLES // 2, ONE_IN_TABLES // 4, 0]
    assert found.loads.tolist() == [3 * ONE_IN_TABLES // 4, ONE_IN_TABLES // 4, ONE_IN_TABLES // 2]
    assert found.cover_bound == 1


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300])
def test_duals_that_are_not_numbers_or_far_too_large_prove_nothing_false(wrong):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = weighed(PAIRS, np.array([0.5, wrong, 0.5]))
    assert (found.weights >= 0).all()
    assert found.loads.tolist() == [int(found.weights[PAIRS.group(column)].sum()) for column in range(3)]
    assert found.capacity == max(found.loads)
    assert found.cover_bound <= 2
