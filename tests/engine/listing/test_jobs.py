"""Jobs run in order, also beside each other, and end when time is up; groups pay for their targets."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.jobs import accepted_groups, priced, run
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop


def ground_of(rows):
    costs = Costs(([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [[0, 7], [7, 0]]))
    return Ground.of(Problem(rows, (3, 2), AdditiveOracle([[0, 1, 2], [0, 1]], threshold=2), 2, costs=costs))


@pytest.mark.parametrize("threads", [1, 3])
def test_jobs_are_done_in_order(threads):
    jobs = (partial(lambda number: [number], number) for number in range(50))
    assert list(run(jobs, Stop(), threads)) == [[number] for number in range(50)]


@pytest.mark.parametrize("threads", [1, 3])
def test_no_job_begins_after_an_interrupt(threads):
    stop, done = Stop(), []

    def job(number):
        done.append(number)
        stop.interrupted = stop.interrupted or number == 5
        return [number]

    found = list(run((partial(job, number) for number in range(1_000)), stop, threads))
    assert found[:6] == [[number] for number in range(6)]
    assert len(found) == len(done) < 30  # those that were under way are finished


def test_an_error_inside_a_job_is_raised():
    def job():
        raise ZeroDivisionError

    for threads in (1, 3):
        with pytest.raises(ZeroDivisionError):
            list(run(iter([job]), Stop(), threads))


def test_each_row_of_a_group_pays_for_the_targets_that_it_is_not_at():
    ground = ground_of([[0, 0], [1, 1], [2, 0]])
    starts, rows = np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32)
    found = priced(ground, np.array([0, 1]), starts, rows, np.array([[1, 1], [0, 0]], dtype=np.int32))
    assert found.costs.tolist() == [2 + 7, 0, 5]


@pytest.mark.parametrize(("least", "groups"), [(1, [[0, 1], [3], [2, 3]]), (2, [[0, 1], [2, 3]])])
def test_groups_are_those_of_a_bucket_that_accept_a_choice_if_they_are_large_enough(least, groups):
    ground = ground_of([[0, 0], [1, 0], [0, 1], [1, 1]])
    accepted = np.array([[True, False], [True, False], [False, True], [True, True]])
    features, choices = np.array([0]), np.array([[1], [2]])
    found = accepted_groups(
        ground, features, choices, accepted, np.arange(4, dtype=np.int32), np.array([0, 2, 4]), least
    )
    listed = [found.rows[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)]
    assert listed == groups
    assert found.targets[-1].tolist() == [2]
    assert found.costs[-2:].tolist() == [5, 1]
