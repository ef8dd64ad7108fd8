"""The pair to decide on is the undecided one that the relaxation shares most evenly."""

from __future__ import annotations

import numpy as np
import pytest

from engine.problems import parts_of, random_additive
from oneformany.engine.cover.program import RelaxedCover
from oneformany.engine.pricing.items import Decisions, Items
from oneformany.engine.tree.branching import pair_to_branch_on


class FakeNode:
    def __init__(self, space, groups, values, decisions=None):
        self.items = Items(space, decisions or Decisions())
        self.groups = [np.array(group) for group in groups]
        self.relaxed = RelaxedCover(float(sum(values)), np.array(values), np.zeros(len(self.items)))


@pytest.fixture(scope="module")
def space():
    return parts_of(random_additive(np.random.default_rng(0), rows=6))[0]


def test_the_pair_shared_by_half_is_picked(space):
    node = FakeNode(space, [[0, 1], [2, 3], [0, 3]], [0.9, 0.5, 0.2])
    assert pair_to_branch_on(node) == (2, 3)


def test_values_of_columns_with_the_same_pair_add_up(space):
    node = FakeNode(space, [[0, 1], [0, 1, 4], [2, 3]], [0.25, 0.3, 0.2])
    assert pair_to_branch_on(node) == (0, 1)


def test_a_pair_that_is_apart_already_is_not_picked(space):
    node = FakeNode(space, [[2, 3], [0, 3]], [0.5, 0.2], Decisions().part(2, 3))
    assert pair_to_branch_on(node) == (0, 3)


def test_where_nothing_is_shared_any_undecided_pair_will_do(space):
    node = FakeNode(space, [[0], [1]], [0.5, 1.0], Decisions().part(0, 1))
    assert pair_to_branch_on(node) == (0, 2)


def test_without_a_relaxation_there_is_no_pair(space):
    node = FakeNode(space, [], [])
    node.relaxed = None
    assert pair_to_branch_on(node) is None
