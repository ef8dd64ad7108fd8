"""Proofs name rows as they were given."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oneformany.engine.certificate import (
    cost_proof,
    exclusion_proof,
    first_given,
    renumbered,
    weights_proof,
)
from oneformany.engine.cover.tree import DEEPEST_FILED, depth_of
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.proof import Weights

REPEATED = Problem([[0, 1], [1, 0], [0, 1], [0, 0]], (2, 2), AdditiveOracle([[0, 1]] * 2, threshold=2), 2)


def test_numbers_of_distinct_rows_stand_on_the_first_of_the_given_ones():
    assert REPEATED.rows.tolist() == [[0, 1], [1, 0], [0, 0]]
    assert first_given(REPEATED).tolist() == [0, 1, 3]
    assert weights_proof(REPEATED, np.array([5, 0, 7]), 7) == Weights((0, 3), (5, 7), 7, 7)
    proof = weights_proof(REPEATED, np.array([5, 0, 7]), 7, scale=9, scope=np.array([1, 0]))
    assert proof == Weights((0, 1), (5, 0), 7, 9)
    cost = cost_proof(REPEATED, np.array([0, 4, 5]), 1, 1, 3, 4, anchors=(np.arange(3), np.array([7, 8, 9])))
    assert (cost.scope, cost.prices) == ((1, 3), (4, 5))
    assert (cost.anchors.changes, cost.anchors.savings) == ((1, 2), (8, 9))


def test_a_proof_that_no_file_could_hold_is_none():
    groups = [np.array([0, 2]), np.array([1])]
    exclusion = exclusion_proof(REPEATED, 1, 0, groups, chain(3), deepest=3)
    assert exclusion.columns == ((0, 3), (1,))
    assert exclusion_proof(REPEATED, 1, 0, groups, chain(4), deepest=3) is None
    named = exclusion_proof(REPEATED, 1, 0, groups, chain(2), rows=np.array([2]))
    assert named.tree["row"] == 3


def test_a_tree_over_items_becomes_cases_over_given_rows():
    leaf = {"filters": [], "short": True}
    tree = {"filters": [[[0, 3], [[0, 1, 2], 4]]], "item": 1, "columns": [8], "parts": [leaf]}
    given = np.array([10, 20, 30])
    told = {"filters": [[[10, 3], [[10, 20, 30], 4]]], "row": 20, "columns": [8], "parts": [leaf]}
    assert renumbered(tree, given) == told
    nobody = {"filters": [], "item": 1, "columns": [], "parts": []}  # no column is left that holds the row
    assert renumbered(nobody, given) == {"filters": [], "row": 20, "columns": [], "parts": []}


def chain(depth):
    """A tree of cases of which each has one part."""
    tree = {"filters": []}
    for _ in range(depth - 1):
        tree = {"filters": [], "item": 0, "columns": [3], "parts": [tree]}
    return tree


def test_a_deep_tree_can_be_written_and_read():
    assert depth_of(chain(DEEPEST_FILED)) == DEEPEST_FILED
    case = renumbered(chain(DEEPEST_FILED), np.array([7]), DEEPEST_FILED)
    assert json.loads(json.dumps(case)) == case
    for _ in range(DEEPEST_FILED - 1):
        assert (case["row"], case["columns"]) == (7, [3])
        (case,) = case["parts"]
    assert case == {"filters": []}


@pytest.mark.parametrize("depth", [DEEPEST_FILED + 1, 5_000])
def test_a_tree_that_is_nested_too_deeply_is_no_proof(depth):
    assert renumbered(chain(depth), np.array([7]), DEEPEST_FILED) is None
