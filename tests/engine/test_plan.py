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
from oneformany.engine.plan import (
    affordable_changes,
    needs_listing,
    planned,
    too_much,
    worth_listing,
    worth_waiting,
)
from oneformany.memory import Memory
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
    assert Context(problem, goal).cheaply == needed


def test_few_rows_are_searched_for_unless_their_least_cost_is_asked_for():
    assert not worth_listing(Context(PLAIN))
    assert worth_listing(Context(PLAIN, options=Options(least_cost=True)))
    assert not worth_listing(Context(PLAIN, options=Options(least_cost=True, most_work=1.0)))


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
    assert [note.split(":")[0] for note in (*part.notes, part.told(1, 3))] == [
        "the least cost is not proved",
        "only combinations of at most 1 instead of 3 changes were all tried, so better answers may exist",
    ]
    best, some = (solve(PLAIN, options=Options(way="listing", most_work=work)) for work in (2e10, 1.0))
    assert some.count >= best.count >= some.lower_bound
    assert some.covered == best.covered
    assert (part.told(1, 3) in some.statistics.notes) == (some.status == "feasible")
    assert affordable_changes(Ground.of(PLAIN), 2e10) == PLAIN.max_changes - 1
    assert affordable_changes(Ground.of(PLAIN), 1.0) == 1


def test_what_was_not_listed_to_the_end_was_not_all_tried(monkeypatch):
    def cut(*given, **named):
        found = list_columns(*given, **named)
        return replace(found, table=replace(found.table, complete=False))

    monkeypatch.setattr("oneformany.engine.listed.list_columns", cut)
    result = solve(PLAIN, options=Options(way="listing", most_work=1.0))
    assert result.status == "feasible"
    assert any("at most 0 instead of 3 changes were all tried" in note for note in result.statistics.notes)


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
    return too_much(Ground.of(problem), most_work)


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
    assert worth_waiting(asked, Options())
    assert not worth_waiting(PROBLEM, Options())
    assert not worth_waiting(asked, Options(most_work=1.0))
    assert not worth_waiting(asked, Options(memory=10))
    many = random_additive(np.random.default_rng(0), rows=20, features=20, levels=8, max_changes=18)
    assert not worth_waiting(replace(many, oracle=Veiled(many.oracle)), Options())  # 8**18 targets of a set
