"""A schema as a small table for notebooks; names and labels are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.schema.feature import Feature
    from oneformany.schema.schema import Schema

__all__ = ["schema_table"]

MOST_LINES = 30
MOST_LEVELS = 8


def schema_table(schema: Schema) -> str:
    """Tell what the features are, one line each.

    Parameters
    ----------
    schema : Schema
        What to show.

    Examples
    --------
    >>> import oneformany as ofm
    >>> schema_table(ofm.Schema((ofm.Feature("a<b", ("no", "yes")),))).count("<tr>")
    2
    """
    lines = [
        f"<tr><td>{escape(feature.name)}</td><td>{_kind(feature)}</td><td>{escape(_levels(feature))}</td></tr>"
        for feature in schema.features[:MOST_LINES]
    ]
    if (more := len(schema.features) - MOST_LINES) > 0:
        lines.append(f"<tr><td>...</td><td></td><td>{more} more</td></tr>")
    head = "<tr><th>feature</th><th>kind</th><th>levels</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"


def _kind(feature: Feature) -> str:
    kind = "cells of numbers" if feature.binned else "numbers" if feature.numbers is not None else "labels"
    return f"{kind}, in order" if feature.ordered and not feature.binned else kind


def _levels(feature: Feature) -> str:
    told = ", ".join(feature.levels[:MOST_LEVELS])
    more = feature.n_levels - MOST_LEVELS
    unit = f" ({feature.unit})" if feature.unit else ""
    return f"{told}, ... {more} more{unit}" if more > 0 else f"{told}{unit}"
