"""Tests that what pricing proved is a bound, and that nothing proved is none."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.engine.pricing.protocol import Priced


@pytest.mark.parametrize(
    ("weights", "capacity", "bound"), [([3, 3, 3], 3, 3), ([3, 3, 4], 3, 4), ([0], 1, 0)]
)
def test_weights_over_the_capacity_bound_the_count_from_below(weights, capacity, bound):
    assert Priced([], np.array(weights), capacity, complete=True).bound == bound


def test_without_a_capacity_nothing_is_proved():
    priced = Priced([], np.array([5, 5]), None, complete=True)
    assert priced.bound == 0
    assert not priced.proves_optimal


def test_no_column_found_is_a_proof_only_when_every_search_ended():
    assert Priced([], np.array([1]), 1, complete=True).proves_optimal
    assert not Priced([], np.array([1]), 1, complete=False).proves_optimal
