"""Every goal, every way to share, every kind of classifier: both objectives are those of brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.goal import Goal
from reference_goals import best_answer
from sharing_problems import KINDS, draw_problem

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
        assert rule.holds(before, after).all()
    values = after
    if problem.own is not None:
        values = problem.own.follow(problem.own.values[covered], after, np.ones(after.shape, dtype=np.bool_))
    assert problem.oracle.positive(values).all()
    if problem.costs is None:
        return sum(len(moved) for moved in changed)
    return int(problem.costs.of(before, after).sum())


def check_best(problem, goal, result):
    best = best_answer(problem, goal)
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
