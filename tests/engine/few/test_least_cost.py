"""Rounds for the least cost: answers get cheaper, and what is proved is never more than the least."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import FEW_ROWS, draw_few
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.few import least_cost
from oneformany.engine.few.cheaper import prices
from oneformany.engine.few.least_cost import at_least_cost
from oneformany.engine.few.rounds import Attempt
from oneformany.engine.sources.protocol import Shortfall
from oneformany.engine.sources.sampled import Sampled
from oneformany.problem.goal import Goal
from reference_goals import best_answer


def answered(rng, share):
    """A problem, its source, and an answer for the most people with two columns."""
    problem = draw_few(rng, share=share)
    run = Context(problem, Goal(explanations=2), options=FEW_ROWS)
    source = Sampled(run, Shortfall())
    choose(source, run)
    by = source.listed.by
    table = source.table
    return run, source, table, by


@pytest.mark.parametrize("share", ["action", "features"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_bound_and_the_cost_enclose_the_least(share, seed):
    rng = np.random.default_rng(seed)
    run, source, table, _ = answered(rng, share)
    if not len(table):
        return
    cheap = source.cheaper(run, choose(source, run))
    best = best_answer(run.problem, run.goal)
    assert cheap.proof is None or cheap.proof.bound <= best.cost <= cheap.cost
    owner = cheap.owner
    assert int(run.problem.multiplicity[owner >= 0].sum()) == best.covered


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_rounds_keep_everybody_needed_and_only_get_cheaper(seed):
    run, source, table, by = answered(np.random.default_rng(seed), "action")
    if not len(table):
        return
    listed, people = source.listed, run.problem.multiplicity
    actions = np.unique(by[by >= 0])
    attempt = Attempt(actions, by)
    needed = int(people[attempt.helped].sum())
    rounds = at_least_cost(listed, attempt, (len(actions), needed), run)
    assert rounds.cost == int(prices(listed, rounds.attempt.by) @ people)
    assert rounds.cost <= int(prices(listed, by) @ people)
    assert int(people[rounds.attempt.helped].sum()) >= needed
    assert len(rounds.attempt.actions) <= len(actions)


def test_where_the_bits_of_all_rows_do_not_fit_nothing_is_proved(monkeypatch):
    monkeypatch.setattr(least_cost, "fits", lambda _listed: False)
    rng, seen = np.random.default_rng(0), 0
    for _ in range(10):
        run, source, table, _ = answered(rng, "action")
        if len(table):
            cheap = source.cheaper(run, choose(source, run))
            assert cheap.proof is None
            seen += 1
    assert seen
