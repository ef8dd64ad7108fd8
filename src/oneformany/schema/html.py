"""Small tables for notebooks; what they show is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.schema.feature import Feature
    from oneformany.schema.schema import Schema

MOST_LINES = 30
MOST_LEVELS = 8


def html_table(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Lay out lines below the names of their columns.

    Examples
    --------
    >>> html_table(["a<b"], [[1]])
    '<table><thead><tr><th>a&lt;b</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    head, *body = (
        "<tr>" + "".join(f"<{cell}>{escape(str(text))}</{cell}>" for text in line) + "</tr>"
        for cell, line in [("th", columns), *(("td", line) for line in lines)]
    )
    return f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def schema_table(schema: Schema) -> str:
    """Tell what the features are, one line each."""
    lines = [(feature.name, _kind(feature), _levels(feature)) for feature in schema.features[:MOST_LINES]]
    if (more := len(schema.features) - MOST_LINES) > 0:
        lines.append(("...", "", f"{more} more"))
    return html_table(("feature", "kind", "levels"), lines)


def _kind(feature: Feature) -> str:
    kind = "cells of numbers" if feature.binned else "numbers" if feature.numbers is not None else "labels"
    return f"{kind}, in order" if feature.ordered and not feature.binned else kind


def _levels(feature: Feature) -> str:
    told = ", ".join(feature.levels[:MOST_LEVELS])
    more = feature.n_levels - MOST_LEVELS
    unit = f" ({feature.unit})" if feature.unit else ""
    return f"{told}, ... {more} more{unit}" if more > 0 else f"{told}{unit}"
