"""How long a verification may take and how much memory it may use."""

from numbers import Real
from time import perf_counter

from oneformany.exceptions import InputError

GIGABYTE = 10**9


class NotConfirmedError(Exception):
    """A claim that is neither confirmed nor wrong, and why."""


class Limits:
    """The clock, in seconds from now on, and what arrays may add up to, in gigabytes; ``None``: no limit.

    Memory is counted before it is used: a file that asks for too much never gets it.
    """

    def __init__(self, time_limit: float | None = None, memory_limit: float | None = None) -> None:
        given = (("time_limit", time_limit, "seconds"), ("memory_limit", memory_limit, "gigabytes"))
        for name, limit, unit in given:
            if limit is not None and not (isinstance(limit, Real) and limit >= 0):  # NaN is not either
                raise InputError(f"{name} is {limit!r}; give {unit}, 0 or more, or None for no limit")
        self._seconds = float("inf") if time_limit is None else time_limit
        self._bytes = float("inf") if memory_limit is None else memory_limit * GIGABYTE
        self._end = perf_counter() + self._seconds
        self._held = 0

    def check(self) -> None:
        """Stop when the time is over."""
        if perf_counter() > self._end:
            raise NotConfirmedError(
                f"too large to check within {self._seconds:g} s; raise the time limit to go on"
            )

    def need(self, size: int, what: str) -> None:
        """Stop before an array of so many bytes is made that would exceed the memory."""
        if self._held + size > self._bytes:
            needed, allowed = (self._held + size) / GIGABYTE, self._bytes / GIGABYTE
            raise NotConfirmedError(
                f"too large to check: {what} would need {needed:.3g} GB, {allowed:g} GB are allowed; "
                "raise the memory limit to go on"
            )

    def hold(self, size: int, what: str) -> None:
        """Count what is kept to the end."""
        self.need(size, what)
        self._held += size

    def most_bytes(self) -> int:
        """How much of a file may be read; so much would be too much already."""
        return -1 if self._bytes == float("inf") else int(self._bytes) + 1
