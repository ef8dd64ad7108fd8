"""What happened, round by round: plain records for the result, the log and the tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Round", "Statistics"]


@dataclass(frozen=True)
class Round:
    """The state after one step of the engine.

    Attributes
    ----------
    phase : str
        "start", "columns" (column generation), "cover" (set cover), "enumerate" or "branch".
    number : int
        Running number of the step.
    columns : int
        Columns in the master.
    value : float
        Value of the relaxation; not a bound before it is proved.
    bound : int
        Proved lower bound on the number of explanations so far.
    count : int
        Explanations in the best solution so far.
    seconds : float
        Since the start.
    """

    phase: str
    number: int
    columns: int
    value: float
    bound: int
    count: int
    seconds: float

    @property
    def gap(self) -> float:
        """Relative distance of count and bound."""
        return (self.count - self.bound) / self.count if self.count else 0.0


@dataclass
class Statistics:
    """Collected while the engine runs.

    Attributes
    ----------
    rounds : list of Round
        One record per step.
    timings : dict
        Seconds per phase.
    counters : dict
        Search nodes, columns, questions to the classifier and the like.
    """

    rounds: list[Round] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    def spend(self, phase: str, seconds: float) -> None:
        """Add seconds to a phase."""
        self.timings[phase] = self.timings.get(phase, 0.0) + seconds

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Statistics:
        """Rebuild from :meth:`to_dict`."""
        return cls(
            rounds=[Round(**record) for record in data.get("rounds", [])],
            timings=dict(data.get("timings", {})),
            counters=dict(data.get("counters", {})),
        )
