"""How many explanations? People helped and what it costs them, for 1, 2, 3, ... explanations."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import usual_arithmetic
from oneformany.exceptions import Argument, InputError
from oneformany.explainer.asking import Asking, asking
from oneformany.problem.goal import Goal
from oneformany.problem.problem import Problem
from oneformany.result.explanation import Unreachable
from oneformany.result.facts import Facts, TurnedDownError
from oneformany.result.labels import many
from oneformany.result.result import Result
from oneformany.schedule import SCHEDULE
from oneformany.schema.feature import is_integer
from oneformany.schema.schema import html_table
from oneformany.statistics import Round
from oneformany.stop import Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from oneformany.engine.context import Context
    from oneformany.engine.sources.protocol import ColumnSource
    from oneformany.explainer.explainer import OneForMany
    from oneformany.result.explanation import Explanation

MOST = 20  # explanations are asked about, unless told: more are hardly ever read
LITTLE = 0.02  # of the people, or of the cost: what one explanation more has to bring to be worth it
Told = Callable[[Round], None] | None


@dataclass(frozen=True)
class CurvePoint:
    """What so many explanations do.

    Attributes
    ----------
    explanations : int
        How many were allowed.
    used : int
        How many the answer has; fewer where more would help nobody.
    covered, covered_bound : int
        People helped, and proved: no more can be.
    cost : float
        What they pay together: features changed, or what the costs that were given say.
    cost_bound : float or None
        Proved: so many people by so many explanations pay no less; ``None`` where nothing is proved.
    seconds : float
        What this point took.

    Examples
    --------
    >>> CurvePoint(2, 2, covered=9, covered_bound=9, cost=12.0, cost_bound=12.0, seconds=0.1).proved
    True
    """

    explanations: int
    used: int
    covered: int
    covered_bound: int
    cost: float
    cost_bound: float | None
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether both bounds are met."""
        return self.covered == self.covered_bound and self.cost == self.cost_bound


@dataclass(frozen=True, eq=False)
class Curve:
    """People helped and cost against the number of explanations.

    Attributes
    ----------
    points : tuple of CurvePoint
        For 1, 2, 3, ... explanations.
    results : tuple of Result
        The answer behind each point.

    Examples
    --------
    >>> import pandas as pd
    >>> from oneformany import OneForMany
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> model = DecisionTreeClassifier().fit(frame, [0, 0, 0, 1])
    >>> curve = OneForMany(model, max_changes=1).curve(frame)
    >>> curve.frame()["covered"].tolist(), curve.result(2).count
    ([1, 2, 2], 2)
    """

    points: tuple[CurvePoint, ...]
    results: tuple[Result, ...]

    @property
    def people(self) -> int:
        """How many were asked about."""
        return self.results[0].people

    @property
    def elbow(self) -> int:
        """The number of explanations from which on none of those looked at brings more than a little."""
        last = len(self.points) - 1
        while last and not self._brings(last):
            last -= 1
        return self.points[last].explanations

    def result(self, explanations: int) -> Result:
        """Give the answer for so many explanations.

        Parameters
        ----------
        explanations : int
            One of those that were asked about.
        """
        for point, result in zip(self.points, self.results, strict=True):
            if point.explanations == explanations:
                return result
        ends = f"{self.points[0].explanations} to {self.points[-1].explanations}"
        raise InputError(
            Argument("explanations", bare=True),
            f" is {explanations!r}; this curve has the answers for {ends}",
        )

    def frame(self) -> pd.DataFrame:
        """One line per number of explanations, its bounds beside what was found."""
        return pd.DataFrame([vars(point) | {"proved": point.proved} for point in self.points])

    def summary(self) -> str:
        """Tell where the curve bends, and why."""
        several, paid = self.results[0].labels.several, _paid(self.results[0])
        chosen = self.points[self.elbow - self.points[0].explanations]
        at = (
            f"{many(chosen.explanations, 'explanation')} "
            f"{'helps' if chosen.explanations == 1 else 'help'} {chosen.covered:,} of {self.people:,} "
            f"{several}"
        )
        each = f"{chosen.cost / chosen.covered:.2f} {paid} each" if chosen.covered else ""
        head = f"{at}, with {each}." if each else f"{at}."
        if chosen is self.points[-1]:
            return f"{head} The last one still brings more than a little: ask about more (most=)."
        little = f"{LITTLE:.0%}"
        bends = (
            f"From {chosen.explanations} on, another one helps fewer than {little} of the {several} more and "
            f"saves less than {little} of the {paid}"
        )
        proved = all(point.proved for point in self.points[chosen.explanations - 1 :])
        return f"{head} {bends}{': proved' if proved else ', as far as was found'}."

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw people helped and cost; see :func:`oneformany.plotting.plot_curve`.

        Parameters
        ----------
        ax : Axes or None
            Where to draw.
        """
        drawn: Axes = import_module("oneformany.plotting").plot_curve(self, ax)
        return drawn

    def __repr__(self) -> str:
        told = ", ".join(f"{point.explanations}: {point.covered:,}" for point in self.points)
        return f"Curve({self.results[0].labels.several} helped by explanations: {told})"

    def _repr_html_(self) -> str:
        columns = ("explanations", "helped", "at most", _paid(self.results[0]), "at least")
        lines = (
            (p.explanations, *(_number(x) for x in (p.covered, p.covered_bound, p.cost, p.cost_bound)))
            for p in self.points
        )
        return f"<div><p>{escape(self.summary())}</p>{html_table(columns, lines)}</div>"

    def _brings(self, index: int) -> bool:
        """Whether a point helps clearly more people than the one before, or as many for clearly less."""
        before, after = self.points[index - 1 : index + 1]
        if after.covered - before.covered >= LITTLE * self.people:
            return True
        return after.covered >= before.covered and before.cost - after.cost >= LITTLE * before.cost


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:,.10g}"


def _paid(result: Result) -> str:
    return "changes" if result.problem.get("costs") is None else "cost"


def curve_of_frame(
    explainer: "OneForMany",
    frame: AnyFrame,
    most: int = MOST,
    *,
    time_limit: float | None = None,
    progress: Told = None,
    people: AnyValue = None,
    record: Mapping[str, Any] | None = None,
) -> Curve:
    """Answer for 1 to so many explanations over one listing; see :meth:`oneformany.OneForMany.curve`."""
    if not is_integer(most, 1):
        raise InputError(f"most is {most!r}; it must be an integer of at least 1")
    stop = Stop(time_limit)
    with stop.on_interrupt(), usual_arithmetic():
        question = asking(explainer, frame, stop, people, record)
        points, results = list[CurvePoint](), list[Result]()
        begin = perf_counter()
        source, run = _opened(question.problem, stop, progress)
        numbers = range(1, min(int(most), len(question.problem.rows)) + 1)
        for number in numbers:
            seconds = stop.remaining() / (len(numbers) - number + 1)
            start = results[-1].explanations if results else ()
            # Rows beyond help are the same for every number, and so are the reasons
            asker = _Asker(question, results[0].unreachable if results else None)
            found = _answer(source, run, number, seconds, start, asker)
            results.append(_no_worse(found, results[-1]) if results else found)
            points.append(_point(number, results[-1], perf_counter() - begin))
            begin = perf_counter()
            if stop.interrupted:
                break
    return Curve(tuple(points), tuple(results))


def _no_worse(found: Result, before: Result) -> Result:
    """Keep the answer for one explanation fewer where no better one was found; the proof is the new one."""
    if (found.covered, -found.cost_units) >= (before.covered, -before.cost_units):
        return found
    most = found.people if found.covered_bound is None else found.covered_bound
    ranges = {"ranges": before.problem["ranges"]} if "ranges" in before.problem else {}
    return replace(
        found,
        status="optimal" if most <= before.covered and not found.undecided else "feasible",
        count=before.count,
        explanations=before.explanations,
        assignment=before.assignment,
        problem={**found.problem, **ranges},
    )


def _point(number: int, found: Result, seconds: float) -> CurvePoint:
    most = found.people if found.covered_bound is None else found.covered_bound
    return CurvePoint(number, found.count, found.covered, most, found.cost, found.cost_bound, seconds)


def _opened(problem: Problem, stop: Stop, progress: Told) -> tuple["ColumnSource", "Context"]:
    """Open one source for all numbers."""
    from oneformany.engine.context import Context  # compiled parts are loaded when they are needed
    from oneformany.engine.solve import prepared
    from oneformany.engine.sources.opening import open_source

    run = Context(prepared(problem, stop), Goal(explanations=1), stop, progress=progress)
    return open_source(run), run


@dataclass(frozen=True)
class _Asker:
    """Whoever asks about one number after the other, and knows the reasons from the first."""

    question: Asking
    beyond: tuple[Unreachable, ...] | None

    def facts(self, answer: Result) -> Facts:
        """What the explainer knows, confirmed by the model."""
        return self.question.facts(answer, self.beyond)


def _answer(
    source: "ColumnSource",
    opened: "Context",
    number: int,
    seconds: float,
    start: "tuple[Explanation, ...]",
    asker: _Asker,
) -> Result:
    """Help the most people with so many explanations, then at the least cost."""
    from oneformany.engine.cheapen import cheapen
    from oneformany.engine.choose import choose
    from oneformany.engine.solve import Answering, told

    whole = Stop(None if seconds == float("inf") else seconds, memory=opened.stop.memory)
    whole.limits += opened.stop.limits
    run = replace(opened, goal=Goal(explanations=number), stop=whole, statistics=deepcopy(opened.statistics))
    with whole.on_interrupt():
        first = choose(source, replace(run, stop=SCHEDULE.curve.of(whole)), start)
        cheap = cheapen(source, run, first)
        try:
            return told(source, run, first, cheap, Answering(run, asker))
        except TurnedDownError:  # the next number knows what the model said
            return told(source, run, first, cheap)
