"""A result as a small table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from oneformany.result.labels import Labels, labels_of
from oneformany.result.sizes import noun, people_in
from oneformany.result.words import status_words, target_words
from oneformany.schema.schema import html_table

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result

MOST_LINES = 10


def result_table(result: Result) -> str:
    """Tell a result in one sentence and a table of its largest explanations."""
    labels = labels_of(result)
    lines: list[tuple[object, object, str]] = [
        (number, people_in(result, one.members), _changes(result, one, labels))
        for number, one in enumerate(result.explanations[:MOST_LINES], start=1)
    ]
    if result.count > MOST_LINES:
        lines.append(("...", "", f"{result.count - MOST_LINES} more: see to_frame()"))
    table = html_table(("explanation", noun(result, 2), "changes"), lines) if lines else ""
    return f"<div><p>{escape(status_words(result))}</p>{table}</div>"


def _changes(result: Result, explanation: Explanation, labels: Labels) -> str:
    point = explanation.point
    changes = (
        f"{labels.feature(feature)}: {target_words(result, explanation, feature, point[feature], labels)}"
        if explanation.ends is None
        else labels.feature(feature)
        for feature in explanation.changed
    )
    return "; ".join(changes) or "nothing: already positive"
