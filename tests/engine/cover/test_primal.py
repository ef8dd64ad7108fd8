"""Covers by rounding and by repairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.engine.cover.duals import FirstOrder
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.cover.primal import Repair, dive
from oneformany.stop import Stop

N_ROWS = 7
tables = st.lists(st.frozensets(st.integers(0, N_ROWS - 1), min_size=1), min_size=1, max_size=7)


def incidence_of(groups):
    ends = np.cumsum([0, *(len(group) for group in groups)])
    rows = np.array([row for group in groups for row in sorted(group)], dtype=np.int32)
    return Incidence.of(ends, rows, N_ROWS)


def fewest(groups):
    everybody = frozenset().union(*groups)
    return next(
        size
        for size in range(1, len(groups) + 1)
        if any(frozenset().union(*some) == everybody for some in combinations(groups, size))
    )


def is_cover_without_waste(table, chosen):
    whole = table.covered_by(chosen)
    return (whole == table.reachable).all() and not any(
        (table.covered_by(chosen[chosen != column]) == table.reachable).all() for column in chosen
    )


@settings(max_examples=60, deadline=None)
@given(groups=tables)
def test_rounded_covers_hold_every_row_and_no_column_too_many(groups):
    table = incidence_of(groups)
    relaxation = FirstOrder(table, table.reachable.astype(np.int64))
    relaxation.advance(100, Stop())
    for stop in (Stop(), Stop(0)):
        assert is_cover_without_waste(table, dive(relaxation, np.arange(len(groups)), stop))


@settings(max_examples=40, deadline=None)
@given(groups=tables)
def test_repairs_of_a_small_table_end_at_its_smallest_cover(groups):
    table = incidence_of(groups)
    repair = Repair(table, np.arange(len(groups)), np.arange(len(groups)), seed=0)
    repair.run(0, Stop(), 200, lambda: None)
    assert (table.covered_by(repair.chosen) == table.reachable).all()
    assert len(repair.chosen) == fewest(groups)


def test_no_repair_is_made_when_the_bound_is_met_or_time_is_up():
    table = incidence_of([{0, 1}, {1, 2}])
    for bound, stop in ((2, Stop()), (0, Stop(0))):
        repair = Repair(table, np.arange(2), np.arange(2), seed=0)
        repair.run(bound, stop, 50, lambda: None)
        assert repair.repairs == 0


@settings(max_examples=40, deadline=None)
@given(groups=tables, k=st.integers(1, 4))
def test_repairs_for_people_end_at_the_most_that_so_many_columns_cover(groups, k):
    table, people = incidence_of(groups), np.arange(N_ROWS) + 1
    k = min(k, len(groups))
    repair = Repair(table, np.arange(len(groups)), np.arange(k), 0, people)
    repair.run(int(people.sum()), Stop(), 50)
    most = max(sum(row + 1 for row in frozenset().union(*some)) for some in combinations(groups, k))
    assert len(repair.chosen) <= k
    assert repair.covered == people[table.covered_by(repair.chosen)].sum() <= most
    assert repair.covered == most or not repair.complete
    before = repair.covered
    repair.drop()
    assert repair.covered == people[table.covered_by(repair.chosen)].sum() <= before


@settings(max_examples=40, deadline=None)
@given(groups=tables, enough=st.integers(1, N_ROWS))
def test_a_dive_for_some_people_ends_with_enough(groups, enough):
    table = incidence_of(groups)
    enough = min(enough, int(table.reachable.sum()))
    relaxation = FirstOrder(table, np.ones(N_ROWS), spare=N_ROWS - enough)
    relaxation.advance(50, Stop())
    for stop in (Stop(), Stop(0)):
        rounded = dive(relaxation, np.arange(len(groups)), stop)
        assert table.covered_by(rounded).sum() >= enough
