"""When to end early: a time limit and Ctrl-C, asked as one question."""

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from time import monotonic
from types import FrameType

from oneformany.exceptions import InputError


class Stop:
    """Says when a run should end with what it has; no limit means never.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now.
    clock : callable
        Seconds on a clock that never goes back.

    Attributes
    ----------
    interrupted : bool
        Whether somebody pressed Ctrl-C.
    root : Stop
        The run that this is a part of, or this itself.
    cut : bool
        Of a run: whether it was told that its time, or that of a part, is up.
    limits : list of str
        What else kept a part of the run from its end, such as "memory" or "nodes"; shared with all parts.

    Examples
    --------
    >>> Stop(0).expired(), Stop(60).expired(), Stop().expired()
    (True, False, False)
    """

    def __init__(self, time_limit: float | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        if time_limit is not None and not (isinstance(time_limit, Real) and time_limit >= 0):
            raise InputError(f"time_limit is {time_limit!r}; give seconds, 0 or more, or None for no limit")
        self.time_limit, self._clock, self._start = time_limit, clock, clock()
        self._whole: Stop | None = None
        self.root, self.cut = self, False
        self.interrupted = False
        self.limits: list[str] = []

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def remaining(self) -> float:
        """Seconds left, never below 0; infinity without a time limit."""
        return math.inf if self.time_limit is None else max(0.0, self.time_limit - self.elapsed())

    def expired(self) -> bool:
        """Whether the time is up or somebody interrupted."""
        over = self.interrupted or self.remaining() <= 0 or bool(self._whole and self._whole.expired())
        if over:
            self.root.cut = True
        return over

    def met(self, limit: str) -> None:
        """Note a limit other than time, once, however often it is met."""
        if limit not in self.limits:
            self.limits.append(limit)

    @property
    def cut_by_time(self) -> bool:
        """Whether the time limit, or a share of it, kept the run from something; not where none was given.

        Where another limit was met, a share that was used up proves nothing about what was lacking.
        """
        run = self.root
        return run.expired() or (run.time_limit is not None and run.cut and not run.limits)

    def part(self, seconds: float) -> "Stop":
        """End after so many seconds, or when this does, whichever comes first."""
        part = Stop(min(seconds, self.remaining()) if math.isfinite(seconds) else None, clock=self._clock)
        part._whole, part.root, part.limits = self, self.root, self.limits
        return part

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
