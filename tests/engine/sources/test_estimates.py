"""Which way an answer is found, and what a listing would take before it is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.problems import Veiled, random_additive
from oneformany.engine.context import Context
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.options import Options
from oneformany.engine.sources.estimates import affordable_changes, estimated, lazily
from oneformany.memory import Memory
from oneformany.methods import solve
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.stop import Stop

PLAIN = random_additive(np.random.default_rng(0), rows=12, features=5, max_changes=3)
PROBLEM = random_additive(np.random.default_rng(1), rows=40, features=6, max_changes=2)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_columns_that_outgrow_the_memory_are_not_all_listed_and_what_is_said_holds(share):
    problem = replace(PLAIN, share=share)
    best, whole = solve(problem), list_columns(problem)
    options = Options(way="listing", memory=1_300)
    cut = list_columns(problem, stop=Stop(memory=Memory(options.memory)))
    assert not cut.table.complete
    assert not (cut.unreachable & whole.reachable).any()
    part = solve(problem, options=options)
    assert part.covered <= best.covered
    assert part.lower_bound <= best.count
    assert part.undecided or part.count >= best.count
    assert part.verify().outcome == "confirmed"


def why(problem, most_work=2e10):
    return estimated(Ground.of(problem)).too_much(most_work)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_more_changes_are_more_work_and_the_remedy_is_named(share):
    few, many = replace(PROBLEM, share=share, max_changes=1), replace(PROBLEM, share=share)
    assert why(few) == why(many) == ""
    work = next(10.0**n for n in range(12) if not why(few, 10.0**n))
    assert "lower max_changes" in why(many, work / 10)
    assert "combinations" in why(replace(many, max_changes=5), work / 10)


def test_combinations_are_at_least_the_columns_that_are_listed():
    problem = replace(PROBLEM, share="action")
    told = int(why(problem, 1.0).split("about ")[1].split(" ")[0].replace(",", ""))
    assert told >= len(list_columns(problem).table)


def test_a_limit_on_calls_is_a_limit_on_listing():
    def never(codes):
        return np.full(len(codes), 0.1)

    free, limited = (BlackBoxOracle(never, PROBLEM.levels, max_calls=calls) for calls in (None, 5))
    assert why(Problem(PROBLEM.codes, PROBLEM.levels, free, 2)) == ""
    assert "max_calls allows 5" in why(Problem(PROBLEM.codes, PROBLEM.levels, limited, 2))


def test_buckets_are_for_classifiers_that_have_to_be_asked():
    asked = replace(PROBLEM, oracle=Veiled(PROBLEM.oracle))
    assert lazily(Context(asked))
    assert not lazily(Context(PROBLEM))
    assert not lazily(Context(asked, options=Options(most_work=1.0)))
    assert not lazily(Context(asked, options=Options(memory=10)))
    many = random_additive(np.random.default_rng(0), rows=20, features=20, levels=8, max_changes=18)
    assert not lazily(Context(replace(many, oracle=Veiled(many.oracle))))  # 8**18 targets of a set


def test_fewer_changes_are_listed_where_all_are_too_many():
    assert affordable_changes(Ground.of(PLAIN), 2e10) == PLAIN.max_changes - 1
    assert affordable_changes(Ground.of(PLAIN), 1.0) == 1


def test_an_estimate_tells_how_many_and_how_long():
    assert estimated(Ground.of(replace(PROBLEM, share="action"))).told.endswith("actions: less than a second")
    many = random_additive(np.random.default_rng(0), rows=2_000, features=20, levels=6, max_changes=3)
    found = estimated(Ground.of(replace(many, share="action", oracle=Veiled(many.oracle))))
    assert found.told == f"{found.combinations:,.0f} actions: about {found.work / 1e9:,.0f} s"
