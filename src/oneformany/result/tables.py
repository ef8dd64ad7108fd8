"""A result as data frames: one line per explanation, or one line per row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype

from oneformany.arrays import BoolArray, IntArray
from oneformany.result.labels import labels_of
from oneformany.result.sizes import group_sizes

if TYPE_CHECKING:
    from oneformany.result.result import Result

NULLABLE: dict[type, ExtensionDtype] = {
    bool: pd.BooleanDtype(),
    int: pd.Int64Dtype(),
    float: pd.Float64Dtype(),
}


def explanation_frame(result: Result) -> pd.DataFrame:
    """One line per explanation, numbered from 1 as in the summary.

    Returns
    -------
    DataFrame
        ``rows_covered``, ``changed_features`` (names, joined by "; "), then one column per feature with
        the value of the explanation's point in its own type. Outside of the changed features that is what
        all its rows share, and missing where they share nothing. Where a feature already has one of the
        first two names, ours ends in "_".
    """
    labels = labels_of(result)
    own = _own_names(("rows_covered", "changed_features"), labels.features)
    number = pd.RangeIndex(1, result.count + 1, name="explanation")
    changed = ["; ".join(str(labels.features[f]) for f in e.changed) for e in result.explanations]
    columns: list[pd.Series[Any]] = [
        pd.Series(group_sizes(result), dtype="int64"),
        pd.Series(changed, dtype="object"),
    ]
    for feature, (values, targets) in enumerate(zip(labels.values, labels.targets, strict=True)):
        ends = [
            e.point[feature] + len(values) * (feature in e.changed and e.point[feature] >= 0)
            for e in result.explanations
        ]
        columns.append(_column((*values, *targets), np.array(ends, dtype=np.int64)))
    return _frame(columns, [*own, *labels.features], number)


def assignment_frame(result: Result) -> pd.DataFrame:
    """One line per given row, in the given order, under the label it has in the user's frame.

    Returns
    -------
    DataFrame
        ``explanation`` (numbered from 1, missing for rows without one), ``outcome`` ("explained", "already
        positive", "cannot be helped", "undecided" or "left out"), ``reason`` (why it cannot be helped),
        ``needed_changes`` (the smallest ``max_changes`` that would help it, if that is known), ``blocked_by``
        (the limit and the rules that stand in its way, joined by "; "), ``changes`` (how many features this
        row has to change), then one column per feature with the new value, in its own type, where the row has
        to change it, and a missing value where it stays as it is. Where a feature already has one of the
        first six names, ours ends in "_".
    """
    labels = labels_of(result)
    own = _own_names(
        ("explanation", "outcome", "reason", "needed_changes", "blocked_by", "changes"), labels.features
    )
    rows = result.index.to_pandas()
    assignment = np.array(result.assignment, dtype=np.int64)
    codes = np.array(result.problem["codes"], dtype=np.int64)
    points = np.where(assignment[:, None] < 0, codes, result.points)
    moved = points != codes
    changes = np.where(assignment < 0, -1, moved.sum(axis=1))
    outcome = np.where(changes > 0, "explained", "already positive").astype(object)
    outcome[assignment < 0] = "left out"
    outcome[list(result.undecided)] = "undecided"
    reason = np.full(len(rows), None, dtype=object)
    blocked = np.full(len(rows), None, dtype=object)
    needed = np.full(len(rows), -1, dtype=np.int64)
    for entry in result.unreachable:
        outcome[entry.row] = "cannot be helped"
        reason[entry.row] = entry.reason
        blocked[entry.row] = "; ".join(entry.blocked_by) or None
        needed[entry.row] = -1 if entry.needed_changes is None else entry.needed_changes
    columns = [
        _number(assignment + 1, assignment < 0),
        pd.Series(outcome, dtype="object"),
        pd.Series(reason, dtype="object"),
        _number(needed, needed < 0),
        pd.Series(blocked, dtype="object"),
        _number(changes, changes < 0),
        *map(_column, labels.targets, np.where(moved, points, -1).T),
    ]
    return _frame(columns, [*own, *labels.features], rows)


def _frame(columns: list[pd.Series[Any]], names: list[Any], rows: pd.Index) -> pd.DataFrame:
    frame = pd.DataFrame({number: column.array for number, column in enumerate(columns)}, index=rows)
    return frame.set_axis(names, axis=1)


def _number(numbers: IntArray, missing: BoolArray) -> pd.Series[Any]:
    return pd.Series(numbers, dtype="Int64").mask(missing)


def _column(values: Sequence[Any], levels: IntArray) -> pd.Series[Any]:
    """Values of levels in their own type; missing where the level is -1."""
    table = np.array([*values, None], dtype=object)  # the last one is what -1 finds
    taken = table[np.unique(levels[levels >= 0])]  # what no row takes, such as "missing", decides no type
    kinds = {type(value) for value in (taken if len(taken) else values)}
    dtype = NULLABLE.get(kinds.pop()) if len(kinds) == 1 else None
    column = pd.Series(table[levels], dtype="object")
    return column if dtype is None else column.astype(dtype)


def _own_names(names: Iterable[str], features: tuple[Any, ...]) -> list[str]:
    own = []
    for name in names:
        free = name
        while free in features:
            free += "_"
        own.append(free)
    return own
