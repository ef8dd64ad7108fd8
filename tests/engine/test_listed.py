"""Answers by listing: switches move counters, limits are kept and told, and starts are used."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np
import pytest

import oneformany as ofm
from engine.problems import random_additive
from oneformany.engine.listed_answers import columns_holding
from oneformany.engine.listing.listing import list_columns
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
    rng = np.random.default_rng(2)
    tables = [rng.normal(size=4) for _ in range(7)]
    oracle = ofm.AdditiveOracle(tables, threshold=2.5)
    codes = rng.integers(4, size=(150, 7))
    return ofm.Problem(codes[~oracle.positive(codes)], (4,) * 7, oracle, 3)


@pytest.mark.parametrize(
    ("switch", "names"),
    [
        ("fixing", {"columns left out"}),
        ("diving", {"dives"}),
        ("repair", {"repairs", "swaps", "programs"}),
        ("exact", {"nodes", "set cover nodes"}),
    ],
)
def test_a_switch_of_the_table_leaves_the_number_and_moves_a_counter(problem, switch, names):
    on, off = counters(problem), counters(problem, **{switch: False})
    assert on.lower_bound <= off.count
    assert off.lower_bound <= on.count
    told = [{name: result.statistics.counters.get(name, 0) for name in names} for result in (on, off)]
    assert told[0] != told[1]
    assert not any(told[1].values())


def test_an_answer_that_is_known_is_where_the_search_starts(problem):
    first = counters(problem)
    again = solve_exact(problem, options=Options(way="listing"), start=first.explanations, time_limit=0)
    assert again.count == 0  # nothing was listed in no time
    table = list_columns(problem).table
    known = columns_holding(table, problem, first.explanations)
    held = np.unique(np.concatenate([table.group(column) for column in known.tolist()]))
    assert len(known) <= first.count
    assert len(held) == len(problem.rows) - len({problem.row_of[entry.row] for entry in first.unreachable})


def test_a_search_starts_from_a_known_answer_with_fewer_changes(problem):
    few = solve_exact(problem, options=Options(way="search"))
    more = solve_exact(
        replace(problem, max_changes=4), options=Options(way="search", max_rounds=1), start=few.explanations
    )
    assert more.count <= few.count


def test_a_plan_says_what_it_leaves_out(problem):
    everything = planned(problem, Options(), costed=True)
    assert everything.costed
    assert everything.changes is None
    part = planned(problem, Options(most_work=10.0), costed=True)
    assert not part.costed
    assert part.changes == 1
    assert len(part.notes) == 2


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
