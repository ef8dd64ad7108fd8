"""No point is asked about twice, and nothing is said about points that nobody asked about."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.engine.listing.listing import list_columns
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_no_point_is_asked_about_twice(share):
    rng = np.random.default_rng(3)
    asked = []

    def function(codes):
        asked.extend(map(tuple, np.asarray(codes).tolist()))
        return np.full(len(codes), 0.1)

    codes = rng.integers(3, size=(12, 4))
    listing = list_columns(Problem(codes, (3,) * 4, BlackBoxOracle(function, (3,) * 4), 2, share=share))
    assert len(asked) == len(set(asked)) == listing.asked
    assert listing.unreachable.all()
