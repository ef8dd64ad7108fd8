"""Every goal, every way to share, every kind of classifier: both objectives are those of brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError
from oneformany.problem import Costs
from oneformany.problem.goal import Goal
from reference_goals import best_answer

SHARES = ("point", "action", "features")

goals = st.one_of(
    st.just(Goal()),
    st.builds(Goal, explanations=st.integers(1, 4)),
    st.builds(Goal, coverage=st.sampled_from([0.2, 0.5, 0.75, 0.9, 1.0])),
    st.builds(Goal, explanations=st.integers(1, 4), coverage=st.just(1.0)),
)


def problems(kind, share, **wanted):
    return st.integers(0, 10**6).map(
        lambda seed: draw_problem(np.random.default_rng(seed), kind, share, **wanted)
    )


def solved(problem, goal, **options):
    return ofm.solve(
        problem,
        explanations=goal.explanations,
        coverage=goal.coverage,
        options=ofm.Options(least_cost=True, **options),
    )


def judged(problem, result):
    """Ask the classifier about every covered row after following; return the cost of them together."""
    covered = np.flatnonzero(np.array(result.assignment) >= 0)
    before, after = problem.codes[covered], result.points[covered]
    changed = [np.flatnonzero(one != other) for one, other in zip(before, after, strict=True)]
    for row, moved in zip(covered, changed, strict=True):
        explanation = result.explanations[result.assignment[row]]
        assert set(moved) <= set(explanation.changed)
        assert len(explanation.changed) <= problem.max_changes
    assert problem.may_move(before, after).all()
    for rule in problem.restrictions:
        assert hasattr(rule, "looks_back") or rule.holds(before, after).all()  # groups say the rest
    values = after
    if problem.own is not None:
        values = problem.own.follow(problem.own.values[covered], after, np.ones(after.shape, dtype=np.bool_))
    assert problem.oracle.positive(values).all()
    if problem.costs is None:
        return sum(len(moved) for moved in changed)
    return int(problem.costs.of(before, after).sum())


def check_best(problem, goal, result):
    best = best_answer(problem, goal)
    if goal.explanations is None and goal.coverage is not None:
        needed = goal.needed(int(problem.multiplicity.sum()))
        assert min(needed, best.covered) <= result.covered <= best.covered
    else:
        assert result.covered == best.covered
    if goal.explanations is None:
        assert result.count == result.lower_bound == best.explanations
    else:
        assert result.count <= goal.explanations
        assert result.covered_bound == best.covered
    assert result.status == ("optimal" if best.covered else "infeasible")
    assert result.cost == judged(problem, result) == best.cost
    assert not result.undecided
    assert result.ended == "proved"
    if best.covered:
        assert result.cost_bound == best.cost


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", SHARES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_goal_has_the_answer_of_brute_force(kind, share, data):
    problem, goal = data.draw(problems(kind, share)), data.draw(goals)
    check_best(problem, goal, solved(problem, goal))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_counts_fall_from_one_profile_to_one_advice_to_one_list(kind, data):
    problem = data.draw(problems(kind, "point"))
    counts = [ofm.solve(replace(problem, share=share)).count for share in SHARES]
    assert counts == sorted(counts, reverse=True)


TABLE_SWITCHES = {
    "fixing": {"columns left out"},
    "diving": {"dives"},
    "repair": {"repairs", "swaps", "programs"},
    "exact": {"nodes"},
}


@pytest.mark.parametrize("switch", sorted(TABLE_SWITCHES))
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_switches_of_the_table_leave_the_optimum_and_bounds_stay_below(switch, data):
    problem = data.draw(problems("additive", data.draw(st.sampled_from(SHARES))))
    goal = data.draw(goals)
    result = solved(problem, goal, table=TableOptions(**{switch: False}))
    best = best_answer(problem, goal)
    if goal.explanations is not None:
        assert result.covered <= best.covered <= result.covered_bound
    else:
        assert result.lower_bound <= best.explanations <= result.count
    if result.covered == best.covered and result.count == best.explanations and result.cost_bound is not None:
        assert result.cost_bound <= best.cost <= result.cost


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_both_ways_find_the_same_number(data):
    problem = data.draw(
        problems(data.draw(st.sampled_from(KINDS)), "point", own=False, restricted=False, costed=False)
    )
    listed, searched = (ofm.solve(problem, options=ofm.Options(way=way)) for way in ("listing", "search"))
    assert listed.count == searched.count == listed.lower_bound == searched.lower_bound
    assert {entry.row for entry in listed.unreachable} == {entry.row for entry in searched.unreachable}
    assert "columns listed" in listed.statistics.counters
    assert "columns listed" not in searched.statistics.counters


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_is_too_much_to_list_is_answered_in_part_and_says_so(kind, share, data):
    problem, goal = data.draw(problems(kind, share)), data.draw(goals)
    result = solved(problem, goal, way="listing", most_work=1.0)
    best = best_answer(problem, goal)
    judged(problem, result)
    assert result.covered <= best.covered or goal.coverage is not None  # more than the share may cost less
    unreachable = {entry.row for entry in result.unreachable}
    alone = Goal(explanations=len(problem.rows))
    assert len(unreachable) <= len(problem.codes) - best_answer(problem, alone).covered
    if goal.explanations is None:
        if not result.undecided:
            assert result.lower_bound <= best.explanations <= result.count
    else:
        assert result.covered_bound >= best.covered
    assert result.cost_bound is None or result.cost_bound <= best.cost
    for step in result.statistics.rounds:
        if step.measure == "people":
            assert step.bound >= best.covered
        elif step.measure == "cost" or goal.limited:
            assert step.bound == 0
        else:
            assert step.bound <= best.explanations
    if result.status == "feasible":
        assert problem.max_changes == 1 or any("were all tried" in note for note in result.statistics.notes)
        assert (result.ended, result.statistics.limits[:1]) == ("limit", ["size"])
        assert "Only combinations of at most" in result.summary() or problem.max_changes == 1


@pytest.mark.parametrize("share", SHARES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_no_time_at_all_proves_nothing_that_is_not_so(share, data):
    problem, goal = data.draw(problems(data.draw(st.sampled_from(KINDS)), share)), data.draw(goals)
    result = ofm.solve(
        problem,
        time_limit=0,
        explanations=goal.explanations,
        coverage=goal.coverage,
        options=ofm.Options(way="listing"),
    )
    best = best_answer(problem, goal)
    judged(problem, result)
    assert result.covered <= best.covered <= result.covered_bound or goal.explanations is None
    assert result.lower_bound <= best.explanations or goal.explanations is not None
    if result.status == "feasible":
        assert result.ended == "time limit"


def test_the_least_cost_can_be_left_alone():
    problem = draw_problem(np.random.default_rng(3), "additive", "action", costed=True)
    asked, left = (ofm.solve(problem, options=ofm.Options(least_cost=wanted)) for wanted in (True, False))
    assert asked.count == left.count
    assert asked.cost <= left.cost
    assert asked.cost_bound == asked.cost
    assert left.cost_bound is None
    assert "least cost" in asked.statistics.timings
    assert "least cost" not in left.statistics.timings


def test_people_count_in_goals_and_costs():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    codes = np.array([[0, 0], [0, 0], [0, 1]])
    problem = ofm.Problem(codes, (2, 2), oracle, 1, people=[5, 2, 1])
    result = ofm.solve(problem, explanations=1)
    assert (result.covered, result.covered_bound) == (8, 8)
    assert result.cost == result.cost_bound == 7


@pytest.mark.parametrize("k", [0, -1, True, 1.5])
def test_an_impossible_number_of_explanations_is_refused(k):
    with pytest.raises(InputError, match="explanations is"):
        Goal(explanations=k)


@pytest.mark.parametrize("q", [0, -0.1, 1.1, True])
def test_an_impossible_share_is_refused(q):
    with pytest.raises(InputError, match="coverage is"):
        Goal(coverage=q)


@pytest.mark.parametrize("q", [1, 0.5, np.float32(0.5), np.int64(1)])
def test_a_share_may_be_a_number_of_any_type(q):
    assert Goal(coverage=q).needed(10) in {5, 10}


@pytest.mark.parametrize(("cost", "people"), [(10**6, 10**4), (10**7, 10**5), (10**8, 10**4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_costs_and_people_too_large_to_add_leave_the_cost_open_instead_of_failing(cost, people, seed):
    rng = np.random.default_rng(seed)
    tables = [rng.integers(-3, 4, size=3) for _ in range(4)]
    codes = rng.integers(0, 3, size=(8, 4))
    moves = [np.where(np.eye(3, dtype=bool), 0, rng.integers(1, 9, size=(3, 3))) for _ in range(4)]
    oracle = ofm.AdditiveOracle(tables, threshold=max(2, sum(int(table.max()) for table in tables) - 4))
    problem = ofm.Problem(codes, (3,) * 4, oracle, max_changes=2, share="action")
    small = ofm.solve(replace(problem, costs=Costs(moves)), explanations=2)
    costs = Costs([table * cost for table in moves])
    large = ofm.solve(replace(problem, costs=costs, people=np.full(8, people)), explanations=2)
    assert large.covered == small.covered * people
    assert large.cost_bound is None or large.cost_bound <= large.cost
    assert large.cost >= small.cost * cost * people
    assert ofm.verify(large).outcome != "wrong"


def test_costs_of_all_people_that_no_integer_holds_are_refused():
    oracle = ofm.AdditiveOracle([[0, 1, 2]] * 4, threshold=6)
    costs = Costs([2**30 * (1 - np.eye(3, dtype=np.int64))] * 4)
    with pytest.raises(InputError, match="give costs in larger units, or fewer people"):
        ofm.Problem([[0, 0, 0, 0]], (3,) * 4, oracle, 3, people=[2**35], costs=costs)


@pytest.mark.parametrize("way", ["listing", "search"])
def test_a_thousand_million_people_a_row_leave_no_false_cost(way):
    codes = np.random.default_rng(0).integers(0, 3, size=(12, 4))
    oracle = ofm.AdditiveOracle([[0, 1, 2]] * 4, threshold=6)
    costs = Costs([10 * (1 - np.eye(3, dtype=np.int64))] * 4)
    problem = ofm.Problem(codes, (3,) * 4, oracle, 3, people=[10**9] * 12, costs=costs)
    result = ofm.solve(problem, options=ofm.Options(way=way, least_cost=True))
    assert result.covered == 12 * 10**9
    assert result.cost_bound is None or result.cost_bound <= result.cost
    assert ofm.verify(result).outcome != "wrong"
