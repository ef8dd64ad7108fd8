"""Covers over a lazy listing: the same optimum as brute force, and less to ask."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.lazy_problems import KINDS, LAZY, drawn, larger, truth
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.solve import solve_exact
from oneformany.engine.sources.bucketed import Bucketed
from oneformany.verify import Outcome, verify

seeds = st.integers(0, 2**32 - 1)


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
@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_asking_only_where_it_matters_changes_no_optimum_and_asks_less(kind, seed):
    problem = larger(seed, kind)
    lazy, eager = (solve_exact(problem, options=replace(LAZY, lazy=lazy)) for lazy in (True, False))
    assert (lazy.count, lazy.lower_bound) == (eager.count, eager.lower_bound)
    assert lazy.covered == eager.covered
    assert lazy.status == eager.status
    assert {entry.row for entry in lazy.unreachable} == {entry.row for entry in eager.unreachable}
    assert 0 < lazy.statistics.counters["buckets evaluated"] < lazy.statistics.counters["buckets"]
    assert "buckets evaluated" not in eager.statistics.counters
    if kind == "black box":  # moves that are judged at once are counted as often as they are
        asked = [result.statistics.counters["questions in batches"] for result in (lazy, eager)]
        assert asked[0] < asked[1]


def test_a_known_answer_is_taken_over():
    problem = larger(1, "tree")
    first = solve_exact(problem, options=LAZY)
    again = solve_exact(problem, options=LAZY, start=first.explanations)
    assert again.count == first.count
    assert again.status == "optimal"


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


@pytest.mark.parametrize("kind", KINDS)
def test_progress_is_told_while_buckets_are_looked_at(kind):
    told = []
    result = solve_exact(larger(1, kind), options=LAZY, progress=told.append)
    first = told[0]
    assert first.phase == "buckets"
    assert 0 < first.bound <= result.lower_bound
    assert first.count >= result.count


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_before_a_known_answer_is_looked_at_ends_with_what_there_is(kind):
    problem = larger(1, kind)
    first = solve_exact(problem, options=LAZY)
    told = []

    def interrupt(step):
        if not told:
            signal.raise_signal(signal.SIGINT)
        told.append(step)

    result = solve_exact(problem, options=LAZY, start=first.explanations, progress=interrupt)
    assert result.ended == "interrupted"
    assert result.covered == first.covered
    assert result.lower_bound <= first.count <= result.count


@pytest.mark.parametrize("kind", KINDS)
def test_a_bucket_that_nobody_looked_at_is_not_among_the_columns_of_an_answer(kind):
    for seed in range(5):
        run = Context(larger(seed, kind))
        lazy = Bucketed.open(run)
        table = choose(lazy, run).columns
        assert (table.incidence.reachable == lazy.reached.reachable).all()
        for column, changed in enumerate(table.changed):
            features, rows = np.flatnonzero(changed), table.group(column)
            assert lazy.batches.accepted(features, rows, table.targets[column, features][None]).all()
