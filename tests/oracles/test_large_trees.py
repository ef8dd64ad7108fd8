"""Trees of runs are the trees of sets of levels that they were made of: in points and in questions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError
from oneformany.oracles.actions import FORBIDDEN, MOVES, STAYS
from oneformany.oracles.described import described
from oneformany.oracles.protocol import Question
from oneformany.oracles.trees import large
from oneformany.oracles.trees.ensemble import LEAF, TreeEnsemble
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.oracles.trees.runs import Runs, RunTrees, Splits
from oracles.test_actions import deep_tree, draw_actions

SEEDS = st.integers(0, 2**32 - 1)


def draw_both(rng):
    """The same classifier with a table of levels, and with runs."""
    levels = tuple(rng.integers(1, 6, size=int(rng.integers(1, 7))).tolist())
    trees = [deep_tree(rng, levels, int(rng.integers(0, 6))) for _ in range(3)]
    ensemble = TreeEnsemble.from_trees(levels, trees, float(rng.integers(-1, 2)))
    given_ = float(rng.integers(-2, 6)), float(rng.choice([0.0, 1.0]))
    both = TreeOracle(ensemble, *given_), LargeTreeOracle(RunTrees.from_ensemble(ensemble), *given_)
    if rng.random() < 0.5:
        return tuple(oracle.decided_by(lambda points: points.sum(axis=1) % 2 == 0) for oracle in both)
    return both


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS)
def test_points_and_all_actions_of_rows_are_judged_alike(seed):
    rng = np.random.default_rng(seed)
    table, runs = draw_both(rng)
    codes = rng.integers(table.levels, size=(40, len(table.levels)))
    assert np.array_equal(table.score(codes), runs.score(codes))
    assert np.array_equal(table.positive(codes), runs.positive(codes))
    actions = draw_actions(rng, table.levels, int(rng.integers(0, 6)))
    may = rng.choice([FORBIDDEN, MOVES, MOVES, MOVES, STAYS], size=(3, len(actions.owner))).astype(np.int8)
    judged = [oracle.action_judge(actions).judge(codes[:3], may) for oracle in (table, runs)]
    assert np.array_equal(*judged)


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS)
def test_questions_get_the_same_answers(seed):
    rng = np.random.default_rng(seed)
    table, runs = draw_both(rng)
    p, width = len(table.levels), max(table.levels)
    domain = (rng.random((p, width)) < 0.6) & (np.arange(width) < np.array(table.levels)[:, None])
    anchor = rng.integers(table.levels)
    free = rng.random(p) < float(rng.choice([0.0, 0.3]))  # without any all actions are judged
    question = Question(anchor, free, int(rng.integers(0, 4)), domain)
    told, found = table.reach(question), runs.reach(question)
    assert (told.point is None) == (found.point is None) == found.proved_none
    if found.point is not None:
        moved = found.point != anchor
        assert runs.positive(found.point[None])[0]
        assert domain[np.flatnonzero(moved), found.point[moved]].all()
        assert (moved & ~question.free).sum() <= question.extra
    assert table.upper_bound(domain) == runs.upper_bound(domain)


@settings(max_examples=100, deadline=None)
@given(seed=SEEDS)
def test_a_description_rebuilds_the_trees(seed):
    rng = np.random.default_rng(seed)
    _, runs = draw_both(rng)
    codes = rng.integers(runs.levels, size=(40, len(runs.levels)))
    told = runs.describe()
    assert "left" not in told
    assert len(told["feature"]) == len(told["units"]) == len(told["run_starts"]) - 1
    again = described(told, perhaps=True)
    assert isinstance(again, LargeTreeOracle)
    assert np.array_equal(again.score(codes), runs.score(codes))
    assert again.describe()["runs"] == told["runs"]


def test_sets_become_runs_of_the_set_or_of_the_rest():
    sets = np.array([[1, 1, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]], dtype=bool)
    runs = Runs.of(sets)
    again = np.zeros_like(sets)
    for number in range(len(sets)):
        for run in range(runs.starts[number], runs.starts[number + 1]):
            again[number, runs.first[run] : runs.last[run]] = True
        again[number] ^= runs.rest[number]
    assert np.array_equal(again, sets)
    assert np.diff(runs.starts).tolist() == [1, 1, 1, 1, 2]
    both = Runs.joined([runs, runs])
    assert both.starts.tolist() == [*runs.starts.tolist(), *(runs.starts[1:] + len(runs.first)).tolist()]


def test_a_leaf_that_is_not_finite_is_refused_with_its_tree():
    nothing = Runs.of(np.zeros((0, 1), dtype=bool))
    splits = Splits(np.array([LEAF, LEAF]), np.zeros(2, np.int64), np.zeros((2, 2), np.int64), nothing)
    with pytest.raises(InputError, match="tree 1 has a leaf of value nan"):
        RunTrees.grown((2,), splits, np.array([0.0, np.nan]), np.array([0, 1]))


def test_what_is_too_much_to_read_is_unknown_and_unbounded(monkeypatch):
    monkeypatch.setattr(large, "MOST_ENTRIES", 0)
    monkeypatch.setattr(large, "MOST_ACTIONS", 0)
    _, runs = draw_both(np.random.default_rng(0))
    p, width = len(runs.levels), max(runs.levels)
    domain = np.arange(width) < np.array(runs.levels)[:, None]
    answer = runs.reach(Question(np.zeros(p, np.int64), np.ones(p, bool), 0, domain))
    assert answer.point is None
    assert not answer.proved_none
    assert runs.upper_bound(domain) == np.inf
