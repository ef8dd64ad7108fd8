"""Row generation: an answer for a few listed rows becomes one for everybody."""

from __future__ import annotations

import numpy as np
import pytest

from engine.few.few_problems import FEW_ROWS, assert_confirmed, assert_fewest, draw_few
from oneformany.engine.few import rounds
from oneformany.methods import solve
from oneformany.problem.goal import Goal
from reference_goals import best_answer


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


@pytest.mark.parametrize("chunk", range(4))
def test_among_promising_actions_bounds_count_all(chunk, monkeypatch):
    small = {"FIRST_OF_SOME": 2, "LISTED_AT_ONCE": 1, "MOST_IN_FULL": 0, "MOST_PROMISING": 4}
    for name, value in small.items():
        monkeypatch.setattr(rounds, name, value)
    rng = np.random.default_rng([7, chunk])
    found = 0
    for _ in range(30):
        problem, k = draw_few(rng), int(rng.integers(1, 4))
        result = solve(problem, options=FEW_ROWS, explanations=k)
        assert_confirmed(problem, result)
        most = best_answer(problem, Goal(explanations=k)).covered
        assert result.covered <= most <= result.covered_bound
        found += result.covered == most
    assert found > 25
