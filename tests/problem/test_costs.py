"""What moves cost."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs


def test_lists_and_arrays_are_the_same_costs():
    costs = Costs([[[0, 2], [1, 0]], np.array([[0, 5], [5, 0]])])
    before, after = np.array([[0, 1], [1, 1], [1, 0]]), np.array([[1, 1], [0, 0], [1, 0]])
    assert costs.of(before, after).tolist() == [2, 6, 0]


def test_without_a_table_every_changed_feature_costs_one():
    before, after = np.array([[0, 1, 2]]), np.array([[1, 1, 0]])
    assert Costs.changes((2, 2, 3)).of(before, after).tolist() == [2]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[0, 1]], "square table of integers"),
        ([[0, 0.5], [1, 0]], "square table of integers"),
        ([[0, -1], [1, 0]], "less than 0"),
        ([[1, 1], [1, 0]], "staying costs 0"),
    ],
)
def test_tables_that_are_not_costs_are_refused_with_their_feature(table, said):
    with pytest.raises(InputError, match=f"costs of feature 1.*{said}"):
        Costs([[[0, 1], [1, 0]], table])


@pytest.mark.parametrize("levels", [(2,), (2, 3), (2, 2, 2)])
def test_costs_of_other_features_are_refused(levels):
    oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    with pytest.raises(InputError, match=r"the problem has features of \(2, 2\)"):
        Problem([[0, 0]], (2, 2), oracle, 1, costs=Costs.changes(levels))
