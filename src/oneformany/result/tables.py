"""A result as data frames, one line per explanation or per row, and as what pictures show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, count
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.arrays import IntArray

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema
    from oneformany.statistics import Round

NULLABLE: dict[type, Any] = {bool: "boolean", int: "Int64", float: "Float64"}
MEASURED = {
    "explanations": ("explanations", "proved: no fewer"),
    "people": ("rows covered", "proved: no more"),
    "cost": ("cost", "proved: no less"),
}


def to_frame(result: Result) -> pd.DataFrame:
    """One line per explanation, numbered from 1 as in the summary and in ``assignment_frame``.

    Returns
    -------
    DataFrame
        ``rows_covered``, ``changed_features`` (names, joined by "; "), then one column per feature with
        the value of the explanation's point in its own type. Outside of the changed features that is what
        all its rows share, and missing where they share nothing. Where a feature already has one of the
        first two names, ours ends in "_".
    """
    schema, explanations = result.labels.schema, result.explanations
    own = {
        "rows_covered": pd.Series(result.labels.sizes, dtype=np.int64),
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
        ``explanation`` (numbered from 1, missing for rows without one: the line of ``to_frame``),
        ``outcome`` ("explained", "already positive", "cannot be helped", "undecided" or "left out"),
        ``reason`` (why it cannot be helped), ``needed_changes`` (the smallest ``max_changes`` that would
        help it, if that is known), ``blocked_by`` (the limit and the rules that stand in its way, joined
        by "; "), ``changes`` (how many features this row has to change), then one column per feature with
        the new value, in its own type, where the row has to change it, and a missing value where it stays
        as it is. Where a feature already has one of the first six names, ours ends in "_".
    """
    schema, nowhere = result.labels.schema, ~result.has_explanation
    beyond = {entry.row: entry for entry in result.unreachable}
    why = [beyond.get(row) for row in range(len(nowhere))]
    changes = result.changes.sum(axis=1)
    own = {
        "explanation": numbered(result.assignment),
        "outcome": _texts(outcomes(result)),
        "reason": _texts(entry and entry.reason for entry in why),
        "needed_changes": pd.Series([entry and entry.needed_changes for entry in why], dtype="Int64"),
        "blocked_by": _texts(entry and ("; ".join(entry.blocked_by) or None) for entry in why),
        "changes": pd.Series(changes, dtype="Int64").mask(nowhere),
    }
    targets = (feature.target_values for feature in schema.features)
    values = list(map(_column, targets, np.where(result.changes, result.points, -1).T))
    return _frame(own, values, schema, result.index.to_pandas())


def numbered(assignment: Sequence[int] | IntArray, index: pd.Index | None = None) -> pd.Series[Any]:
    """Count explanations from 1, as tables and summaries do; missing for rows without one."""
    numbers = pd.Series(np.asarray(assignment, dtype=np.int64) + 1, index, "Int64", "explanation")
    return numbers.mask(numbers == 0)


def outcomes(result: Result) -> list[str]:
    """What becomes of each given row, in two words."""
    outcome = np.where(result.changes.any(axis=1), "explained", "already positive").astype(object)
    outcome[~result.has_explanation] = "left out"
    outcome[list(result.undecided)] = "undecided"
    outcome[[entry.row for entry in result.unreachable]] = "cannot be helped"
    return list(outcome)


def coverage_curve(result: Result) -> list[float]:
    """Percentage of all people that the 0, 1, 2, ... largest groups hold together."""
    largest_first = sorted(result.labels.sizes, reverse=True)
    return [100.0 * reached / max(result.people, 1) for reached in accumulate(largest_first, initial=0)]


def changes_by_feature(result: Result) -> IntArray:
    """How many people change each feature."""
    return np.asarray(result.people_of_rows @ result.changes, dtype=np.int64)


def shown_rounds(result: Result) -> list[Round]:
    """Rounds that can stand in one picture: with an answer, and about what the first of them is about."""
    rounds = [step for step in result.statistics.rounds if step.count]
    return [step for step in rounds if step.measure == rounds[0].measure]


def _frame(
    own: Mapping[str, pd.Series[Any]], values: list[pd.Series[Any]], schema: Schema, rows: pd.Index
) -> pd.DataFrame:
    """Put columns of ours, whose names give way to those of the features, before theirs."""
    names = [
        next(free for more in count() if (free := name + more * "_") not in schema.names) for name in own
    ]
    columns = {number: column.array for number, column in enumerate([*own.values(), *values])}
    return pd.DataFrame(columns, index=rows).set_axis([*names, *schema.names], axis=1)


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
