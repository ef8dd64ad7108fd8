"""Whatever ends a run early, the answer covers every row that was examined, and the bound is valid."""

from __future__ import annotations

import _thread
import threading

import numpy as np
import pytest

from engine.problems import Veiled, random_additive
from oneformany.engine.options import Options
from oneformany.exceptions import InputError
from oneformany.methods import solve
from oneformany.verify import verify


def hard_problem(seed=0, rows=80):
    return random_additive(np.random.default_rng(seed), rows=rows, features=14, max_changes=7)


@pytest.mark.parametrize("time_limit", [0, 0.01, 0.1])
def test_a_time_limit_gives_a_cover_and_a_valid_bound(time_limit):
    problem = hard_problem()
    early = solve(problem, time_limit=time_limit)
    full = solve(problem)
    assert full.status == "optimal"
    assert early.lower_bound <= full.count
    covered = {row for row, number in enumerate(early.assignment) if number >= 0}
    assert covered.isdisjoint(early.undecided)
    assert covered | set(early.undecided) == set(range(len(problem.codes)))
    assert early.undecided or early.count >= full.count
    verify(early.to_json()).raise_if_rejected()


def test_few_rounds_give_a_cover_and_a_valid_bound():
    problem = hard_problem(seed=1)
    early = solve(problem, options=Options(max_rounds=1, enumeration=False, branching=False))
    full = solve(problem)
    assert early.lower_bound <= full.count <= early.count
    verify(early.to_json()).raise_if_rejected()


def test_an_interrupt_gives_the_best_answer_so_far():
    problem = hard_problem(seed=2, rows=150)
    rounds = []

    def interrupt_once(record):
        rounds.append(record)
        if len(rounds) == 2:
            _thread.interrupt_main()

    early = solve(problem, progress=interrupt_once)
    assert min(early.assignment) >= 0
    assert 1 <= early.lower_bound <= early.count
    assert len(rounds) < 10


def test_a_run_in_another_thread_works_without_signals():
    results = []
    thread = threading.Thread(target=lambda: results.append(solve(hard_problem(rows=20))))
    thread.start()
    thread.join()
    assert results[0].status == "optimal"


def test_progress_reports_falling_counts_and_rising_bounds():
    records = []
    solve(hard_problem(seed=3), progress=records.append)
    counts = [record.count for record in records]
    bounds = [record.bound for record in records]
    assert counts == sorted(counts, reverse=True)
    assert bounds == sorted(bounds)
    assert all(record.bound <= record.count for record in records)


def test_the_same_problem_gives_the_same_answer_twice():
    first, second = solve(hard_problem(seed=4)), solve(hard_problem(seed=4))
    assert first.explanations == second.explanations


def test_more_than_64_features_work():
    rng = np.random.default_rng(5)
    problem = random_additive(rng, rows=25, features=130, levels=2, max_changes=60)
    result = solve(problem, time_limit=60)
    assert result.status == "optimal"
    verify(result.to_json()).raise_if_rejected()


def test_unknown_methods_are_named():
    with pytest.raises(InputError, match="exact, cg-mip, mip"):
        solve(hard_problem(rows=5), method="magic")


def test_options_of_another_method_are_refused():
    with pytest.raises(InputError, match="Options"):
        solve(hard_problem(rows=5), options="fast")


def test_rows_that_time_did_not_allow_to_ask_for_are_said_to_be_open():
    problem = hard_problem(rows=10)
    asked = type(problem)(problem.codes, problem.levels, Veiled(problem.oracle), problem.max_changes)
    result = solve(asked, time_limit=0)
    assert result.status == "feasible"
    assert result.unreachable == ()
    assert result.undecided == tuple(range(len(problem.codes)))


def test_running_out_of_time_while_branching_keeps_the_bound_of_the_root():
    problem = hard_problem(seed=6, rows=120)
    root_only = solve(problem, options=Options(enumeration=False, branching=False))
    early = solve(problem, time_limit=3, options=Options(enumeration=False))
    assert early.lower_bound >= root_only.lower_bound
    verify(early.to_json()).raise_if_rejected()
