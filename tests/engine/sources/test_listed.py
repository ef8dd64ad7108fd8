"""Answers by listing: switches move counters, and an interrupt ends with what there is."""

from __future__ import annotations

import signal
from functools import partial

import numpy as np
import pytest

from engine.problems import random_additive, refused_rows
from oneformany.engine.options import Options
from oneformany.engine.solve import solve_exact
from oneformany.engine.table.options import TableOptions
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.stop import Stop


def counters(problem, goal=None, **table):
    options = Options(way="listing", least_cost=True, table=TableOptions(**table))
    return solve_exact(problem, goal=goal, options=options)


@pytest.fixture(scope="module")
def problem():
    return refused_rows()


@pytest.mark.parametrize(
    ("switch", "names"),
    [
        ("fixing", {"columns left out"}),
        ("diving", {"dives"}),
        ("repair", {"repairs", "swaps", "programs"}),
        ("exact", {"nodes"}),
    ],
)
def test_a_switch_of_the_table_leaves_the_number_and_moves_a_counter(problem, switch, names):
    on, off = counters(problem), counters(problem, **{switch: False})
    assert on.lower_bound <= off.count
    assert off.lower_bound <= on.count
    told = [{name: result.statistics.counters.get(name, 0) for name in names} for result in (on, off)]
    assert told[0] != told[1]
    assert not any(told[1].values())


@pytest.mark.parametrize("goal", [Goal(), Goal(explanations=3), Goal(coverage=0.8)])
def test_an_interrupt_ends_with_what_there_is(goal):
    problem = random_additive(np.random.default_rng(0), rows=400, features=9, levels=3, max_changes=3)
    sent = []

    def interrupt(_round):
        if not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGINT)

    result = solve_exact(problem, goal=goal, options=Options(way="listing"), progress=interrupt)
    assert sent
    assert result.covered
    assert result.ended == ("proved" if result.status == "optimal" and not goal.limited else "interrupted")


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_time_that_a_cut_listing_leaves_is_spent_on_rows_of_which_nothing_is_known(share, monkeypatch):
    now, weights = [0.0], np.random.default_rng(0).normal(size=(9, 3))

    def slow(points):  # a point takes a thousandth of a second on a clock of its own
        now[0] += len(points) / 1000
        return 1 / (1 + np.exp(3 - weights[np.arange(9), points].sum(axis=1)))

    monkeypatch.setattr("oneformany.engine.solve.Stop", partial(Stop, clock=lambda: now[0]))
    codes = np.random.default_rng(1).integers(3, size=(100, 9))
    oracle = BlackBoxOracle(slow, (3,) * 9)
    problem = Problem(codes[~oracle.positive(codes)], (3,) * 9, oracle, 3, share=share)
    now[0] = 0.0
    result = solve_exact(problem, time_limit=8, options=Options(way="listing"))
    assert result.ended == "time limit"
    assert result.undecided
    assert now[0] == pytest.approx(8, rel=0.08)
    decided = len(problem.codes) - len(result.undecided)
    assert result.covered + len(result.unreachable) == decided
    assert oracle.positive(result.points[result.has_explanation]).all()
    assert result.lower_bound <= solve_exact(problem, options=Options(way="listing", lazy=False)).count
