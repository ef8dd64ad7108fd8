"""Whole curves instead of one answer: explanations against changes, people against explanations."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from operator import index
from time import perf_counter
from typing import TYPE_CHECKING, Literal, SupportsIndex

import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import usual_arithmetic
from oneformany.exceptions import Argument, InputError
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.problem import checked_problem
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.schema.schema import html_table
from oneformany.statistics import Round
from oneformany.stop import Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from oneformany.engine.context import Context
    from oneformany.engine.sources.protocol import ColumnSource
    from oneformany.explainer.explainer import OneForMany

Over = Literal["max_changes", "explanations"]
Start = tuple[Explanation, ...]
Told = Callable[[Round], None] | None
POINT_COLUMNS = ("asked", "value", "covered", "bound", "seconds")


@dataclass(frozen=True)
class FrontierPoint:
    """One point of a curve.

    Attributes
    ----------
    asked : int
        How many changes, or explanations, were allowed.
    value : int
        Explanations found, or people covered.
    bound : int
        Proved: no fewer explanations, or no more people.
    covered : int
        People covered.
    seconds : float
        What this point took.
    undecided : int
        Rows for which it is not known whether they can be helped.

    Examples
    --------
    >>> point = FrontierPoint(asked=2, value=4, bound=3, covered=10, seconds=0.1)
    >>> point.value - point.bound
    1
    """

    asked: int
    value: int
    bound: int
    covered: int
    seconds: float
    undecided: int = 0

    @property
    def proved(self) -> bool:
        """Whether value and bound meet, and every row is settled."""
        return self.value == self.bound and not self.undecided


@dataclass(frozen=True, eq=False)
class Frontier:
    """A curve: explanations against ``max_changes``, or people covered against ``explanations``.

    Attributes
    ----------
    over : {"max_changes", "explanations"}
        What grows from point to point.
    points : tuple of FrontierPoint
        From few to many.
    people : int
        How many were asked about.
    results : tuple of Result
        The answer behind each point.

    Examples
    --------
    >>> from oneformany.studies import FrontierPoint
    >>> Frontier("max_changes", (FrontierPoint(1, 4, 4, 10, 0.1),), people=10).people
    10
    """

    over: Over
    points: tuple[FrontierPoint, ...]
    people: int
    results: tuple[Result, ...] = ()

    @property
    def measure(self) -> str:
        """What is counted: "explanations", or "people"."""
        return "explanations" if self.over == "max_changes" else "people"

    def frame(self) -> pd.DataFrame:
        """One row per point: ``count`` (or ``covered``) is what was found, ``bound`` the proved side."""
        frame = pd.DataFrame([vars(point) for point in self.points], columns=list(POINT_COLUMNS))
        frame = frame.rename(columns={"asked": self.over, "value": "count"})
        return frame.drop(columns="count") if self.over == "explanations" else frame

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw what was found and the proved bound.

        Parameters
        ----------
        ax : Axes or None
            Where to draw.
        """
        drawn: Axes = import_module("oneformany.plotting").plot_frontier(self, ax)
        return drawn

    def _repr_html_(self) -> str:
        columns = (self.over.replace("_", " "), self.measure, "bound", "seconds", "proved")
        lines = (
            (p.asked, f"{p.value:,}", f"{p.bound:,}", f"{p.seconds:.1f}", "yes" if p.proved else "no")
            for p in self.points
        )
        return html_table(columns, lines)

    def __repr__(self) -> str:
        told = [f"{p.asked}: {p.value}" + f" (bound {p.bound})" * (p.value != p.bound) for p in self.points]
        return f"Frontier({self.measure} by {self.over}: {', '.join(told)})"


def frontier(
    problem: Problem,
    max_changes: Iterable[int] | int | None = None,
    explanations: Iterable[int] | int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
) -> Frontier:
    """Answer the same question for one number after another, each with its bound.

    Each run starts from the answer of the last.

    Parameters
    ----------
    problem : Problem
        Rows, classifier, allowed moves.
    max_changes : iterable of int, int or None
        How many features may change: the fewest explanations for each of these. One integer stands for
        all from 1 to it.
    explanations : iterable of int, int or None
        How many explanations may be used: the most people that each of these numbers covers. One integer
        stands for all from 1 to it, or to the number of rows. Without either, ``max_changes`` from 1 to that
        of the problem.
    time_limit : float or None
        Seconds for the whole curve.
    progress : callable or None
        Receives a :class:`~oneformany.statistics.Round` after each step.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    >>> problem = ofm.Problem([[0, 0, 1], [1, 0, 0], [0, 1, 0]], (2, 2, 2), oracle, max_changes=3)
    >>> frontier(problem)
    Frontier(explanations by max_changes: 1: 3, 2: 2, 3: 1)
    >>> frontier(replace(problem, max_changes=1), explanations=[1, 2])
    Frontier(people by explanations: 1: 1, 2: 2)
    """
    checked_problem(problem)
    if max_changes is not None and explanations is not None:
        raise InputError("give max_changes or explanations: a curve is over one of them")
    stop = Stop(time_limit)
    with stop.on_interrupt(), usual_arithmetic():
        return _curve(problem, max_changes, explanations, stop, progress)


def _curve(
    problem: Problem,
    max_changes: Iterable[int] | int | None,
    explanations: Iterable[int] | int | None,
    stop: Stop,
    progress: Told,
) -> Frontier:
    """Answer for one number after another, up to the first that is interrupted."""
    over: Over = "max_changes" if explanations is None else "explanations"
    if explanations is None:
        asked = problem.max_changes if max_changes is None else max_changes
        numbers = _numbers(over, asked, problem.n_features)
        answer = partial(_fewest, problem, progress)
    else:
        numbers = _numbers(over, explanations, len(problem.codes))
        answer = partial(_most, *_opened(problem, numbers[0], stop, progress))
    results: list[Result] = []
    points: list[FrontierPoint] = []
    for done, number in enumerate(numbers):  # each within an even part of the time left, from the last answer
        begin = perf_counter()
        limit = None if stop.time_limit is None else stop.remaining() / (len(numbers) - done)
        found = answer(number, limit, results[-1].explanations if results else ())
        value, bound, undecided = found.count, found.lower_bound, len(found.undecided)
        if over == "explanations":
            value, undecided = found.covered, 0
            bound = found.people if found.covered_bound is None else found.covered_bound
        took = perf_counter() - begin
        results.append(found)
        points.append(FrontierPoint(number, value, bound, found.covered, took, undecided))
        if stop.interrupted:
            break
    return Frontier(over, tuple(points), int(problem.multiplicity.sum()), tuple(results))


def frontier_of_frame(
    explainer: "OneForMany",
    frame: AnyFrame,
    max_changes: Iterable[int] | int | None = None,
    explanations: Iterable[int] | int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Round], None] | None = None,
) -> Frontier:
    """Pose the question of an explainer about the refused rows of a frame, and draw its curve.

    Parameters
    ----------
    explainer : OneForMany
        Model, rules, sharing.
    frame : frame
        The rows; those that are positive already are set aside.
    max_changes, explanations, time_limit, progress
        As in :func:`frontier`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from oneformany import OneForMany
    >>> frame = pd.DataFrame({"job": [0, 0, 1, 1], "rooms": [1, 2, 1, 2]})
    >>> model = LogisticRegression(C=100).fit(frame, [0, 0, 0, 1])
    >>> [point.value for point in frontier_of_frame(OneForMany(model, max_changes=2), frame).points]
    [2, 1]
    """
    stop = Stop(time_limit)
    with stop.on_interrupt():
        problem = checked_explainer(explainer).problem(frame)
        left = None if time_limit is None else stop.remaining()
        return frontier(problem, max_changes, explanations, left, progress)


def checked_explainer(given: "OneForMany") -> "OneForMany":
    """Refuse what is not an explainer, such as its class."""
    if isinstance(given, type) or not hasattr(given, "problem"):
        name = getattr(given, "__name__", type(given).__name__)
        raise InputError(f"an explainer is needed: OneForMany(model), not {name} itself")
    return given


def _numbers(name: str, given: Iterable[int] | int, most: int) -> list[int]:
    try:
        last = most + (name == "max_changes")  # one explanation per row; one change too many is an error
        asked = range(1, min(index(given), last) + 1) if isinstance(given, SupportsIndex) else given
        numbers = sorted({index(number) for number in asked})
    except TypeError as error:
        raise InputError(
            Argument(name, bare=True),
            f" is {given!r}; give integers such as [1, 2, 4], or one integer for all from 1 to it",
        ) from error
    if not numbers or numbers[0] < 1 or (name == "max_changes" and numbers[-1] > most):
        ends = f"from 1 to {most}, the number of features" if name == "max_changes" else "of at least 1"
        raise InputError(Argument(name, bare=True), f" is {given!r}; it must name integers {ends}")
    return numbers


def _fewest(problem: Problem, progress: Told, changes: int, seconds: float | None, start: Start) -> Result:
    from oneformany.engine.solve import solve_exact  # compiled parts are loaded when they are needed

    asked = replace(problem, max_changes=changes)
    return solve_exact(asked, time_limit=seconds, progress=progress, start=start)


def _opened(
    problem: Problem, fewest: int, stop: Stop, progress: Told
) -> tuple["ColumnSource", "Context", list[str]]:
    """Open one source for all numbers; also what was asked of it, and the limits that it met."""
    from oneformany.engine.context import Context  # compiled parts are loaded when they are needed
    from oneformany.engine.options import Options
    from oneformany.engine.solve import prepared
    from oneformany.engine.sources.opening import open_source

    goal, options = Goal(explanations=fewest), Options(least_cost=False)
    run = Context(prepared(problem, stop), goal, stop, options, progress=progress)
    return open_source(run), run, stop.limits.copy()


def _most(
    source: "ColumnSource",
    asked: "Context",
    limits: list[str],
    allowed: int,
    seconds: float | None,
    start: Start,
) -> Result:
    from oneformany.engine.choose import choose
    from oneformany.engine.solve import told

    stop = Stop(seconds, memory=asked.stop.memory)
    stop.limits += limits
    goal, statistics = Goal(explanations=allowed), deepcopy(asked.statistics)
    run = replace(asked, goal=goal, stop=stop, statistics=statistics)
    with stop.on_interrupt():
        return told(source, run, choose(source, run, start))
