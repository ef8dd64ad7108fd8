"""Searches for cheap columns: what they begin with, and which columns they leave out."""

from __future__ import annotations

import numpy as np
import pytest

from engine.table.tables import table_of
from oneformany.engine.table.cost import solve_cost
from oneformany.exceptions import InputError


def test_a_start_that_serves_too_few_is_refused():
    table = table_of([[0], [1]], 2, [[1], [1]])
    with pytest.raises(InputError, match="serve at least 2"):
        solve_cost(table, np.array([1, 1]), 1, 2, np.array([0]))
