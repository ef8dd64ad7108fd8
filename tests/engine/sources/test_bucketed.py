"""Lazy listings: every group is part of a bucket, and what is said holds at any time."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import sealed
from engine.listing.lazy_problems import KINDS, LAZY, drawn, larger, truth
from engine.listing.sharing_problems import draw_oracle, draw_own, draw_problem
from engine.listing.test_limits_of_listing import Clock
from oneformany.engine.context import Context
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.single_rows import reach_rows
from oneformany.engine.solve import solve_exact
from oneformany.engine.sources.bucketed import Bucketed, Buckets
from oneformany.problem import Problem
from oneformany.stop import Stop
from oneformany.verify import Outcome, verify
from reference_sharing import all_groups

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_every_group_is_part_of_a_bucket_and_every_row_is_known(kind, seed):
    problem = drawn(seed, kind)
    ground = Ground.of(problem)
    everybody = np.arange(len(ground.rows))
    reached = reach_rows(ground, Stop())
    buckets = Buckets.of(ground, everybody)
    sets = [set(buckets.group(bucket).tolist()) for bucket in range(len(buckets))]
    assert len({frozenset(rows) for rows in sets}) == len(sets)
    groups = list(all_groups(problem))
    for group in groups:
        assert len(group) < 2 or any(set(group) <= rows for rows in sets)
    assert set(np.flatnonzero(reached.reachable)) == set().union(*groups)
    assert (reached.unreachable == ~reached.reachable).all()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_a_bucket_waits_as_long_as_another_one_holds_it(kind, seed):
    lazy = Bucketed(Context(larger(seed, kind, rows=25)))
    table, waiting = lazy.tabled()
    open_ = [set(lazy.buckets.group(bucket).tolist()) for bucket in np.flatnonzero(lazy.unasked)]
    offered = [set(lazy.buckets.group(bucket).tolist()) for bucket in waiting]
    assert 0 < len(table) - len(offered) <= len(lazy.reached.helpable)
    assert all(not rows < other for rows in offered for other in open_)
    assert all(any(rows <= other for other in offered) for rows in open_)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_when_time_is_up_holds(kind):
    for seed in range(12):
        problem = drawn(seed, kind)
        count, reached = truth(problem)
        for seconds in (0, 5, 10, 20, 40, 80):
            stop = Stop(time_limit=seconds, clock=Clock())
            lazy = Bucketed(Context(problem, stop=stop))
            assert not (lazy.reached.unreachable[reached]).any()
            assert set(np.flatnonzero(lazy.reached.reachable)) <= set(reached)
        for limit in (0.0, 0.005, 0.02):
            result = solve_exact(problem, options=LAZY, time_limit=limit)
            assert result.lower_bound <= count
            assert result.undecided or result.count >= count


@pytest.mark.parametrize("kind", ["tree", "network"])
def test_files_are_confirmed_and_forged_ones_are_not(kind):
    checked = 0
    for seed in range(20):
        problem = larger(seed, kind, rows=25)
        content = json.loads(solve_exact(problem, options=LAZY).to_json())
        proof = content["certificate"]["proof"]
        if verify(content).outcome is not Outcome.CONFIRMED or proof["exclusion"] or proof["bound"] < 2:
            continue
        heavy = json.loads(json.dumps(content))
        bent = heavy["certificate"]["proof"]
        bent["weights"][int(np.argmax(proof["weights"]))] += proof["capacity"]
        bent["scale"] += proof["capacity"]
        bent["bound"] += 1
        assert verify(sealed(heavy)).outcome is Outcome.WRONG
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("kind", ["additive", *KINDS])
@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_where_not_everything_can_be_listed_cells_alone_prove_a_bound(kind, seed):
    problem = draw_problem(np.random.default_rng(seed), kind, "point", own=True, costed=False)
    count, reached = truth(problem)
    result = solve_exact(problem, options=replace(LAZY, most_work=1.0))
    assert min(1, len(reached)) <= result.lower_bound <= count <= result.count
    assert result.covered == sum(int(problem.multiplicity[row]) for row in reached)
    if kind in {"tree", "network"} and not problem.restrictions:
        assert verify(json.loads(result.to_json())).outcome is not Outcome.WRONG


def test_rows_that_are_strangers_need_an_explanation_each_whatever_the_model():
    rng = np.random.default_rng(0)
    codes = np.array([[row] * 6 for row in range(5)])
    own = draw_own(rng, codes, (5,) * 6)
    own = replace(
        own, targets=tuple(np.array([np.flatnonzero(of == c)[0] for c in range(5)]) for of in own.cell_of)
    )
    oracle = draw_oracle(rng, "network", tuple(len(cells) for cells in own.cell_of))
    result = solve_exact(Problem(codes, (5,) * 6, oracle, 4, own=own), options=replace(LAZY, most_work=1.0))
    assert result.count == result.lower_bound == 5
    assert result.status == "optimal"


@pytest.mark.parametrize("kind", KINDS)
def test_targets_that_help_a_row_are_offered_to_others_and_make_true_groups(kind):
    shared = 0
    for seed in range(20):
        problem = drawn(seed, kind)
        lazy, groups = Bucketed(Context(problem)), [set(group) for group in all_groups(problem)]
        lazy.share_targets()
        table, waiting = lazy.tabled()
        for column in range(len(table) - len(waiting)):
            rows = set(table.incidence.group(column).tolist())
            assert any(rows <= group for group in groups)
            shared += len(rows) > 1
    assert shared
