"""Covers among the columns of small reduced cost."""

from __future__ import annotations

import numpy as np
import pytest

from engine.problems import random_additive
from engine.run_of import run_of
from oneformany.engine.pricing.items import Decisions, Items
from oneformany.engine.tree.column_generation import Node
from oneformany.engine.tree.core import CoreColumns
from oneformany.methods import solve


def settled(seed):
    problem = random_additive(np.random.default_rng(seed), rows=30, features=7, max_changes=3)
    run = run_of(problem)
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    return problem, run, node


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("search", ["walk", "search", "search_around_shared"])
def test_what_is_offered_covers_every_row_and_is_never_smaller_than_the_optimum(seed, search):
    problem, run, node = settled(seed)
    before = run.count
    core = CoreColumns.wide(node)
    getattr(core, search)(node.bound, 1_000)
    covered = np.zeros(len(run.space.rows), dtype=bool)
    for column in run.best:
        covered[column.rows] = True
        assert problem.oracle.positive(column.point[None])[0]
    assert covered.all()
    assert solve(problem).count <= run.count <= before
