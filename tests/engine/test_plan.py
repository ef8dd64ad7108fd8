"""Which way an answer is found, and what a listing would take before it is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.problems import Veiled, random_additive
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.plan import (
    affordable,
    asks_for_cost,
    needs_listing,
    planned,
    worth_listing,
    worth_waiting,
)
from oneformany.engine.run import Options
from oneformany.methods import solve
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.stop import Stop

PLAIN = random_additive(np.random.default_rng(0), rows=12, features=5, max_changes=3)
PROBLEM = random_additive(np.random.default_rng(1), rows=40, features=6, max_changes=2)


@pytest.mark.parametrize(
    ("problem", "goal", "needed"),
    [
        (PLAIN, Goal(), False),
        (PLAIN, Goal(explanations=2), True),
        (PLAIN, Goal(coverage=0.5), True),
        (replace(PLAIN, share="action"), Goal(), True),
        (replace(PLAIN, share="features"), Goal(), True),
    ],
)
def test_goals_and_other_ways_to_share_need_a_listing_and_ask_for_cost(problem, goal, needed):
    assert needs_listing(problem, goal) == needed
    assert asks_for_cost(problem, goal, Options()) == needed
    assert asks_for_cost(problem, goal, Options(least_cost=True))
    assert not asks_for_cost(problem, goal, Options(least_cost=False))


def test_few_rows_are_searched_for_unless_their_least_cost_is_asked_for():
    assert not worth_listing(PLAIN, Goal(), Options())
    assert worth_listing(PLAIN, Goal(), Options(least_cost=True))
    assert not worth_listing(PLAIN, Goal(), Options(least_cost=True, most_work=1.0))


def test_only_a_classifier_that_has_to_be_asked_and_may_be_is_asked_lazily():
    asked = replace(PLAIN, oracle=Veiled(PLAIN.oracle))
    assert worth_waiting(asked, Options())
    assert not worth_waiting(PLAIN, Options())
    assert not worth_waiting(asked, Options(lazy=False))
    assert not worth_waiting(replace(asked, share="action"), Options())
    limited = BlackBoxOracle(lambda codes: np.full(len(codes), 0.1), PLAIN.levels, max_calls=10)
    assert not worth_waiting(Problem(PLAIN.codes, PLAIN.levels, limited, 3), Options())


def test_what_is_too_much_is_listed_in_part_and_said_so():
    whole = planned(PLAIN, Options(), costed=True)
    assert (whole.costed, whole.changes, whole.notes) == (True, None, ())
    part = planned(PLAIN, Options(most_work=1.0), costed=True)
    assert (part.costed, part.changes) == (False, 1)
    assert [note.split(":")[0] for note in part.notes] == [
        "the least cost is not proved",
        "only columns that change at most 1 of the 3 features were listed",
    ]
    listing = part.listing(Stop())
    assert not listing.table.complete
    assert (listing.reachable == whole.listing(Stop()).reachable).all()


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_columns_that_outgrow_the_memory_are_not_all_listed_and_what_is_said_holds(share):
    problem = replace(PLAIN, share=share)
    best, whole = solve(problem), list_columns(problem)
    options = Options(way="listing", memory=400)
    plan = planned(problem, options, costed=False)
    assert not plan.listing(Stop()).table.complete
    assert not (plan.listing(Stop()).unreachable & whole.reachable).any()
    part = solve(problem, options=options)
    assert part.covered <= best.covered
    assert part.lower_bound <= best.count
    assert part.undecided or part.count >= best.count
    assert part.verify().outcome == "confirmed"


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_more_changes_are_more_work_and_limits_are_named(share):
    few = affordable(replace(PROBLEM, share=share, max_changes=1))
    many = affordable(replace(PROBLEM, share=share))
    assert few.ok
    assert few.work < many.work
    assert few.reason == ""
    tired = affordable(replace(PROBLEM, share=share), most_work=10.0)
    assert not tired.ok
    assert "more than 1.0e+01" in tired.reason


def test_columns_are_at_least_those_that_are_listed():
    listed = len(list_columns(replace(PROBLEM, share="action")).table)
    assert affordable(replace(PROBLEM, share="action")).columns >= listed


def test_a_limit_on_calls_is_a_limit_on_listing():
    def never(codes):
        return np.full(len(codes), 0.1)

    free, limited = (BlackBoxOracle(never, PROBLEM.levels, max_calls=calls) for calls in (None, 5))
    assert affordable(Problem(PROBLEM.codes, PROBLEM.levels, free, 2)).ok
    estimate = affordable(Problem(PROBLEM.codes, PROBLEM.levels, limited, 2))
    assert not estimate.ok
    assert "more than the 5 calls allowed" in estimate.reason


def test_buckets_are_for_classifiers_that_have_to_be_asked():
    asked = replace(PROBLEM, oracle=Veiled(PROBLEM.oracle))
    assert worth_waiting(asked, Options())
    assert not worth_waiting(PROBLEM, Options())
    assert not worth_waiting(asked, Options(most_work=1.0))
    assert not worth_waiting(asked, Options(memory=10))
