"""Where a row ends that follows an explanation."""

from __future__ import annotations

import numpy as np

from oneformany.problem.own import OwnValues


def test_a_row_in_the_target_cell_keeps_its_own_value():
    own = OwnValues(
        np.array([[0, 0], [1, 0], [2, 0]]),
        (np.array([0, 0, 1]), np.array([0, 1])),
        (np.array([1, 2]), np.array([0, 1])),
    )
    ends = own.follow(own.values, np.array([0, 1]), np.ones(2, dtype=np.bool_))
    assert ends.tolist() == [[0, 1], [1, 1], [1, 1]]
