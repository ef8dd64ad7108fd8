"""The relaxation of a cover, with cuts on three items."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.engine.cover.relaxation import CoverRelaxation
from oneformany.stop import Stop

TRIANGLE = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2])]
ALL3 = np.ones(3, dtype=np.bool_)


def test_a_cut_lifts_an_odd_cycle_to_two():
    relaxation = CoverRelaxation(TRIANGLE, 3)
    relaxed = relaxation.solve(ALL3, ALL3, Stop())
    assert relaxed.value == pytest.approx(1.5)
    assert relaxation.cut(ALL3, relaxed.values)
    assert relaxation.triples == [(0, 1, 2)]
    assert relaxation.demands.tolist() == [1, 1, 1, 2]
    assert relaxation.solve(ALL3, ALL3, Stop()).value == pytest.approx(2.0)
    assert not relaxation.cut(ALL3, relaxed.values)


def test_an_item_that_no_usable_column_covers_is_named():
    relaxation = CoverRelaxation(TRIANGLE, 3)
    assert relaxation.solve(ALL3, np.array([True, False, False]), Stop()) == 2


def test_time_that_is_up_is_said():
    assert CoverRelaxation(TRIANGLE, 3).solve(ALL3, ALL3, Stop(0)) == "stopped"


def test_members_are_items_even_after_cuts():
    relaxation = CoverRelaxation(TRIANGLE, 3)
    relaxation.cut(ALL3, np.full(3, 0.5))
    assert [relaxation.members(c).tolist() for c in range(3)] == [[0, 1], [1, 2], [0, 2]]
