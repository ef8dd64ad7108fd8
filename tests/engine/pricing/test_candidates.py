"""Tests that candidates are settled as the classifier says; rows kept apart do not count together."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings

from engine.pricing.test_pricer import all_groups
from engine.problems import Shrugging, Veiled, oracle_of, parts_of, problem_of
from oneformany.engine.pricing.pricer import SearchPricer
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.scaling import ONE_IN_PRICING
from oneformany.stop import Stop
from strategies import small_problems


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_hidden_units_change_no_answer(small):
    open_items, veiled_items = (
        parts_of(problem_of(small, oracle)) for oracle in (None, Veiled(oracle_of(small)))
    )
    assume(len(open_items[1]))
    weights = np.arange(1, len(open_items[1]) + 1) * ONE_IN_PRICING
    found = [
        SearchPricer(items, oracle).price(weights, Stop()) for _, items, oracle in (open_items, veiled_items)
    ]
    assert found[0].capacity == found[1].capacity


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_what_nobody_knows_raises_the_bound_and_is_no_column(small):
    problem = problem_of(small, Shrugging(oracle_of(small)))
    space, items, oracle = parts_of(problem)
    assume(len(items))
    weights = np.full(len(items), 2 * ONE_IN_PRICING)
    priced = SearchPricer(items, oracle).price(weights, Stop())
    groups = all_groups(problem, space.rows)
    heaviest = max(2 * ONE_IN_PRICING * len(group) for group in groups)
    assert priced.capacity is None or priced.capacity >= heaviest
    assert all(tuple(column.rows.tolist()) in groups for column in priced.columns)


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_rows_kept_apart_do_not_weigh_together(small):
    problem = problem_of(small)
    space, _, oracle = parts_of(problem)
    assume(len(space.rows) > 1)
    items = Items(space, Decisions(apart=((0, 1),)))
    weights = np.full(len(items), 2 * ONE_IN_PRICING)
    priced = SearchPricer(items, oracle).price(weights, Stop())
    groups = all_groups(problem, space.rows)
    heaviest = max(2 * ONE_IN_PRICING * (len(group) - ({0, 1} <= set(group))) for group in groups)
    assert heaviest <= priced.capacity <= heaviest + ONE_IN_PRICING // 1000
