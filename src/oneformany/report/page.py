"""What a report shows, as plain data: the template decides nothing, it only draws."""

from __future__ import annotations

from dataclasses import dataclass

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Card:
    """One explanation."""

    number: int  # counted from 1
    people: str
    changes: tuple[tuple[str, str, str], ...]  # a feature, its new value, and where the rows come from
    common: Pairs  # what else the rows have in common: feature and value
    members: str  # the first few rows, by the user's labels
    share: float  # of the largest explanation, for the bar on the card


@dataclass(frozen=True)
class Chart:
    """A line chart inside a box of 600 by 240 units; the summary is for readers who do not see it."""

    title: str
    summary: str
    series: tuple[tuple[str, str, str], ...]  # name, kind, and the points of an SVG polyline
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_label: str
    y_label: str


@dataclass(frozen=True)
class LeftOut:
    """Rows without an explanation for the same reason."""

    title: str
    reason: str
    rows: str


@dataclass(frozen=True)
class TableData:
    """A table of texts, drawn by the script: it may have many thousand lines."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Interval:
    """A difference between a subgroup and the others, as a line of a table with a small picture."""

    texts: tuple[str, ...]  # subgroup, measure, its value, that of the others, the difference, its interval
    low: float  # this and the next three: where they stand in a box 100 wide
    value: float
    high: float
    zero: float
    clear: bool  # whether the interval leaves out 0


@dataclass(frozen=True)
class AuditPart:
    """A comparison of subgroups: counts, differences, and words about them."""

    title: str
    table: TableData
    differences: tuple[Interval, ...]
    note: str


@dataclass(frozen=True)
class Page:
    """Everything on the page, from top to bottom."""

    title: str
    verdict: str  # colour of the badge: "proved", "open" or "impossible"
    sentence: str  # what was found and proved
    origin: str
    numbers: Pairs  # what is counted, and how many
    note: str
    cards: tuple[Card, ...]
    assignment: TableData
    changed: tuple[tuple[str, str, float], ...]  # bars: a label, a value, and its part of the longest
    charts: tuple[Chart, ...]
    left_out: tuple[LeftOut, ...]
    audits: tuple[AuditPart, ...]
    proof: tuple[str, ...]
    facts: Pairs
    rules: tuple[str, ...]
