"""Proofs name rows as they were given."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oneformany.engine.certificate import DEEPEST, first_given, on_given, renumbered
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.proof import CoverCase

REPEATED = Problem([[0, 1], [1, 0], [0, 1], [0, 0]], (2, 2), AdditiveOracle([[0, 1]] * 2, threshold=2), 2)


def test_numbers_of_distinct_rows_stand_on_the_first_of_the_given_ones():
    assert first_given(REPEATED).tolist() == [0, 1, 3]
    assert on_given(REPEATED, np.array([5, 6, 7])) == (5, 6, 0, 7)
    assert on_given(REPEATED, np.array([9]), np.array([2])) == (0, 0, 0, 9)


def test_a_tree_over_items_becomes_cases_over_given_rows():
    tree = {"filters": [[[0, 3], [[0, 1, 2], 4]]], "item": 1, "columns": [8], "parts": [{"filters": []}]}
    given = np.array([10, 20, 30])
    filters = (((10,), 3), ((10, 20, 30), 4))
    assert renumbered(tree, given) == CoverCase((filters,), 20, (8,), (CoverCase(()),))


def chain(depth):
    """A tree of cases of which each has one part."""
    tree = {"filters": []}
    for _ in range(depth - 1):
        tree = {"filters": [], "item": 0, "columns": [3], "parts": [tree]}
    return tree


def test_a_deep_tree_can_be_written_and_read():
    case = renumbered(chain(DEEPEST), np.array([7]))
    assert CoverCase.from_dict(json.loads(json.dumps(case.to_dict()))) == case
    for _ in range(DEEPEST - 1):
        assert (case.row, case.columns) == (7, (3,))
        (case,) = case.parts
    assert case == CoverCase(())


@pytest.mark.parametrize("depth", [DEEPEST + 1, 5_000])
def test_a_tree_that_no_file_could_hold_is_no_proof(depth):
    assert renumbered(chain(depth), np.array([7])) is None
