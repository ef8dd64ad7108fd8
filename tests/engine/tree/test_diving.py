"""Tests that diving offers covers, never worse ones, and leaves the program as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.problems import parts_of, problem_of, random_additive
from engine.run_of import run_of
from oneformany.engine.pricing.items import Decisions, Items
from oneformany.engine.tree.column_generation import Node
from oneformany.engine.tree.diving import dive
from strategies import small_problems


@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_what_diving_offers_covers_every_row(small):
    problem = problem_of(small)
    assume(len(parts_of(problem)[1]))
    run = run_of(problem)
    before = run.count
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    dive(node)
    assert run.count <= before
    assert set(np.concatenate([column.rows for column in run.best]).tolist()) == set(
        range(len(run.space.rows))
    )


def test_the_program_demands_every_item_again_afterwards():
    run = run_of(random_additive(np.random.default_rng(5)))
    node = Node(run, Items(run.space, Decisions()))
    node.generate()
    value = node.relaxed.value
    dive(node)
    assert node.relax().value == pytest.approx(value, abs=1e-6)
    assert run.statistics.counters["diving steps"] >= 0
