from __future__ import annotations

import numpy as np
import pytest

from oneformany.engine.columns import Column
from oneformany.paper.methods.cg_mip import PaperMaster
from oneformany.paper.methods.solvers import Highs
from oneformany.stop import Stop


def column(*group: int) -> Column:
    return Column(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_), np.array(group))


def test_duals_and_value_are_those_of_the_relaxation() -> None:
    master = PaperMaster(3, [column(0, 1), column(1, 2), column(0, 2)])
    relaxed = master.solve(Stop())
    assert relaxed.value == pytest.approx(1.5)
    assert relaxed.duals == pytest.approx([0.5, 0.5, 0.5])


def test_new_columns_lower_the_value() -> None:
    first = [column(0), column(1), column(2)]
    master = PaperMaster(3, first)
    assert master.solve(Stop()).value == pytest.approx(3.0)
    both = column(0, 1, 2)
    assert master.add([both]) == 1
    assert master.solve(Stop()).value == pytest.approx(1.0)
    assert master.best_cover(first, Highs(), Stop()) == [both]


def test_a_group_is_taken_in_once() -> None:
    master = PaperMaster(2, [column(0), column(1)])
    assert master.add([column(0), column(0, 1), column(0, 1)]) == 1
    assert len(master.columns) == 3


def test_the_cover_in_integers_is_smallest() -> None:
    first = [column(row) for row in range(3)]
    master = PaperMaster(3, first)
    master.add([column(0, 1), column(1, 2), column(0, 2)])
    assert len(master.best_cover(first, Highs(), Stop())) == 2


def test_without_time_the_known_cover_is_returned() -> None:
    first = [column(row) for row in range(3)]
    master = PaperMaster(3, first)
    master.add([column(0, 1), column(1, 2)])
    cover = master.best_cover(first, Highs(), Stop(0.0))
    assert sorted({row for part in cover for row in part.rows.tolist()}) == [0, 1, 2]
