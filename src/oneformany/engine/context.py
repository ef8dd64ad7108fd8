"""What all parts of one run share, none of which changes: the question, the limits, who listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from oneformany.engine.options import Options
from oneformany.engine.table.options import Search
from oneformany.exceptions import InputError
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.schema.feature import is_integer
from oneformany.statistics import Measure, Round, Statistics
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class Context:
    """One question and how it is to be answered.

    Whoever works on it is given the context; what is found and proved on the way is in a
    :class:`~oneformany.engine.standing.Standing`, and the columns are in a source.

    Attributes
    ----------
    problem : Problem
        What is asked.
    goal : Goal
        What an answer should achieve.
    stop : Stop
        The clock; a part of a run is given a part of it.
    options : Options
        Switches.
    statistics : Statistics
        Rounds, seconds and counts: the only thing here that is written to.
    progress : callable or None
        Is told each round.
    seed : int
        For every random choice.

    Examples
    --------
    >>> from oneformany import AdditiveOracle
    >>> oracle = AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> run = Context(Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> run.report("start", columns=1, value=1.0, standing=(1, 0))
    >>> run.statistics.rounds[0].count
    1
    """

    problem: Problem
    goal: Goal = field(default_factory=Goal)
    stop: Stop = field(default_factory=Stop)
    options: Options = field(default_factory=Options)
    statistics: Statistics = field(default_factory=Statistics)
    progress: Callable[[Round], None] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not is_integer(self.seed, 0):
            raise InputError(f"seed is {self.seed!r}; it must be an integer of at least 0")

    @property
    def cheaply(self) -> bool:
        """Whether least cost is asked for: costs or a goal are given, or rows need not share a point."""
        if self.options.least_cost is not None:
            return self.options.least_cost
        return self.goal.limited or self.problem.cost_matters

    def report(
        self,
        phase: str,
        columns: int,
        value: float,
        standing: tuple[int, int],
        measure: Measure = "explanations",
    ) -> None:
        """Record a round and tell whoever listens: what stands, and what is proved about it."""
        count, bound = standing
        number, seconds = len(self.statistics.rounds) + 1, self.stop.root.elapsed()
        step = Round(phase, number, columns, value, bound, count, seconds, measure)
        step = self.statistics.record(step)
        if self.progress is not None:
            self.progress(step)

    @contextmanager
    def searching(self, phase: str, tell: Callable[[str, int, int], None]) -> Iterator[Search]:
        """What a search over a table is given; its time and its counts go into the statistics."""
        search = Search(self.stop, self.options.table, tell, seed=self.seed)
        with self.statistics.timed(phase):
            yield search
        for name, number in search.counters.items():
            self.statistics.count(name, number)
