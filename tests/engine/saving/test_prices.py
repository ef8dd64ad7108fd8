"""Prices of rows from groups: what parts of groups cost, within a box, and none when time is up."""

from __future__ import annotations

import numpy as np

from oneformany.engine.saving.prices import GroupPrices
from oneformany.stop import Stop


def test_prices_are_not_asked_for_beyond_the_time():
    prices = GroupPrices(np.array([1, 1]), 1, np.ones(2))
    prices.add(np.array([0, 1]), 1)
    assert prices.solve(Stop(0)) is None
    assert prices.solve(Stop()) is not None
