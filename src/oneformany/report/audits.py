"""The part of the report that compares subgroups."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from oneformany.report.page import AuditPart, Interval, TableData
from oneformany.result.labels import shown
from oneformany.studies.audit import MEASURES, measure_words

if TYPE_CHECKING:
    from oneformany.studies.audit import Audit

NONE_CLEAR = "No difference between a subgroup and the others is clear of chance"
CAUTION = (
    "Clear means that the interval leaves out 0; such lines are red. Intervals are not adjusted for the "
    "number of comparisons; a difference is a question to ask, not yet an answer."
)


def audit_part(audit: Audit) -> AuditPart:
    """Turn a comparison of subgroups into what the page shows."""
    columns = (shown(audit.by), *(str(name).replace("_", " ") for name in audit.table.columns))
    lines = tuple(
        (shown(name), *(_cell(value) for value in line))
        for name, line in zip(audit.table.index, audit.table.itertuples(index=False), strict=True)
    )
    differences = tuple(_intervals(audit))
    clear = sum(line.clear for line in differences)
    are = "is" if clear == 1 else "are"
    words = f"{clear} of {len(differences)} differences {are} clear of chance" if clear else NONE_CLEAR
    table = TableData(columns, lines)
    return AuditPart(f"By {shown(audit.by)}", table, differences, f"{words}. {CAUTION}")


def _intervals(audit: Audit) -> Iterator[Interval]:
    told = [line for line in audit.told() if not isnan(line.low)]
    for line in told:
        alike = [other for other in told if other.measure == line.measure]
        least = min(0.0, *(other.low for other in alike))
        width = max(0.0, *(other.high for other in alike)) - least or 1.0
        low, value, high, zero = (
            100.0 * (x - least) / width for x in (line.low, line.difference, line.high, 0.0)
        )
        texts = [measure_words(line.measure, x) for x in (line.value, line.others, line.difference)]
        ends = " to ".join(measure_words(line.measure, x) for x in (line.low, line.high))
        told_texts = (shown(line.subgroup), MEASURES[line.measure], *texts, ends)
        yield Interval(told_texts, low, value, high, zero, line.clear)


def _cell(value: float) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.2f}"
    return f"{value:,}"
