"""Benchmark records as lines of text: the paper's numbers beside ours, and the totals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from oneformany.bench.cells import PAPER_LIMIT
from oneformany.bench.records import Record

__all__ = ["header", "line", "published_seconds", "totals"]


class Column(NamedTuple):
    """One column of the table: two lines of heading, its width, and what stands in it."""

    group: str
    title: str
    width: int
    text: Callable[[Record], str]


def published_seconds(record: Record) -> float | None:
    """Time of the paper's run of the same kind: its MIP for "mip", else its column generation."""
    if record.published is None:
        return None
    return record.published.mip_seconds if record.key.method == "mip" else record.published.cg_seconds


def header() -> str:
    """Two lines of heading."""
    groups = "".join(f"{column.group:>{column.width}}" for column in COLUMNS)
    titles = "".join(f"{column.title:>{column.width}}" for column in COLUMNS)
    return f"{groups}\n{titles}"


def line(record: Record) -> str:
    """One record."""
    return "".join(f"{column.text(record):>{column.width}}" for column in COLUMNS)


def totals(records: Sequence[Record]) -> str:
    """Say how all cells together compare with the paper, and what they cost."""
    ours = sum(record.seconds for record in records)
    lines = [f"{len(records)} cells, {_statuses(records)}; solved in {ours:.1f} s together"]
    published = [record for record in records if record.published is not None]
    if published:
        theirs = sum(published_seconds(record) or 0.0 for record in published)
        same = sum(record.seconds for record in published)
        fewer, equal, more = (sum(compare(record) == sign for record in published) for sign in (-1, 0, 1))
        lines += [
            f"the paper: {theirs:,.0f} s on {len(published)} of these, {theirs / same:,.0f} times as long",
            f"explanations against the paper: fewer in {fewer} cells, as many in {equal}, more in {more}",
        ]
    lines.append(f"points confirmed by the classifier's own predict: {_share(records, 'confirmed')}")
    if any(record.verified is not None for record in records):
        lines.append(f"results accepted by the independent check: {_share(records, 'verified')}")
    peaks = [record.peak_megabytes for record in records if record.peak_megabytes is not None]
    if peaks:
        lines.append(f"peak memory: {max(peaks):,.0f} MB")
    return "\n".join(lines)


def compare(record: Record) -> int:
    """-1, 0 or 1: fewer, as many or more explanations than published."""
    if record.published is None:
        return 0
    difference = record.count - record.published.explanations
    return (difference > 0) - (difference < 0)


def _statuses(records: Sequence[Record]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.status] = counts.get(record.status, 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())


def _share(records: Sequence[Record], answer: str) -> str:
    asked = [getattr(record, answer) for record in records if getattr(record, answer) is not None]
    return f"{sum(asked)} of {len(asked)}"


def _published_count(record: Record) -> str:
    return "-" if record.published is None else str(record.published.explanations)


def _published_time(record: Record) -> str:
    seconds = published_seconds(record)
    if seconds is None:
        return "-"
    return f"{seconds:.0f} limit" if seconds >= PAPER_LIMIT else f"{seconds:.2f}"


def _ratio(record: Record) -> str:
    seconds = published_seconds(record)
    return "-" if seconds is None else f"{seconds / record.seconds:,.0f}x"


def _verified(record: Record) -> str:
    return {True: "yes", False: "NO", None: "-"}[record.verified]


COLUMNS = (
    Column("", "data set", 18, lambda record: record.key.dataset),
    Column("", "model", 6, lambda record: record.key.model),
    Column("", "method", 7, lambda record: record.key.method),
    Column("", "changes", 8, lambda record: str(record.key.max_changes)),
    Column("", "rows", 5, lambda record: str(record.key.rows)),
    Column("paper", "count", 7, _published_count),
    Column("", "seconds", 11, _published_time),
    Column("ours", "count", 7, lambda record: str(record.count)),
    Column("", "bound", 6, lambda record: str(record.lower_bound)),
    Column("", "status", 11, lambda record: record.status),
    Column("", "seconds", 8, lambda record: f"{record.seconds:.2f}"),
    Column("", "ratio", 9, _ratio),
    Column("", "verified", 9, _verified),
)
