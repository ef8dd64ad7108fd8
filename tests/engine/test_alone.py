"""The cheapest way of each row by itself: by trying, by all actions at once, by questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oneformany.engine import alone
from oneformany.engine.alone import cheapest_ways, with_ways_alone
from oneformany.stop import Stop
from reference_sharing import all_groups
from verify.limited import drawn


def paid(problem, row, cells):
    return int(problem.paid(problem.rows[[row]], cells[None])[0])


def least_costs(problem):
    """What each row pays in its cheapest group."""
    least = {}
    for group in all_groups(replace(problem, slack=None)):
        for row, cost in group.items():
            least[row] = min(cost, least.get(row, cost))
    return least


def ways_of(problem):
    plain, every = replace(problem, slack=None), np.arange(len(problem.rows))
    return dict(cheapest_ways(plain, every, Stop()))


def test_ways_are_as_cheap_as_brute_force_finds_however_they_are_found(monkeypatch):
    asked = 0
    for number in range(48):
        problem = drawn(1, number)[0]
        least = least_costs(problem)
        with monkeypatch.context() as patch:
            patch.setattr(alone, "MOST_WAYS", 0)
            patch.setattr(alone, "JudgesActions", type(None))
            questioned = ways_of(problem)
        for ways in (ways_of(problem), questioned):
            assert len(ways) == len(problem.rows)
            found = {row: paid(problem, row, cells) for row, cells in ways.items() if cells is not None}
            assert found == least, number
        asked += len(least)
    assert asked


def test_without_time_nothing_is_known():
    problem = replace(drawn(1, 1)[0], restrictions=(), slack=0)
    told = with_ways_alone(problem, iter(()), Stop(0))
    assert not told.alone.known.any()
    assert (told.most_paid == -1).all()
