"""A result as a small table for notebooks; names and labels are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from oneformany.result.labels import Labels, labels_of
from oneformany.result.words import status_words

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result

__all__ = ["result_table"]

MOST_LINES = 10


def result_table(result: Result) -> str:
    """Tell a result in one sentence and a table of its largest explanations.

    Parameters
    ----------
    result : Result
        What to show.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> result_table(result).count("<tr>")
    2
    """
    labels = labels_of(result)
    lines = [
        f"<tr><td>{number}</td><td>{len(one.members)}</td><td>{_changes(one, labels)}</td></tr>"
        for number, one in enumerate(result.explanations[:MOST_LINES], start=1)
    ]
    if result.count > MOST_LINES:
        more = f"{result.count - MOST_LINES} more: see to_frame()"
        lines.append(f"<tr><td>...</td><td></td><td>{more}</td></tr>")
    head = "<tr><th>explanation</th><th>rows</th><th>changes</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>" if lines else ""
    return f"<div><p>{escape(status_words(result))}</p>{table}</div>"


def _changes(explanation: Explanation, labels: Labels) -> str:
    changes = (
        f"{labels.feature(feature)}: {labels.target(feature, explanation.point[feature])}"
        if explanation.ends is None
        else labels.feature(feature)
        for feature in explanation.changed
    )
    return escape("; ".join(changes)) or "nothing: already positive"
