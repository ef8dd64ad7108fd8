"""When to end early: limits on time, rounds and columns, asked as one question."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from time import monotonic
from types import FrameType

from oneformany.exceptions import InputError

__all__ = ["Stop"]


class Stop:
    """Says when a run should end with what it has; no limit means never.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now.
    rounds : int or None
        Rounds of column generation.
    columns : int or None
        Columns in the master, which limits memory.
    clock : callable
        Seconds on a clock that never goes back.

    Examples
    --------
    >>> stop = Stop(rounds=100)
    >>> stop(rounds=99), stop(rounds=100)
    (False, True)
    """

    def __init__(
        self,
        time_limit: float | None = None,
        rounds: int | None = None,
        columns: int | None = None,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        if time_limit is not None and not (isinstance(time_limit, Real) and time_limit >= 0):
            raise InputError(f"time_limit is {time_limit!r}; give seconds, 0 or more, or None for no limit")
        for name, limit in (("rounds", rounds), ("columns", columns)):
            if limit is not None and not (isinstance(limit, Integral) and limit >= 0):
                raise InputError(f"{name} is {limit!r}; give a whole number, 0 or more, or None for no limit")
        self.time_limit = time_limit
        self.rounds = math.inf if rounds is None else rounds
        self.columns = math.inf if columns is None else columns
        self._clock = clock
        self._start = clock()
        self.interrupted = False

    def __call__(self, rounds: int = 0, columns: int = 0) -> bool:
        """Whether any limit is reached after so many rounds and with so many columns."""
        return rounds >= self.rounds or columns >= self.columns or self.expired()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def remaining(self) -> float:
        """Seconds left, never below 0; infinity without a time limit."""
        return math.inf if self.time_limit is None else max(0.0, self.time_limit - self.elapsed())

    def expired(self) -> bool:
        """Whether the time is up or somebody interrupted."""
        return self.interrupted or self.remaining() <= 0

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """Let Ctrl-C end the run with what it has; a second one is raised as usual."""

        def note(_signal: int, _frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
