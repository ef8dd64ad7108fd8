"""What happened, round by round: plain records for the result, the log and the tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal

from oneformany.plain import Plain

__all__ = ["Round", "Statistics"]

Measure = Literal["explanations", "people", "cost"]


@dataclass(frozen=True)
class Round(Plain):
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
        The best that is proved so far: no fewer explanations, no more people, or no less cost.
    count : int
        Explanations in the best solution so far.
    seconds : float
        Since the start.
    measure : {"explanations", "people", "cost"}
        What count, value and bound are about: the fewest explanations, the most rows that some explanations
        cover, or the least cost.

    Examples
    --------
    >>> Round("pricing", 3, columns=40, value=5.5, bound=4, count=6, seconds=0.2).bound
    4
    """

    phase: str
    number: int
    columns: int
    value: float
    bound: int
    count: int
    seconds: float
    measure: Measure = "explanations"

    @property
    def gap(self) -> float:
        """Relative distance of count and bound."""
        most = max(self.count, self.bound)
        return abs(self.count - self.bound) / most if most else 0.0


@dataclass
class Statistics(Plain):
    """Collected while the engine runs.

    Attributes
    ----------
    rounds : list of Round
        One record per step.
    timings : dict
        Seconds per phase.
    counters : dict
        Search nodes, columns, questions to the classifier and the like.
    decisions : list of str
        Where columns came from, and why, in words.
    notes : list of str
        What was left out because it was too much, in words.
    limits : list of str
        Limits other than time that kept a search from its end, each by one word, such as "memory".

    Examples
    --------
    >>> statistics = Statistics()
    >>> statistics.count("questions", 3)
    >>> statistics.counters["questions"]
    3
    """

    rounds: list[Round] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    decisions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)

    def record(self, step: Round) -> Round:
        """Add a round; what was proved earlier about its measure stays proved, whatever begins anew.

        Parameters
        ----------
        step : Round
            The state, with the bound of the search under way.

        Returns
        -------
        Round
            With the best bound of all.
        """
        best = min if step.measure == "people" else max
        known = (earlier.bound for earlier in reversed(self.rounds) if earlier.measure == step.measure)
        step = replace(step, bound=best(next(known, step.bound), step.bound))
        self.rounds.append(step)
        return step

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    def spend(self, phase: str, seconds: float) -> None:
        """Add seconds to a phase."""
        self.timings[phase] = self.timings.get(phase, 0.0) + seconds

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time of a block to a phase."""
        start = perf_counter()
        try:
            yield
        finally:
            self.spend(phase, perf_counter() - start)
