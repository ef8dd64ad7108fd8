"""A result as data frames: one line per explanation, or one line per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.arrays import IntArray
from oneformany.result.labels import labels_of
from oneformany.result.sizes import group_sizes

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema

NULLABLE: dict[type, Any] = {bool: "boolean", int: "Int64", float: "Float64"}


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
    schema, explanations = labels_of(result).schema, result.explanations
    own = {
        "rows_covered": pd.Series(group_sizes(result)),
        "changed_features": _texts("; ".join(schema.names[f] for f in e.changed) for e in explanations),
    }
    values = []
    for index, feature in enumerate(schema.features):
        sent = [index in e.changed and e.point[index] >= 0 for e in explanations]
        levels = [e.point[index] + feature.n_levels * new for e, new in zip(explanations, sent, strict=True)]
        both = (*feature.level_values, *feature.target_values)
        values.append(_column(both, np.array(levels, dtype=np.int64)))
    return _frame(own, values, schema, pd.RangeIndex(1, result.count + 1, name="explanation"))


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
    schema = labels_of(result).schema
    assignment = np.array(result.assignment, dtype=np.int64)
    codes = np.array(result.problem["codes"], dtype=np.int64)
    nowhere = assignment < 0
    points = np.where(nowhere[:, None], codes, result.points)
    changes = (points != codes).sum(axis=1)
    beyond = {entry.row: entry for entry in result.unreachable}
    why = [beyond.get(row) for row in range(len(codes))]
    outcome = np.where(changes > 0, "explained", "already positive").astype(object)
    outcome[nowhere] = "left out"
    outcome[list(result.undecided)] = "undecided"
    outcome[list(beyond)] = "cannot be helped"
    own = {
        "explanation": pd.Series(assignment + 1, dtype="Int64").mask(nowhere),
        "outcome": _texts(outcome),
        "reason": _texts(entry and entry.reason for entry in why),
        "needed_changes": pd.Series([entry and entry.needed_changes for entry in why], dtype="Int64"),
        "blocked_by": _texts(entry and ("; ".join(entry.blocked_by) or None) for entry in why),
        "changes": pd.Series(changes, dtype="Int64").mask(nowhere),
    }
    targets = (feature.target_values for feature in schema.features)
    values = list(map(_column, targets, np.where(points != codes, points, -1).T))
    return _frame(own, values, schema, result.index.to_pandas())


def _frame(
    own: Mapping[str, pd.Series[Any]], values: list[pd.Series[Any]], schema: Schema, rows: pd.Index
) -> pd.DataFrame:
    """Put columns of ours, whose names give way to those of the features, before theirs."""
    names = [_free(name, schema.names) for name in own]
    columns = {number: column.array for number, column in enumerate([*own.values(), *values])}
    return pd.DataFrame(columns, index=rows).set_axis([*names, *schema.names], axis=1)


def _free(name: str, taken: Sequence[str]) -> str:
    return _free(f"{name}_", taken) if name in taken else name


def _texts(texts: Iterable[object]) -> pd.Series[Any]:
    return pd.Series(list(texts), dtype="object")


def _column(values: Sequence[Any], levels: IntArray) -> pd.Series[Any]:
    """Values of levels in their own type; missing where the level is -1."""
    table = np.array([*values, None], dtype=object)  # the last one is what -1 finds
    taken = table[np.unique(levels[levels >= 0])]  # what no row takes, such as "missing", decides no type
    kinds = {type(value) for value in (taken if len(taken) else values)}
    dtype = NULLABLE.get(kinds.pop()) if len(kinds) == 1 else None
    column = pd.Series(table[levels], dtype="object")
    return column if dtype is None else column.astype(dtype)
