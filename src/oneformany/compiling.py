"""Seconds that go into compiling, which is done once on a machine: no time limit counts them."""

from collections.abc import Callable
from threading import RLock
from time import monotonic


class Compiling:
    """Adds up how long something was compiled; what is compiled on the way to something else counts once.

    Examples
    --------
    >>> clock = iter([10.0, 11.0, 13.0, 18.0])
    >>> compiling = Compiling(lambda: next(clock))
    >>> compiling.begin(); compiling.begin(); compiling.end()
    >>> compiling.seconds, compiling.end(), compiling.seconds
    (1.0, None, 3.0)
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock, self._depth = clock, RLock(), 0
        self._since, self._before = 0.0, 0.0

    def begin(self) -> None:
        """Something begins to be compiled."""
        with self._lock:
            if not self._depth:
                self._since = self._clock()
            self._depth += 1

    def end(self) -> None:
        """It is compiled."""
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self._before += self._clock() - self._since

    @property
    def seconds(self) -> float:
        """So far, in this process."""
        with self._lock:
            return self._before + (self._clock() - self._since if self._depth else 0.0)

    def told(self, since: float = 0.0) -> str:
        """Say how long it took, beyond so many seconds before; nothing where that is not felt."""
        spent = self.seconds - since
        return f"compiling, once: {spent:.0f} s" if spent >= FELT else ""


FELT = 1.0  # seconds: less is what everything else varies by
COMPILING = Compiling()
"""Of this process."""


def working_time() -> float:
    """Seconds on a clock that never goes back, and stands still while something is compiled."""
    return monotonic() - COMPILING.seconds
