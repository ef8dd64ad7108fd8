"""Tests that the two brute forces, written apart from each other, agree."""

import numpy as np
import pytest

from reference import brute_force
from reference_points import brute_force_points
from strategies import random_problem


@pytest.mark.parametrize("seed", range(25))
def test_both_brute_forces_agree_on_additive_scores(seed):
    small = random_problem(np.random.default_rng(seed))

    def is_positive(point):
        shares = (table[level] for table, level in zip(small.tables, point, strict=True))
        return small.intercept + sum(shares) >= small.threshold

    assert brute_force(**small.arguments()) == brute_force_points(
        small.codes, small.levels, is_positive, small.max_changes, small.allowed
    )
