"""Whether rows can be helped one by one, for classifiers that have to be asked."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from engine.problems import Shrugging, Veiled, oracle_of, problem_of
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.reaching import reach_rows
from oneformany.engine.screening import screen
from oneformany.statistics import Statistics
from oneformany.stop import Stop
from strategies import small_problems


def reached(problem, stop=None):
    ground, stop = Ground.of(problem), stop or Stop()
    return reach_rows(ground, Batches(ground, stop), np.arange(len(problem.rows)), stop)


@settings(max_examples=40, deadline=None)
@given(small=small_problems())
def test_every_row_gets_a_change_that_is_accepted_or_a_proof_also_where_the_oracle_shrugs(small):
    truth = screen(problem_of(small), Statistics())
    for oracle in (Veiled(oracle_of(small)), Shrugging(oracle_of(small))):
        problem = problem_of(small, oracle)
        found = reached(problem)
        assert np.flatnonzero(found.reachable).tolist() == truth.helpable.tolist()
        assert (found.unreachable == ~found.reachable).all()
        rows, ends = problem.rows[found.reachable], found.cells[found.reachable]
        if len(rows):
            assert problem.oracle.positive(ends).all()
            assert ((rows != ends).sum(axis=1) <= problem.max_changes).all()
            assert problem.may_move(rows, ends).all()


@settings(max_examples=20, deadline=None)
@given(small=small_problems())
def test_without_time_nothing_is_known(small):
    found = reached(problem_of(small, Veiled(oracle_of(small))), Stop(0))
    assert not found.reachable.any()
    assert not found.unreachable.any()
