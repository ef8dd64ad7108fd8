"""Lazy listings: the same optimum as brute force, bounds that hold at any time, and less to ask."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificates import sealed
from engine.listing.sharing_problems import draw_oracle, draw_own, draw_problem
from engine.listing.test_limits_of_listing import Clock
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import Buckets
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.lazy import lazy_listing
from oneformany.engine.listing.reaching import reach_rows
from oneformany.engine.run import Options
from oneformany.engine.solve import solve_exact
from oneformany.problem import Problem
from oneformany.stop import Stop
from oneformany.verify import Outcome, verify
from reference import smallest_cover
from reference_sharing import all_groups, maximal

KINDS = ("tree", "network", "black box")
seeds = st.integers(0, 2**32 - 1)
LAZY = Options(way="listing", least_cost=False)


def drawn(seed, kind):
    return draw_problem(np.random.default_rng(seed), kind, "point", costed=False)


def truth(problem):
    groups = maximal(all_groups(problem), problem.multiplicity)
    masks = [sum(1 << row for row in group) for group in groups]
    reached = sorted(set().union(*groups))
    return len(smallest_cover(masks, sum(1 << row for row in reached))), reached


def larger(seed, kind, rows=60):
    """Own values of many rows, of which a classifier accepts some together and some not."""
    rng = np.random.default_rng(seed)
    levels = (3, 3, 2, 3, 2, 3)
    codes = rng.integers(levels, size=(rows, len(levels)))
    own = draw_own(rng, codes, levels)
    oracle = draw_oracle(rng, kind, tuple(len(cells) for cells in own.cell_of))
    return Problem(codes, levels, oracle, 3, own=own)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100, deadline=None)
@given(seed=seeds)
def test_the_optimum_is_that_of_brute_force_and_can_be_checked(kind, seed):
    problem = drawn(seed, kind)
    count, reached = truth(problem)
    result = solve_exact(problem, options=LAZY)
    assert (result.count, result.lower_bound) == (count, count)
    assert result.status == ("optimal" if reached else "infeasible")
    assert {problem.row_of[entry.row] for entry in result.unreachable} == set(range(len(problem.rows))) - set(
        reached
    )
    if kind != "black box" and not problem.restrictions:
        assert verify(json.loads(result.to_json())).outcome is not Outcome.WRONG


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_every_group_is_part_of_a_bucket_and_every_row_is_known(kind, seed):
    problem = drawn(seed, kind)
    ground = Ground.of(problem)
    everybody = np.arange(len(ground.rows))
    reached = reach_rows(ground, Batches(ground, Stop()), everybody, Stop())
    buckets = Buckets.of(ground, everybody)
    sets = [set(buckets.group(bucket).tolist()) for bucket in range(len(buckets))]
    assert len({frozenset(rows) for rows in sets}) == len(sets)
    groups = list(all_groups(problem))
    for group in groups:
        assert len(group) < 2 or any(set(group) <= rows for rows in sets)
    assert set(np.flatnonzero(reached.reachable)) == set().union(*groups)
    assert (reached.unreachable == ~reached.reachable).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_asking_only_where_it_matters_changes_no_optimum_and_asks_less(kind, seed):
    problem = larger(seed, kind)
    lazy, eager = (solve_exact(problem, options=replace(LAZY, lazy=lazy)) for lazy in (True, False))
    assert (lazy.count, lazy.lower_bound) == (eager.count, eager.lower_bound)
    assert lazy.status == eager.status
    assert {entry.row for entry in lazy.unreachable} == {entry.row for entry in eager.unreachable}
    assert 0 < lazy.statistics.counters["buckets evaluated"] < lazy.statistics.counters["buckets"]
    assert "buckets evaluated" not in eager.statistics.counters
    if kind == "black box":  # moves that are judged at once are counted as often as they are
        asked = [result.statistics.counters["questions in batches"] for result in (lazy, eager)]
        assert asked[0] < asked[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_when_time_is_up_holds(kind):
    for seed in range(12):
        problem = drawn(seed, kind)
        count, reached = truth(problem)
        for seconds in (0, 5, 10, 20, 40, 80):
            stop = Stop(time_limit=seconds, clock=Clock())
            lazy = lazy_listing(problem, stop)
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
        if verify(content).outcome is not Outcome.CONFIRMED or proof["kind"] != "dual" or proof["bound"] < 2:
            continue
        heavy = json.loads(json.dumps(content))
        row = int(np.argmax(proof["weights"]))
        heavy["certificate"]["proof"]["weights"][row] += proof["capacity"]
        heavy["certificate"]["proof"]["bound"] += 1
        assert verify(sealed(heavy)).outcome is Outcome.WRONG
        checked += 1
    assert checked > 5


def test_a_known_answer_is_taken_over():
    problem = larger(1, "tree")
    first = solve_exact(problem, options=LAZY)
    again = solve_exact(problem, options=LAZY, start=first.explanations)
    assert again.count == first.count
    assert again.status == "optimal"


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
@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_the_bound_that_is_told_never_falls(kind, seed):
    told = []
    result = solve_exact(larger(seed, kind, rows=40), options=LAZY, progress=told.append)
    bounds = [step.bound for step in told]
    assert bounds == sorted(bounds)
    assert told == result.statistics.rounds
    assert bounds[-1] <= result.lower_bound
