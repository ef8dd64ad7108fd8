"""Answers by listing: switches move counters, and an interrupt ends with what there is."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from engine.problems import random_additive, refused_rows
from oneformany.engine.plan import planned
from oneformany.engine.run import Options
from oneformany.engine.solve import solve_exact
from oneformany.engine.table.options import TableOptions
from oneformany.problem.goal import Goal


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


def test_a_plan_says_what_it_leaves_out(problem):
    everything = planned(problem, Options(), costed=True)
    assert everything.costed
    assert everything.changes is None
    part = planned(problem, Options(most_work=10.0), costed=True)
    assert not part.costed
    assert part.changes == 1
    assert len(part.notes) == 1
    assert "times the work that is allowed" in part.reason


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
