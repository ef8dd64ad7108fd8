"""A result as data frames: one line per explanation, or one line per row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from oneformany.result.labels import labels_of

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["assignment_frame", "explanation_frame"]


def explanation_frame(result: Result) -> pd.DataFrame:
    """One line per explanation, numbered from 1 as in the summary.

    Returns
    -------
    DataFrame
        ``rows_covered``, ``changed_features`` (names, joined by "; "), then one column per feature with
        the label of the explanation's point. Outside of the changed features that label is what all
        its rows share. Where a feature already has one of the first two names, ours ends in "_".
    """
    labels = labels_of(result)
    own = _own_names(("rows_covered", "changed_features"), labels.features)
    lines = [
        [len(e.members), "; ".join(labels.features[f] for f in e.changed), *labels.point(e.point)]
        for e in result.explanations
    ]
    numbers = pd.RangeIndex(1, len(lines) + 1, name="explanation")
    return pd.DataFrame(lines, index=numbers, columns=[*own, *labels.features])


def assignment_frame(result: Result) -> pd.DataFrame:
    """One line per given row, in the given order, named by its place in the frame it came from.

    Returns
    -------
    DataFrame
        ``explanation`` (numbered from 1, missing for rows that cannot be helped), ``outcome`` ("explained",
        "already positive" or "cannot be helped"), ``reason`` (of the last), ``changes`` (how many features
        this row has to change), then one column per feature with the new label where the row has to
        change it and a missing value where it stays as it is. Where a feature already has one of the first
        four names, ours ends in "_".
    """
    labels = labels_of(result)
    own = _own_names(("explanation", "outcome", "reason", "changes"), labels.features)
    reasons = {entry.row: entry.reason for entry in result.unreachable}
    lines = [
        _assignment_line(result, row, place, reasons.get(row), labels.levels)
        for row, place in enumerate(result.assignment)
    ]
    rows = pd.Index(labels.rows, name="row")
    frame = pd.DataFrame(lines, index=rows, columns=[*own, *labels.features])
    return frame.astype({own[0]: "Int64", own[3]: "Int64"})


def _assignment_line(
    result: Result, row: int, place: int, reason: str | None, levels: tuple[tuple[str, ...], ...]
) -> list[object]:
    if place < 0:
        return [None, "cannot be helped", reason, None, *(None for _ in levels)]
    codes, point = result.problem["codes"][row], result.explanations[place].point
    targets = [
        None if code == target else labels[target]
        for code, target, labels in zip(codes, point, levels, strict=True)
    ]
    changes = sum(target is not None for target in targets)
    return [place + 1, "explained" if changes else "already positive", None, changes, *targets]


def _own_names(names: Iterable[str], features: tuple[str, ...]) -> list[str]:
    own = []
    for name in names:
        free = name
        while free in features:
            free += "_"
        own.append(free)
    return own
