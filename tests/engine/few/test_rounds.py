"""Row generation: an answer for a few listed rows becomes one for everybody."""

from __future__ import annotations

import numpy as np
import pytest

from engine.few.few_problems import FEW_ROWS, assert_confirmed, assert_fewest, draw_few
from oneformany.engine.few import rounds
from oneformany.methods import solve


@pytest.mark.parametrize("chunk", range(5))
def test_listing_one_row_at_a_time_finds_the_same(chunk, monkeypatch):
    monkeypatch.setattr(rounds, "FIRST_LISTED", 1)
    monkeypatch.setattr(rounds, "LISTED_AT_ONCE", 1)
    rng = np.random.default_rng([3, chunk])
    fewer = 0
    for _ in range(30):
        problem = draw_few(rng)
        result = solve(problem, options=FEW_ROWS)
        assert_confirmed(problem, result)
        assert_fewest(problem, result)
        assert result.lower_bound <= result.count
        helpable = len(problem.rows) - len({problem.row_of[entry.row] for entry in result.unreachable})
        fewer += result.statistics.counters["rows listed"] < helpable
    assert fewer > 5  # an answer for everybody, though not everybody was listed
