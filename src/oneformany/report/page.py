"""What a report shows, as plain data: the template decides nothing, it only draws."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = [
    "AuditPart",
    "Bar",
    "Card",
    "Change",
    "Chart",
    "Headline",
    "Interval",
    "LeftOut",
    "Page",
    "Series",
    "TableData",
]


@dataclass(frozen=True)
class Headline:
    """The answer in one line and a few numbers.

    Attributes
    ----------
    sentence : str
        What was found and proved.
    verdict : {"proved", "open", "impossible"}
        Colour and word of the badge.
    numbers : tuple of (str, str)
        What is counted, and how many.
    """

    sentence: str
    verdict: str
    numbers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Change:
    """One line of an explanation: a feature, its new value, and where its rows come from."""

    feature: str
    target: str
    origins: str


@dataclass(frozen=True)
class Card:
    """One explanation.

    Attributes
    ----------
    number : int
        Counted from 1.
    people : str
        Whom it covers, counted.
    changes : tuple of Change
        What they change.
    common : tuple of (str, str)
        What else its rows have in common: feature and value.
    members : str
        The first few of its rows, by the user's labels.
    share : float
        Part of all covered rows, for the bar on the card.
    """

    number: int
    people: str
    changes: tuple[Change, ...]
    common: tuple[tuple[str, str], ...]
    members: str
    share: float


@dataclass(frozen=True)
class Bar:
    """One bar: a label, a value, and its length as a part of the longest."""

    label: str
    value: str
    part: float


@dataclass(frozen=True)
class Series:
    """A line of a chart, as the points of an SVG polyline."""

    name: str
    kind: str
    points: str


@dataclass(frozen=True)
class Chart:
    """A line chart inside a box of 600 by 240 units.

    Attributes
    ----------
    title, summary : str
        What it shows; the summary says it in words for readers who do not see it.
    series : tuple of Series
        Lines.
    x_ticks, y_ticks : tuple of (float, str)
        Where a label stands, and the label.
    x_label, y_label : str
        Names of the axes.
    """

    title: str
    summary: str
    series: tuple[Series, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_label: str
    y_label: str


@dataclass(frozen=True)
class LeftOut:
    """Rows without an explanation for the same reason."""

    title: str
    count: int
    reason: str
    rows: str


@dataclass(frozen=True)
class TableData:
    """A table of texts, drawn by the script: it may have many thousand lines."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Interval:
    """A difference between a subgroup and the others, as a line of a table with a small picture.

    Attributes
    ----------
    texts : tuple of str
        Subgroup, measure, its value, that of the others, the difference and its interval.
    low, value, high, zero : float
        Where they stand in a box 100 wide.
    clear : bool
        Whether the interval leaves out 0.
    """

    texts: tuple[str, ...]
    low: float
    value: float
    high: float
    zero: float
    clear: bool


@dataclass(frozen=True)
class AuditPart:
    """A comparison of subgroups: counts, differences, and words about them."""

    title: str
    table: TableData
    differences: tuple[Interval, ...]
    note: str


@dataclass(frozen=True)
class Page:
    """Everything on the page."""

    title: str
    headline: Headline
    facts: tuple[tuple[str, str], ...]
    cards: tuple[Card, ...]
    assignment: TableData
    changed: tuple[Bar, ...]
    charts: tuple[Chart, ...]
    proof: tuple[str, ...]
    check: str
    rules: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    origin: str = ""
    note: str = ""
    audits: tuple[AuditPart, ...] = field(default=())
