"""Listed rows: what they accept is what the classifier says, and its word is remembered."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.few.few_problems import draw_few
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.listing.ground import Ground
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.stop import Stop
from reference_sharing import cost_of_joining

SEEDS = st.integers(0, 2**32 - 1)


def told(listed, actions):
    """The features that each action changes, and its target cells."""
    changes = zip(*listed.offered.changes(actions), strict=True)
    return [(np.flatnonzero(changed).tolist(), targets[changed].tolist()) for changed, targets in changes]


def accepted(problem, listed):
    """Which row accepts which action, by brute force."""
    ways = told(listed, np.arange(len(listed.offered.actions)))
    rows = range(len(problem.rows))
    return np.array([[cost_of_joining(problem, row, *way) is not None for way in ways] for row in rows])


@settings(max_examples=80, deadline=None)
@given(seed=SEEDS)
def test_all_actions_of_a_row_are_judged_as_the_classifier_does_one_by_one(seed):
    problem = draw_few(np.random.default_rng(seed))
    listed = ListedRows.of(Ground.of(problem), Stop())
    judged = np.array([listed.judged(row) for row in range(len(problem.rows))])
    truth = accepted(problem, listed)
    assert truth[judged == POSITIVE].all()
    assert not truth[judged == NEGATIVE].any()


@settings(max_examples=80, deadline=None)
@given(seed=SEEDS)
def test_rows_without_an_action_are_beyond_help_and_no_others(seed):
    rng = np.random.default_rng(seed)
    problem = draw_few(rng)
    listed, everybody = ListedRows.of(Ground.of(problem), Stop()), np.arange(len(problem.rows))
    listed.sample(everybody.tolist())
    listed.list_until(everybody.tolist(), len(everybody))
    truth = accepted(problem, listed)
    assert np.array_equal(listed.unreachable, ~truth.any(axis=1))
    assert np.array_equal(listed.reachable, truth.any(axis=1))
    assert listed.rows.tolist() == np.flatnonzero(listed.reachable).tolist()
    assert truth[listed.rows, listed.by[listed.rows]].all()


@settings(max_examples=80, deadline=None)
@given(seed=SEEDS)
def test_some_actions_help_whom_they_help_and_what_was_refused_is_withdrawn(seed):
    rng = np.random.default_rng(seed)
    problem = draw_few(rng)
    listed, everybody = ListedRows.of(Ground.of(problem), Stop()), np.arange(len(problem.rows))
    listed.list_until(everybody.tolist(), len(everybody))
    actions = rng.permutation(len(listed.offered.actions))[:3]
    doubts = sum(int((listed.judged(row)[actions] == NEAR).sum()) for row in listed.rows.tolist())
    by, truth = listed.try_on_everybody(actions), accepted(problem, listed)
    assert np.array_equal(by != NO_ACTION, truth[:, actions].any(axis=1))
    assert all(truth[row, action] for row, action in enumerate(by.tolist()) if action != NO_ACTION)
    assert listed.withdrawn <= doubts
    if len(listed):
        table, chosen = listed.columns()
        for column, action in enumerate(chosen.tolist()):
            group = np.sort(listed.rows)[table.group(column)]
            assert not (by[group] == NO_ACTION).any() or action not in actions
