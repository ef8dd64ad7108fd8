"""Groups inside others are dropped, and only those."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.problems import random_additive
from engine.run_of import run_of
from oneformany.engine.pricing.space import Decisions, Items
from oneformany.engine.tree.column_generation import Node
from oneformany.engine.tree.enumeration import CoreColumns, without_subsets
from oneformany.methods import solve
from oneformany.stop import Stop


@settings(deadline=None)
@given(groups=st.lists(st.sets(st.integers(0, 6), min_size=1), max_size=15))
def test_only_groups_inside_others_are_dropped(groups):
    kept = without_subsets([np.array(sorted(group), dtype=np.int64) for group in groups], Stop())
    for index, group in enumerate(groups):
        assert index in kept or any(group <= groups[k] for k in kept)
    for a, b in combinations(kept, 2):
        assert not groups[a] <= groups[b]
        assert not groups[b] <= groups[a]


def test_when_time_is_up_there_is_no_list():
    assert without_subsets([np.array([0])], Stop(0)) is None


def settled(seed):
    problem = random_additive(np.random.default_rng(seed), rows=30, features=7, max_changes=3)
    run = run_of(problem)
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    return problem, run, node


@pytest.mark.parametrize("seed", range(4))
def test_what_is_offered_covers_every_row_and_is_never_smaller_than_the_optimum(seed):
    problem, run, node = settled(seed)
    before = run.count
    CoreColumns(node).walk(node.bound, 1_000)
    covered = np.zeros(len(run.space.rows), dtype=bool)
    for column in run.best:
        covered[column.rows] = True
        assert problem.oracle.positive(column.point[None])[0]
    assert covered.all()
    assert solve(problem).count <= run.count <= before
