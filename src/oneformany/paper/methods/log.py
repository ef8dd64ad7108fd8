"""What the paper's methods tell while they run."""

from __future__ import annotations

from collections.abc import Callable

from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

__all__ = ["Log"]


class Log:
    """Writes one record per step into the statistics and hands it to whoever watches."""

    def __init__(self, stop: Stop, progress: Callable[[Round], None] | None) -> None:
        self.statistics = Statistics()
        self._stop = stop
        self._progress = progress
        self._spent = 0.0

    def __call__(self, phase: str, *, columns: int, value: float, bound: int, count: int) -> None:
        """Record a step; the time since the last one goes to its phase."""
        seconds = self._stop.elapsed()
        self.statistics.spend(phase, seconds - self._spent)
        self._spent = seconds
        record = Round(phase, len(self.statistics.rounds), columns, value, bound, count, seconds)
        self.statistics.rounds.append(record)
        if self._progress is not None:
            self._progress(record)
