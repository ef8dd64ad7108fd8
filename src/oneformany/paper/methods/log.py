"""What the paper's methods start from, and what they tell while they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oneformany.paper.methods.embeddings.base import Embedding
from oneformany.paper.methods.initial import Initial
from oneformany.paper.methods.model import Solver
from oneformany.statistics import Round, Statistics
from oneformany.stop import Stop

__all__ = ["Log", "Start"]


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


@dataclass(frozen=True, eq=False)
class Start:
    """A first solution, and everything that a method needs to improve it."""

    initial: Initial
    embedding: Embedding
    solver: Solver
    stop: Stop
    log: Log
    seed: int
