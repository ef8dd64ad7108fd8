"""The front of the engine: known answers are used, and what cannot be asked for is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from engine.problems import Veiled, problem_of, random_additive, refused_rows
from oneformany.engine.run import Options
from oneformany.engine.solve import solve_exact
from oneformany.exceptions import InputError
from oneformany.problem.goal import Goal
from strategies import small_problems


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


def test_the_seed_is_recorded_and_changes_nothing():
    problem = random_additive(np.random.default_rng(1), rows=12)
    one, other = (solve_exact(problem, seed=seed) for seed in (1, 2))
    assert (one.seed, other.seed) == (1, 2)
    assert one.explanations == other.explanations
