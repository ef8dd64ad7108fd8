"""The listing against brute force: every row, every feature set, every target, the classifier asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import KINDS, draw_problem
from engine.problems import random_additive
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import SHARINGS, accepted_groups, add_single_rows, list_columns
from oneformany.engine.listing.store import Store
from oneformany.engine.sources.groups import own_ends
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.stop import Stop
from reference import smallest_cover
from reference_sharing import all_groups, cost_of_joining, maximal, undominated

SHARES = ("point", "action", "features")
seeds = st.integers(0, 2**32 - 1)


def groups_of(table):
    """Rows and costs of each column."""
    return [
        dict(zip(table.group(column).tolist(), table.costs[begin:end].tolist(), strict=True))
        for column, (begin, end) in enumerate(zip(table.starts[:-1], table.starts[1:], strict=True))
    ]


def fewest(problem):
    masks = [sum(1 << row for row in group) for group in groups_of(list_columns(problem).table)]
    everybody = 0
    for mask in masks:
        everybody |= mask
    return len(smallest_cover(masks, everybody)), everybody


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_the_maximal_groups_and_their_least_costs_are_those_of_brute_force(kind, share, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, share)
    listing = list_columns(problem)
    expected = maximal(all_groups(problem), problem.multiplicity)
    groups = groups_of(listing.table)
    totals = {
        frozenset(group): sum(int(problem.multiplicity[row]) * cost for row, cost in group.items())
        for group in groups
    }
    assert totals == expected
    assert len(groups) == len(expected)
    assert listing.table.complete
    assert listing.table.n_rows == len(problem.rows)
    reached = set().union(*expected) if expected else set()
    assert set(np.flatnonzero(listing.reachable)) == reached
    assert (listing.unreachable == ~listing.reachable).all()


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_with_costs_all_that_is_not_dominated_is_kept(kind, share, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, share)
    table = list_columns(problem, costed=True).table
    listed = [frozenset(group.items()) for group in groups_of(table)]
    assert sorted(map(sorted, listed)) == sorted(map(sorted, undominated(all_groups(problem))))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_rows_that_follow_a_column_are_accepted_at_the_cost_it_names(kind, share, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, share)
    table = list_columns(problem, costed=True).table
    for column, group in enumerate(groups_of(table)):
        changed = tuple(np.flatnonzero(table.changed[column]).tolist())
        assert len(changed) <= problem.max_changes
        rows = np.array(list(group))
        ends = problem.rows[rows].copy()
        ends[:, changed] = table.targets[column, changed]
        if share == "features":
            ends = own_ends(problem, table, column, rows)
        values, every = ends, np.ones(ends.shape, dtype=bool)
        if problem.own is not None:
            values = problem.own.follow(problem.values[rows], ends, every)
        assert problem.oracle.positive(values).all()
        for (row, cost), cells in zip(group.items(), ends, strict=True):
            goal = tuple(cells[list(changed)].tolist())
            assert cost_of_joining(problem, row, changed, goal) == cost
            assert (np.delete(cells, changed) == np.delete(problem.rows[row], changed)).all()
            if share != "features":
                assert goal == tuple(table.targets[column, list(changed)].tolist())
            if share == "point":
                assert (np.delete(table.targets[column], changed) == np.delete(cells, changed)).all()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_fewest_groups_fall_from_point_to_action_to_features(kind, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, "point")
    counts, reached = zip(*(fewest(replace(problem, share=share)) for share in SHARES), strict=True)
    assert counts[0] >= counts[1] >= counts[2]
    assert len(set(reached)) == 1


def test_another_way_to_share_can_be_plugged_in(monkeypatch):
    """Only rows that are equal but for the first feature may go together, and only there."""

    def first_feature_only(batches, costed):
        ground = batches.ground

        def job():
            order = np.lexsort(ground.rows[:, 1:].T)
            same = (ground.rows[order][1:, 1:] == ground.rows[order][:-1, 1:]).all(axis=1)
            bounds = np.concatenate([[0], np.flatnonzero(~same) + 1, [len(order)]])
            features, choices = np.array([0]), np.arange(ground.problem.levels[0])[:, None]
            members = order.astype(np.int32)
            accepted = batches.accepted(features, members, choices)
            yield accepted_groups(ground, features, choices, accepted, (members, bounds), 1)

        assert not costed
        yield job()

    problem = replace(
        random_additive(np.random.default_rng(5), rows=40, features=3, max_changes=1), share="action"
    )
    monkeypatch.setitem(SHARINGS, "action", first_feature_only)
    listing = list_columns(problem)
    assert listing.reachable.any()
    for column in range(len(listing.table)):
        rows = problem.rows[listing.table.group(column)]
        assert listing.table.changed[column].tolist() == [True, False, False]
        assert len(np.unique(rows[:, 1:], axis=0)) == 1
    alone = replace(problem, share="point", max_changes=1, allowed=[None, np.eye(3), np.eye(3)])
    assert (list_columns(alone).reachable == listing.reachable).all()


def test_single_rows_get_the_cheapest_change_that_they_have_and_those_without_are_settled_too():
    oracle = AdditiveOracle([[0, 1, 3], [0, 1, 1]], threshold=3)
    ground = Ground.of(Problem([[0, 0], [1, 1], [1, 2]], (3, 3), oracle, 1, [np.triu(np.ones((3, 3))), None]))
    store = Store(ground, costed=False)
    batches = Batches(ground, Stop())
    assert add_single_rows(store, batches, np.array([0, 2]), Stop()).tolist() == [True, True]
    assert store.columns.rows.tolist() == [0, 2]
    assert store.columns.changed.tolist() == [[True, False], [True, False]]
    assert store.columns.targets.tolist() == [[2, 0], [2, 2]]
    nobody = Ground.of(Problem([[0, 0]], (3, 3), AdditiveOracle([[0, 1, 3], [0, 1, 1]], threshold=5), 1))
    nothing = Store(nobody, costed=False)
    assert add_single_rows(nothing, Batches(nobody, Stop()), np.array([0]), Stop()).all()
    assert len(nothing.columns) == 0


def test_when_time_is_up_rows_are_not_settled():
    ground = Ground.of(random_additive(np.random.default_rng(0), rows=5))
    store = Store(ground, costed=False)
    settled = add_single_rows(store, Batches(ground, Stop()), np.arange(5), Stop(0))
    assert not settled.any()
    assert len(store.columns) == 0
