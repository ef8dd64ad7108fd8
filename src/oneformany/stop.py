"""When to end early: a time limit and Ctrl-C, asked as one question."""

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from time import thread_time
from types import FrameType

from oneformany.compiling import COMPILING, working_time
from oneformany.exceptions import Argument, InputError
from oneformany.memory import Memory

# How much slower than the clock on the wall a patient clock may go: so long is half a second of work waited
# for where six others share the processor, and a function that sleeps meanwhile
SLOWER = 6


def patient_clock() -> Callable[[], float]:
    """A clock that goes on while this thread works, and slowly while others have the processor.

    Examples
    --------
    >>> clock = patient_clock()
    >>> before, after = clock(), clock()
    >>> before <= after
    True
    """
    compiled, worked, begin = COMPILING.seconds, thread_time(), working_time()
    return lambda: max(
        thread_time() - worked - (COMPILING.seconds - compiled), (working_time() - begin) / SLOWER
    )


class Stop:
    """Says when a run should end with what it has; no limit means never.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now.
    clock : callable
        Seconds on a clock that never goes back; by default one that stands still while something is compiled,
        which happens once on a machine.
    memory : Memory, optional
        The account of the run's large arrays.

    Attributes
    ----------
    root : Stop
        The run that this is a part of, or this itself.
    cut : bool
        Of a run: whether it was told that its time, or that of a part, is up.
    limits : list of str
        What else kept a part of the run from its end, such as "memory" or "nodes"; shared with all parts.
    memory : Memory
        The account of the run's large arrays; shared with all parts.

    Examples
    --------
    >>> Stop(0).expired(), Stop(60).expired(), Stop().expired()
    (True, False, False)
    """

    def __init__(
        self,
        time_limit: float | None = None,
        *,
        clock: Callable[[], float] = working_time,
        memory: Memory | None = None,
    ) -> None:
        if time_limit is not None and not _is_time(time_limit):
            raise InputError(
                Argument("time_limit", bare=True), f" is {time_limit!r}; give seconds, 0 or more"
            )
        self.time_limit, self._clock, self._start = time_limit, clock, clock()
        self._compiled = COMPILING.seconds
        self._whole: Stop | None = None
        self.root, self.cut = self, False
        self._interrupted = self._as_usual = False
        self.limits: list[str] = []
        self.memory = memory or Memory()

    @property
    def interrupted(self) -> bool:
        """Whether somebody pressed Ctrl-C, here or in the run that this one is a part of."""
        return self._interrupted or bool(self._whole and self._whole.interrupted)

    @interrupted.setter
    def interrupted(self, value: bool) -> None:
        self._interrupted = value

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    @property
    def compiling(self) -> float:
        """Seconds since the start that went into compiling, which the clock does not count."""
        return COMPILING.seconds - self._compiled

    def remaining(self) -> float:
        """Seconds left, never below 0; infinity without a time limit."""
        return math.inf if self.time_limit is None else max(0.0, self.time_limit - self.elapsed())

    def expired(self) -> bool:
        """Whether the time is up or somebody interrupted."""
        over = self.interrupted or self.remaining() <= 0
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
        left = min(seconds, self.remaining())
        part = Stop(left if math.isfinite(left) else None, clock=self._clock, memory=self.memory)
        part._whole, part.root, part.limits = self, self.root, self.limits
        return part

    def at_least(self, seconds: float) -> "Stop":
        """End when this does, but not before so many seconds from now, unless an interrupt comes first."""
        left = 0.0 if self.interrupted else self.remaining()
        until = max(left, seconds) if math.isfinite(left) else None
        longer = Stop(until, clock=self._clock, memory=self.memory)
        longer._whole = None if self.interrupted else self
        return longer

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """Inside, Ctrl-C only notes that the run is to end with what it has; a second one is raised.

        A run within another one ends with it: the outer one is told. Python tells its main thread only, so
        in other threads nothing changes, nor where interrupts are ignored or are not in the hands of Python.
        """
        before = signal.getsignal(signal.SIGINT)
        outer = getattr(before, "__self__", None)
        told = threading.current_thread() is threading.main_thread()
        if told and isinstance(outer, Stop) and outer is not self:
            self._whole = self._whole or outer
        if not told or isinstance(outer, Stop) or before in (signal.SIG_IGN, None):
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def nothing_yet(self) -> Iterator[None]:
        """Inside, Ctrl-C is raised as usual: there is nothing to end with."""
        self._as_usual = True
        try:
            yield
        finally:
            self._as_usual = False

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self._interrupted or self._as_usual:
            raise KeyboardInterrupt
        self._interrupted = True


def _is_time(seconds: object) -> bool:
    """Whether it can be counted down; infinity can, and an integer of 400 digits cannot."""
    if not isinstance(seconds, Real) or isinstance(seconds, bool):
        return False
    try:
        return float(seconds) >= 0
    except OverflowError:
        return False
