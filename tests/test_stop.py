"""Tests that limits end a run when they should, and only then."""

import math

import numpy as np
import pytest

from oneformany.exceptions import InputError
from oneformany.stop import Stop


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_without_limits_it_never_stops():
    stop = Stop()
    assert not stop(rounds=10**9, columns=10**9)
    assert not stop.expired()
    assert stop.remaining() == math.inf


def test_time_runs_out_and_never_below_zero():
    clock = Clock()
    stop = Stop(2.0, clock=clock)
    assert stop.remaining() == 2.0
    clock.now += 1.5
    assert (stop.remaining(), stop.elapsed(), stop.expired(), stop()) == (0.5, 1.5, False, False)
    clock.now += 1.0
    assert (stop.remaining(), stop.expired(), stop()) == (0.0, True, True)


def test_rounds_and_columns_are_limits_of_their_own():
    stop = Stop(rounds=3, columns=np.int64(50))
    assert not stop(rounds=2, columns=49)
    assert stop(rounds=3)
    assert stop(columns=50)
    assert not stop.expired()


@pytest.mark.parametrize("limit", [-1, math.nan, "5"])
def test_a_time_limit_that_is_no_time_is_refused(limit):
    with pytest.raises(InputError, match="time_limit"):
        Stop(limit)


@pytest.mark.parametrize("limit", [-1, 2.5, "5"])
def test_limits_that_are_no_whole_numbers_are_refused(limit):
    with pytest.raises(InputError, match="rounds"):
        Stop(rounds=limit)
    with pytest.raises(InputError, match="columns"):
        Stop(columns=limit)
