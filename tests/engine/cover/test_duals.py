"""Weights from duals: whatever the duals are, the weights are integers that prove something."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from oneformany.engine.cover.duals import FirstOrder, weighed
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.scaling import ONE_IN_TABLES
from oneformany.stop import Stop

PAIRS = Incidence.of(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2]), 3)


def test_duals_are_rounded_down_and_columns_weighed():
    found = weighed(PAIRS, np.array([0.5, 0.25, -1.0]))
    assert found.weights.tolist() == [ONE_IN_TABLES // 2, ONE_IN_TABLES // 4, 0]
    assert found.loads.tolist() == [3 * ONE_IN_TABLES // 4, ONE_IN_TABLES // 4, ONE_IN_TABLES // 2]
    assert (found.fewest(0), found.fewest(1), found.fewest(9)) == (1, 0, 0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300])
def test_duals_that_are_not_numbers_or_far_too_large_prove_nothing_false(wrong):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = weighed(PAIRS, np.array([0.5, wrong, 0.5]))
    assert (found.weights >= 0).all()
    assert found.loads.tolist() == [int(found.weights[PAIRS.group(column)].sum()) for column in range(3)]
    assert found.capacity == max(found.loads)
    assert found.fewest(0) <= 2


def fewest_parts(incidence, people, spare):
    """The linear program itself: columns, then the part of each row that is left out."""
    n, m = incidence.n_rows, incidence.n_columns
    covering = np.hstack((incidence.matrix.toarray(), np.eye(n)))
    limits = np.vstack((-covering, np.append(np.zeros(m), people)))
    cost = np.append(np.ones(m), np.zeros(n))
    return linprog(cost, limits, np.append(-np.ones(n), spare)).fun


@settings(max_examples=60, deadline=None)
@given(
    groups=st.lists(st.frozensets(st.integers(0, 6), min_size=1), min_size=1, max_size=9),
    people=st.lists(st.integers(1, 4), min_size=7, max_size=7),
    share=st.floats(0, 1),
)
def test_weights_of_a_share_prove_what_its_linear_program_says(groups, people, share):
    rows = [row for group in groups for row in sorted(group)]
    incidence = Incidence.of(np.cumsum([0, *map(len, groups)]), np.array(rows), 7)
    spare = int(sum(people)) - int(share * sum(people[row] for row in set(rows)))
    relaxation = FirstOrder(incidence, np.array(people), spare=spare)
    relaxation.advance(2_000, Stop())
    found, optimum = relaxation.weights(), fewest_parts(incidence, people, spare)
    assert (found.weights <= np.array(people) * ONE_IN_TABLES).all()
    assert found.loads.max() <= found.capacity
    assert optimum * 0.98 - 0.01 <= max(0.0, found.ratio(spare)) <= optimum + 1e-6
