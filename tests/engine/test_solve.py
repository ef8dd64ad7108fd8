"""The front of the engine: known answers are used, and what cannot be asked for is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import draw_problem
from engine.problems import Veiled, problem_of, random_additive, refused_rows
from oneformany.engine.options import Options
from oneformany.engine.solve import solve_exact
from oneformany.engine.table import fewest
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem.goal import Goal
from reference_goals import best_answer
from strategies import small_problems
from test_goals import check_best


def test_a_search_starts_from_a_known_answer_with_fewer_changes():
    problem = refused_rows()
    few = solve_exact(problem, options=Options(way="search"))
    more = solve_exact(
        replace(problem, max_changes=4), options=Options(way="search", max_rounds=1), start=few.explanations
    )
    assert more.count <= few.count


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_both_ways_count_alike_and_agree_on_who_is_beyond_help(small):
    problem = problem_of(small)
    listed, searched = (solve_exact(problem, options=Options(way=way)) for way in ("listing", "search"))
    assert (listed.status, listed.count, listed.lower_bound) == (
        searched.status,
        searched.count,
        searched.lower_bound,
    )
    assert [entry.row for entry in listed.unreachable] == [entry.row for entry in searched.unreachable]


@pytest.mark.parametrize(
    ("share", "goal"), [("action", Goal()), ("features", Goal()), ("point", Goal(explanations=1))]
)
def test_what_only_a_listing_can_answer_is_refused_to_the_search_and_listed_otherwise(share, goal):
    problem = replace(random_additive(np.random.default_rng(0), rows=8, max_changes=2), share=share)
    with pytest.raises(InputError, match="only a listing serves"):
        solve_exact(problem, goal=goal, options=Options(way="search"))
    assert "listing" in solve_exact(problem, goal=goal).statistics.timings


def test_a_known_answer_is_kept_where_there_is_no_time_to_ask_anything():
    plain = random_additive(np.random.default_rng(0), rows=12)
    problem = replace(plain, oracle=Veiled(plain.oracle))
    known = solve_exact(plain)
    search = Options(way="search")
    late = solve_exact(problem, time_limit=0, options=search, start=known.explanations)
    assert (late.count, late.covered) == (known.count, known.covered)
    assert late.lower_bound <= known.count
    assert late.ended == "time limit"
    assert solve_exact(problem, time_limit=0, options=search).covered == 0


LARGE = random_additive(np.random.default_rng(1), rows=60, features=8, max_changes=4)
ASKED = replace(LARGE, oracle=Veiled(LARGE.oracle))
BY_SOURCE = {
    "searched": (LARGE, Options(way="search", least_cost=True)),
    "listed": (LARGE, Options(way="listing", least_cost=True)),
    "bucketed": (ASKED, Options(way="listing", least_cost=False)),
    "sampled": (replace(LARGE, share="action"), Options(most_work=1.0)),
    "partial": (replace(LARGE, share="action"), Options(way="listing", most_work=1.0)),
}


def told_of(result):
    """The file of a result without what a clock says."""
    content = json.loads(result.to_json())
    rounds = [{**step, "seconds": None} for step in content["statistics"]["rounds"]]
    content["statistics"] = {**content["statistics"], "rounds": rounds, "timings": None}
    return {name: value for name, value in content.items() if "digest" not in name}


@pytest.mark.parametrize("source", BY_SOURCE)
def test_the_same_seed_gives_the_same_file_and_another_the_same_bound_where_it_is_proved(source):
    problem, options = BY_SOURCE[source]
    one, again, other = (solve_exact(problem, seed=seed, options=options) for seed in (3, 3, 4))
    assert one.statistics.decisions[0].startswith(source)
    assert (one.seed, other.seed) == (3, 4)
    assert told_of(one) == told_of(again)
    assert one.status == "feasible" or (one.count, one.lower_bound) == (other.count, other.lower_bound)


@pytest.mark.parametrize("part", ["Repair", "LocalSearch"])
def test_repairs_and_local_search_are_given_the_seed_of_solve(part, monkeypatch):
    given, real = [], getattr(fewest, part)

    def noted(*arguments):
        given.append(arguments[-1])
        return real(*arguments)

    monkeypatch.setattr(fewest, part, noted)
    problem = random_additive(np.random.default_rng(2), rows=150, features=12, levels=3, max_changes=3)
    options = Options(way="listing", least_cost=False, table=TableOptions(exact=False, max_failures=3))
    solve_exact(problem, seed=7, options=options)
    assert set(given) == {7}


def test_a_seed_is_an_integer_from_zero_on():
    with pytest.raises(InputError, match="seed is -1"):
        solve_exact(LARGE, seed=-1)


def doubtful(rng: np.random.Generator, share: str) -> ofm.Problem:
    """Draw a problem with a model that decides about scores near the threshold as it likes."""
    problem = draw_problem(rng, "additive", share, restricted=False)
    levels = problem.oracle.levels
    tables = [rng.integers(-3, 4, size=n) for n in levels]
    threshold = float(sum(rng.choice(table) for table in tables) + rng.integers(3))
    likes = rng.random(levels) < 0.5
    oracle = AdditiveOracle(tables, 0.0, threshold, margin=float(rng.choice([0.25, 1.25])))
    oracle = oracle.decided_by(lambda codes: likes[tuple(np.asarray(codes).T)])
    return replace(problem, oracle=oracle)


@pytest.mark.parametrize("share", ["point", "action", "features"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_what_the_model_itself_decides_is_counted_as_brute_force_counts_it(share, seed):
    problem = doubtful(np.random.default_rng(seed), share)
    result = ofm.solve(problem, options=ofm.Options(least_cost=True))
    check_best(problem, Goal(), result)
    assert ofm.verify.verify(result.to_json()).outcome != "wrong"


def test_an_answer_that_the_model_turns_down_is_looked_for_anew_in_the_time_that_is_left():
    tables = [[0, 1, 1], [0, 1, 1], [0, 0, 0]]
    asked = []

    def decide(codes):
        asked.extend(codes.tolist())
        return (codes[:, 0] == 2) & (codes[:, 1] == 2)

    oracle = AdditiveOracle(tables, threshold=2, margin=0.25)
    problem = ofm.Problem([[0, 0, 0], [0, 0, 1]], (3, 3, 3), oracle.decided_by(decide), max_changes=2)
    hopeful = replace(problem, oracle=problem.oracle.hopeful())
    assert ofm.solve(hopeful).explanations[0].point[:2] == (1, 1)
    assert not asked
    steps = []
    result = ofm.solve(problem, progress=steps.append)
    assert (result.status, result.count) == ("optimal", best_answer(problem, Goal()).explanations)
    assert [step.number for step in steps].count(1) == 2  # two tries, on one clock
    assert [step.seconds for step in steps] == sorted(step.seconds for step in steps)
    assert {explanation.point[:2] for explanation in result.explanations} == {(2, 2)}
    late = ofm.solve(problem, time_limit=0)
    assert (late.status, late.unreachable) == ("feasible", ())
