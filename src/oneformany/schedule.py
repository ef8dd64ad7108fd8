"""How much of the time that is left each step may take: one table, as the portions of a run multiply."""

import math
from dataclasses import dataclass

from oneformany.stop import Stop


@dataclass(frozen=True)
class Portion:
    """A part of the time that is left when a step begins, and at most so many seconds.

    Examples
    --------
    >>> Portion(0.5, most=3).of(Stop(60)).time_limit
    3
    """

    part: float
    most: float = math.inf

    def of(self, stop: Stop, least: float = 0.0) -> Stop:
        """When the step is to end: after its portion, or so many seconds if that is more."""
        return stop.part(max(least, min(self.most, self.part * stop.remaining())))


@dataclass(frozen=True)
class Schedule:
    """The portions of all steps, and the seconds beyond a limit.

    A step that ends early leaves its time to those that follow. What a portion trades is the same everywhere:
    the larger it is, the more often the step ends, and the less is left for the others. The largest ones go
    to steps without which there is no answer.

    Attributes
    ----------
    probing : Portion
        Seeing what a model makes of values; beyond, it is asked as a black box.
    reading : Portion
        Reading a model whose inputs are seen, and batches of rows: what was read can still be explained.
    solving : float
        Of the time limit, at least, for an answer, whatever reading took.
    grouping : float
        Of the time, for grouping rows before anything is known; what needs more is not served by buckets.
    reaching : Portion
        Which rows can be helped at all, one by one.
    alone : Portion
        What each row would pay alone, without which it follows nothing where there is a slack.
    listing : Portion
        Listing all columns, so that there is time to choose from what was listed.
    groups : Portion
        Groups of many changes, where a listing came to no end.
    promise : Portion
        A bound that holds whatever the classifier says; after a minute it has settled or never will.
    looking : Portion
        Looking at buckets.
    relaxing : Portion
        First-order steps; the rest is for covers.
    program : Portion
        A program of HiGHS over the best columns; what takes longer is improved by parts.
    cheapest : Portion
        The least cost of the columns that were generated; the rest is for generating better ones.
    accepting : Portion
        What all rows accept, for the least cost; a row of which that is not known adds nothing to its bound.
    asking : Portion
        All actions of a few rows, where a black box has to be asked about them.
    free : Portion
        The answer without groups being helped alike, which bounds the one with it.
    curve : Portion
        Whom a number of explanations helps, of the time of a point of a curve; the rest is for what it costs.
    first : float
        Seconds of work beyond the limit for a first answer, where nobody was helped by then.
    parts : Portion
        Answers for all rows of a source that stay where they are; the rest is for telling them.
    few : Portion
        One answer for a few of these.
    reasons, polishing, telling : float
        Seconds beyond the limit: for the reasons why rows are beyond help, for simpler points, and for what
        an explainer says beside the answer.

    Examples
    --------
    >>> Schedule().looking.part
    0.85
    """

    probing: Portion = Portion(0.5)
    reading: Portion = Portion(0.8)
    solving: float = 0.1
    grouping: float = 0.4
    reaching: Portion = Portion(0.4)
    alone: Portion = Portion(0.5)
    listing: Portion = Portion(0.8)
    groups: Portion = Portion(0.5)
    promise: Portion = Portion(0.4, most=60.0)
    looking: Portion = Portion(0.85)
    relaxing: Portion = Portion(0.4)
    program: Portion = Portion(0.8, most=20.0)
    cheapest: Portion = Portion(0.2)
    accepting: Portion = Portion(0.4)
    asking: Portion = Portion(0.4)
    free: Portion = Portion(0.5)
    curve: Portion = Portion(0.6)
    first: float = 0.5
    parts: Portion = Portion(0.85)
    few: Portion = Portion(0.4)
    reasons: float = 0.5
    polishing: float = 0.5
    telling: float = 0.5


SCHEDULE = Schedule()  # of every run
