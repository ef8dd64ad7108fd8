"""What a listing says when it may not finish, and what it costs to ask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.listing.sharing_problems import KINDS, draw_oracle, draw_problem
from engine.problems import random_additive
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.sources.estimates import estimated
from oneformany.memory import Memory
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem
from oneformany.stop import Stop

SHARES = ("point", "action", "features")


class Clock:
    """Goes on by one second whenever it is read."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        self.seconds += 1.0
        return self.seconds


def sets_of(table):
    return {table.group(column).tobytes() for column in range(len(table))}


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
def test_when_time_is_up_nothing_is_claimed_that_was_not_looked_at(kind, share):
    for seed in range(20):
        problem = draw_problem(np.random.default_rng(seed), kind, share)
        whole = list_columns(problem)
        for seconds in (0, 3, 6, 12):
            part = list_columns(problem, stop=Stop(time_limit=seconds, clock=Clock()))
            assert not (part.unreachable & whole.reachable).any()
            assert not (part.reachable & whole.unreachable).any()
            assert not (part.reachable & part.unreachable).any()
            if part.table.complete:
                assert (part.reachable | part.unreachable).all()
                assert sets_of(whole.table) <= sets_of(part.table)


def test_without_any_time_rows_that_gains_cannot_exclude_are_undecided():
    problem = random_additive(np.random.default_rng(0))
    listing = list_columns(problem, stop=Stop(time_limit=0))
    assert not (listing.reachable | listing.unreachable).any()
    assert not listing.table.complete
    assert len(listing.table) == 0


@pytest.mark.parametrize("share", SHARES)
def test_a_listing_that_outgrows_its_memory_is_not_complete(share):
    problem = replace(random_additive(np.random.default_rng(1)), share=share)
    listing = list_columns(problem, stop=Stop(memory=Memory(1_600)), costed=True)
    assert not listing.table.complete
    assert not listing.unreachable.any()


@pytest.mark.parametrize("costed", [False, True])
@pytest.mark.parametrize("share", SHARES)
def test_threads_change_nothing(share, costed):
    problem = replace(random_additive(np.random.default_rng(2), rows=60), share=share)
    one, two = (list_columns(problem, costed=costed, threads=threads).table for threads in (1, 2))
    for name in ("starts", "rows", "costs", "changed", "targets"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_many_features_of_many_levels_are_told_apart():
    levels = (50,) * 30
    rng = np.random.default_rng(4)
    codes = rng.integers(levels, size=(5, 30))
    oracle = BlackBoxOracle(lambda points: np.where(points[:, 29] == 7, 0.9, 0.1), levels)
    listing = list_columns(Problem(codes, levels, oracle, 1, share="action"))
    assert listing.reachable.all()
    assert listing.table.starts.tolist() == [0, 5]
    assert listing.table.targets[0, 29] == 7


def test_asking_counts_for_more_than_adding():
    rng = np.random.default_rng(6)
    codes = rng.integers(3, size=(20, 4))
    oracles = (draw_oracle(rng, kind, (3,) * 4) for kind in ("additive", "black box"))
    problems = (Problem(codes, (3,) * 4, oracle, 2, share="action") for oracle in oracles)
    adding, asking = (estimated(Ground.of(problem)).too_much(3.5e6) for problem in problems)
    assert asking
    assert not adding
