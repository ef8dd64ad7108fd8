"""Every switch of the engine, and every way to know the classifier, leaves the optimum unchanged."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings

from engine.problems import Shrugging, Veiled, oracle_of, problem_of, random_additive
from oneformany.engine.options import Options
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.verify import verify
from program_pricer import ProgramPricer
from reference import brute_force
from strategies import small_problems

SWITCHES = {
    "no local search": Options(local_search=False),
    "no cuts": Options(cuts=False),
    "tiny enumeration": Options(max_columns=1),
    "tiny set cover": Options(max_nodes=1, cuts=False),
    "branching only": Options(enumeration=False),
    "enumeration only": Options(branching=False, local_search=False),
}


def optimum(small):
    return brute_force(
        small.codes,
        small.levels,
        small.tables,
        small.intercept,
        small.threshold,
        small.max_changes,
        small.allowed,
    )


def assert_optimal(result, small):
    count, unreachable = optimum(small)
    assert (result.count, result.lower_bound) == (count, count)
    assert sorted(entry.row for entry in result.unreachable) == sorted(unreachable)
    assert result.undecided == ()
    assert result.status == ("infeasible" if len(unreachable) == len(small.codes) else "optimal")


@pytest.mark.parametrize("name", SWITCHES)
@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_a_switch_leaves_the_optimum_unchanged(name, small):
    result = solve(problem_of(small), options=SWITCHES[name])
    assert_optimal(result, small)
    verify(result.to_json()).raise_if_rejected()


@pytest.mark.parametrize("enumeration", [True, False])
@settings(max_examples=25, deadline=None)
@given(small=small_problems())
def test_branch_and_price_with_a_mixed_integer_program_gives_the_same_optimum(enumeration, small):
    options = Options(pricer=ProgramPricer, enumeration=enumeration)
    assert_optimal(solve(problem_of(small), options=options), small)


@pytest.mark.parametrize("looseness", [None, 0, 2, 1000])
@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_a_classifier_that_must_be_asked_gives_the_same_optimum(looseness, small):
    assert_optimal(solve(problem_of(small, Veiled(oracle_of(small), looseness))), small)


@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_asking_while_branching_gives_the_same_optimum(small):
    options = Options(enumeration=False)
    assert_optimal(solve(problem_of(small, Veiled(oracle_of(small))), options=options), small)


@settings(max_examples=60, deadline=None)
@given(small=small_problems())
def test_open_answers_never_yield_a_false_optimum(small):
    result = solve(problem_of(small, Shrugging(oracle_of(small))))
    count, _ = optimum(small)
    assert result.status != "optimal" or result.count == count
    assert result.lower_bound <= count
    if not result.undecided:
        assert count <= result.count


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_changes", [3, 5])
def test_switches_agree_on_problems_too_large_for_brute_force(seed, max_changes):
    problem = random_additive(np.random.default_rng(seed), max_changes=max_changes)
    counts = {name: solve(problem, options=options) for name, options in SWITCHES.items()}
    counts["default"] = solve(problem)
    counts["asked"] = solve(random_veiled(problem))
    assert {result.count for result in counts.values()} == {counts["default"].count}
    assert all(result.status == "optimal" for result in counts.values())


# Each field of Options by itself: a question, two values of it, and a counter that differs.
LARGE = random_additive(np.random.default_rng(0), rows=60, features=12, max_changes=5)
SMALL = random_additive(np.random.default_rng(0), rows=40, features=6, max_changes=2)
ASKED = replace(SMALL, oracle=Veiled(SMALL.oracle))
SHARED = replace(SMALL, share="action")
LISTED = Options(way="listing")
EACH = {
    "pricer": (SMALL, Options(), ProgramPricer, "search nodes"),
    "local_search": (LARGE, Options(), False, "local search steps"),
    "enumeration": (LARGE, Options(), False, "columns enumerated"),
    "cuts": (LARGE, Options(), False, "cuts"),
    "max_columns": (LARGE, Options(), 1, "enumerations given up"),
    "max_nodes": (LARGE, Options(cuts=False), 1, "set cover nodes"),
    "max_rounds": (LARGE, Options(), 1, "pricings"),
    "branching": (LARGE, Options(enumeration=False), False, "branching nodes"),
    "way": (SMALL, Options(), "listing", "columns listed"),
    "lazy": (ASKED, LISTED, False, "questions in batches"),
    "few_rows": (SHARED, Options(most_work=1.0), False, "rows listed"),
    "least_cost": (SMALL, Options(), True, "columns listed"),
    "memory": (SMALL, LISTED, 1_000, "columns listed"),
    "most_work": (SMALL, LISTED, 1.0, "columns listed"),
    "table": (LARGE, LISTED, TableOptions(max_rounds=1), "rounds"),
}


def test_every_field_of_the_options_is_looked_at():
    assert set(EACH) == {field.name for field in fields(Options)}


@pytest.mark.parametrize("name", EACH)
def test_each_field_by_itself_moves_a_counter_and_no_bound_is_false(name):
    problem, usual, value, counter = EACH[name]
    before, after = (solve(problem, options=options) for options in (usual, replace(usual, **{name: value})))
    assert before.statistics.counters.get(counter, 0) != after.statistics.counters.get(counter, 0)
    assert max(before.lower_bound, after.lower_bound) <= min(before.count, after.count)


def test_where_columns_are_too_many_to_list_covers_are_looked_for_around_what_good_ones_share():
    problem = random_additive(np.random.default_rng(0), rows=60, features=12, max_changes=5)
    few = solve(problem, options=Options(max_columns=1, branching=False))
    without = solve(problem, options=Options(max_columns=1, branching=False, local_search=False))
    assert few.statistics.counters["searches around shared columns"] > 0
    assert "searches around shared columns" not in without.statistics.counters
    assert few.count <= without.count


def random_veiled(problem):
    return type(problem)(
        problem.codes, problem.levels, Veiled(problem.oracle), problem.max_changes, problem.allowed
    )


@pytest.mark.parametrize("name", ["max_columns", "max_nodes", "max_rounds"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2"])
def test_limits_that_make_no_sense_are_refused(name, value):
    with pytest.raises(InputError, match=name):
        Options(**{name: value})


def test_a_pricer_that_cannot_be_made_is_refused():
    with pytest.raises(InputError, match="pricer"):
        Options(pricer="magic")


@pytest.mark.parametrize(
    "options", [Options(enumeration=False), Options(max_columns=1, local_search=False)], ids=str
)
def test_an_integral_relaxation_is_an_answer_without_any_heuristic(options):
    rng = np.random.default_rng(20)
    features = int(rng.integers(3, 7))
    levels = tuple(int(count) for count in rng.integers(2, 5, features))
    n = int(rng.integers(5, 40))
    rows = np.stack([rng.integers(0, count, n) for count in levels], axis=1)
    tables = [rng.integers(-3, 6, count).tolist() for count in levels]
    oracle = AdditiveOracle(tables, threshold=float(rng.integers(3, 14)))
    allowed = None
    if rng.random() < 0.5:
        allowed = [None if rng.random() < 0.6 else rng.random((c, c)) < 0.6 for c in levels]
    problem = Problem(
        rows, levels, oracle, max_changes=min(int(rng.integers(1, 4)), features), allowed=allowed
    )
    assert solve(problem, options=options).count == solve(problem).count
