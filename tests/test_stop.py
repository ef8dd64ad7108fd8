"""Tests that limits end a run when they should, and only then."""

import math
import signal
from importlib import import_module

import numba
import pytest

from oneformany.compiling import COMPILING, Compiling
from oneformany.exceptions import InputError
from oneformany.stop import SLOWER, Stop, patient_clock


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_without_limits_it_never_stops():
    stop = Stop()
    assert not stop.expired()
    assert stop.remaining() == math.inf


def test_time_runs_out_and_never_below_zero():
    clock = Clock()
    stop = Stop(2.0, clock=clock)
    assert stop.remaining() == 2.0
    clock.now += 1.5
    assert (stop.remaining(), stop.elapsed(), stop.expired()) == (0.5, 1.5, False)
    clock.now += 1.0
    assert (stop.remaining(), stop.expired()) == (0.0, True)


@pytest.mark.parametrize("limit", [-1, math.nan, "5"])
def test_a_time_limit_that_is_no_time_is_refused(limit):
    with pytest.raises(InputError, match="time_limit"):
        Stop(limit)


def test_an_interrupt_ends_it_and_a_second_one_is_raised():
    stop = Stop()
    with stop.on_interrupt():
        signal.raise_signal(signal.SIGINT)
        assert stop.expired()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_part_ends_by_itself_or_with_the_whole():
    now = [0.0]
    whole = Stop(10, clock=lambda: now[0])
    short, endless = whole.part(3), whole.part(float("inf"))
    assert whole.part(100).remaining() == 10
    now[0] = 4.0
    assert (short.expired(), endless.expired(), whole.expired()) == (True, False, False)
    whole.interrupted = True
    assert endless.expired()


def test_a_run_within_a_run_learns_of_the_interrupt_of_the_outer_one():
    outer, inner = Stop(), Stop()
    with outer.on_interrupt(), inner.on_interrupt():
        signal.raise_signal(signal.SIGINT)
    late = Stop()
    with outer.on_interrupt(), late.on_interrupt():
        assert (outer.interrupted, inner.interrupted, late.expired()) == (True, True, True)


def test_what_is_said_beside_an_answer_has_the_time_left_and_at_least_a_moment():
    now = [0.0]
    stop, endless = Stop(10, clock=lambda: now[0]), Stop()
    assert (stop.at_least(1).remaining(), endless.at_least(1).remaining()) == (10, math.inf)
    now[0] = 9.5
    assert stop.at_least(1).remaining() == 1
    endless.interrupted = True
    assert endless.at_least(1).time_limit == 1


def test_what_is_said_beside_an_answer_ends_with_an_interrupt_that_comes_meanwhile():
    stop = Stop()
    beside = stop.at_least(1)
    stop.interrupted = True
    assert beside.expired()


def test_a_handler_that_is_not_of_python_stays(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with Stop().on_interrupt(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_a_time_limit_does_not_count_what_is_compiled(monkeypatch):
    """Five seconds of compiling in a run of two leave it one."""
    now = [100.0]
    compiling = Compiling(lambda: now[0])
    monkeypatch.setattr("oneformany.compiling.COMPILING", compiling)
    monkeypatch.setattr("oneformany.stop.COMPILING", compiling)
    monkeypatch.setattr("oneformany.compiling.monotonic", lambda: now[0])
    stop = Stop(2.0)
    now[0] += 1.0
    compiling.begin()
    now[0] += 5.0
    assert (stop.remaining(), stop.compiling) == (1.0, 5.0)
    compiling.end()
    assert (stop.elapsed(), stop.expired()) == (1.0, False)
    now[0] += 1.0
    assert stop.expired()
    assert compiling.told() == "compiling, once: 5 s"
    assert not compiling.told(since=4.5)


def test_numba_tells_when_it_compiles():
    """A new function, of which nothing is kept on disk, is compiled when it is called first."""
    import_module("oneformany.compiled")

    @numba.njit
    def double(number):
        return 2 * number

    before = COMPILING.seconds
    assert double(2) == 4
    after = COMPILING.seconds
    assert after > before
    assert double(3) == 6
    assert COMPILING.seconds == after


def test_where_there_is_nothing_yet_an_interrupt_is_raised_and_later_noted_again():
    stop = Stop()
    with stop.on_interrupt():
        with stop.nothing_yet(), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not stop.interrupted
        signal.raise_signal(signal.SIGINT)
        assert stop.interrupted


def test_a_patient_clock_goes_on_with_the_work_and_slowly_without(monkeypatch):
    worked, passed = [5.0], [100.0]
    monkeypatch.setattr("oneformany.stop.thread_time", lambda: worked[0])
    monkeypatch.setattr("oneformany.stop.working_time", lambda: passed[0])
    clock = patient_clock()
    stop = Stop(1.0, clock=clock)
    worked[0], passed[0] = 5.9, 101.0
    assert not stop.expired()
    worked[0] = 6.0
    assert stop.expired()
    waiting = Stop(1.0, clock=patient_clock())
    passed[0] += SLOWER
    assert waiting.expired()
