"""The nearest change of one row, and alternatives, against all changes there are."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.exceptions import InputError
from oneformany.studies.nearest import alternatives, nearest_change
from reference_sharing import cost_of_joining


def all_changes(problem, row):
    """Every accepted change: its features, and the least it costs."""
    distinct = int(problem.row_of[row])
    before = problem.rows[distinct]
    for size in range(problem.max_changes + 1):
        for changed in combinations(range(problem.n_features), size):
            goals = product(*(range(problem.levels[feature]) for feature in changed))
            moves = [
                goal
                for goal in goals
                if all(before[f] != cell for f, cell in zip(changed, goal, strict=True))
            ]
            costs = [
                cost
                for goal in moves
                if (cost := cost_of_joining(problem, distinct, changed, goal)) is not None
            ]
            if costs:
                yield changed, min(costs)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 4))
def test_each_alternative_is_the_cheapest_that_includes_no_earlier_one(kind, seed, count):
    problem = draw_problem(np.random.default_rng(seed), kind, "point")
    row = seed % len(problem.codes)
    found = alternatives(problem, row, count)
    open_changes = dict(all_changes(problem, row))
    for one in found:
        assert one.cost == min(open_changes.values())
        assert open_changes[one.changed] == one.cost
        distinct = int(problem.row_of[row])
        goal = tuple(one.point[feature] for feature in one.changed)
        assert cost_of_joining(problem, distinct, one.changed, goal) == one.cost
        open_changes = {
            changed: cost for changed, cost in open_changes.items() if not set(one.changed) <= set(changed)
        }
    assert len(found) == count or not open_changes
    assert nearest_change(problem, row) == (found[0] if found else None)


def test_rows_and_counts_that_do_not_exist_are_refused():
    problem = draw_problem(np.random.default_rng(1), "additive", "point")
    with pytest.raises(InputError, match="row is"):
        nearest_change(problem, len(problem.codes))
    for row in (-1, "0", True):
        with pytest.raises(InputError, match=r"row is .*; it must be an integer from 0 to"):
            nearest_change(problem, row)
    for count in (0, "3", 1.5):
        with pytest.raises(InputError, match=r"count is .*; it must be an integer of at least 1"):
            alternatives(problem, 0, count)


def test_a_row_of_any_integer_type_is_told_as_a_plain_number():
    problem = draw_problem(np.random.default_rng(1), "additive", "point")
    assert {type(found.row) for found in alternatives(problem, np.int64(0))} <= {int}
