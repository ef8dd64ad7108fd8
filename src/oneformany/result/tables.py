"""A result as data frames, one line per explanation or per row, and as what pictures show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.result.following import (
    Placed,
    check_unchanged,
    explained_rows,
    put_under,
    schema_of,
)
from oneformany.schema.feature import free_name
from oneformany.schema.frames import Table

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.schema.schema import Schema
    from oneformany.statistics import Round

NULLABLE: dict[type, Any] = {bool: "boolean", int: "Int64", float: "Float64"}
MEASURED = {
    "explanations": ("explanations", "proved: no fewer"),
    "people": ("{several} covered", "proved: no more"),
    "cost": ("cost", "proved: no less"),
}


def to_frame(result: Result) -> pd.DataFrame:
    """One line per explanation, numbered from 1 as in the summary and in ``assignment_frame``.

    Returns
    -------
    DataFrame
        ``rows_covered``, where rows stand for several people also ``people_covered``, ``changed_features``
        (names, joined by "; "), then one column per feature with the value of the explanation's point in
        its own type. Outside of the changed features that is what all its rows share, and missing where
        they share nothing. Where a feature already has one of the first names, ours ends in "_".
    """
    schema, explanations = result.labels.schema, result.explanations
    own = {
        "rows_covered": pd.Series([len(e.members) for e in explanations], dtype=np.int64),
        "people_covered": pd.Series(result.labels.sizes, dtype=np.int64),
        "changed_features": _texts("; ".join(schema.names[f] for f in e.changed) for e in explanations),
    }
    if "people" not in result.problem:
        del own["people_covered"]
    values = []
    for index, feature in enumerate(schema.features):
        sent = [index in e.changed and e.point[index] >= 0 for e in explanations]
        levels = [e.point[index] + feature.n_levels * new for e, new in zip(explanations, sent, strict=True)]
        both = (*feature.level_values, *feature.target_values)
        values.append(_column(both, np.array(levels, dtype=np.int64)))
    return _frame(own, values, schema, pd.RangeIndex(1, result.count + 1, name="explanation"))


def assignment_frame(
    result: Result, frame: AnyFrame = None, model: AnyModel = None, *, before: AnyFrame = None
) -> pd.DataFrame:
    """One line per given row, in the given order, under the label it has in the user's frame.

    Parameters
    ----------
    frame : frame, optional
        New rows, which are told about instead of those that were explained.
    model : OneForMany or classifier, optional
        As in :meth:`assign`.
    before : frame, optional
        The very frame that was explained: ``change`` then tells each row's own values, not only their cells.

    Returns
    -------
    DataFrame
        ``explanation`` (numbered from 1, missing for rows without one: the line of ``to_frame``),
        ``outcome`` ("explained", "already positive", "cannot be helped", "undecided" or "left out"; of new
        rows "explained", "already positive", "none fits" or "cannot be read"), ``reason`` (why it cannot
        be helped or read), ``needed_changes`` (the smallest ``max_changes`` that would help it, if that is
        known), ``blocked_by`` (the limit and the rules that stand in its way, joined by "; "), ``changes``
        (how many features this row has to change), ``change`` (which, from what to what, such as
        "duration: 48 -> 12"), then one column per feature with the new value, in its
        own type, where the row has to change it, and a missing value where it stays as it is. Where a
        feature already has one of the first seven names, ours ends in "_".
    """
    schema, beyond = result.labels.schema, {entry.row: entry for entry in result.unreachable}
    told: pd.DataFrame | None = None
    if frame is None:
        reasons = [beyond[row].reason if row in beyond else None for row in range(len(result.index))]
        numbers, index = np.array(result.assignment, dtype=np.int64), result.index.to_pandas()
        placed = Placed(numbers, result.codes, result.points, outcomes(result), reasons)
        if before is not None:
            table = Table.of(before)
            rows = explained_rows(result, len(table.frame), "explain these rows first")
            check_unchanged(schema_of(result), table, rows, result.codes, "pass that frame")
            told = table.frame.iloc[rows]
    else:
        table, beyond = Table.of(frame, "the new rows", schema_of(result).names), {}
        placed, index, told = put_under(result, table, model), table.frame.index, table.frame
    why, nowhere = [beyond.get(row) for row in range(len(index))], placed.numbers < 0
    moves = (placed.before != placed.after) & ~nowhere[:, None]
    own = {
        "explanation": numbered(placed.numbers),
        "outcome": _texts(placed.outcomes),
        "reason": _texts(placed.reasons),
        "needed_changes": pd.Series([entry and entry.needed_changes for entry in why], dtype="Int64"),
        "blocked_by": _texts(entry and ("; ".join(entry.blocked_by) or None) for entry in why),
        "changes": pd.Series(moves.sum(axis=1), dtype="Int64").mask(nowhere),
        "change": _texts(_change_words(result, placed, moves, told)),
    }
    targets = (feature.target_values for feature in schema.features)
    return _frame(own, list(map(_column, targets, np.where(moves, placed.after, -1).T)), schema, index)


def _change_words(
    result: Result, placed: Placed, moves: BoolArray, own: pd.DataFrame | None
) -> list[str | None]:
    """Tell what each row changes: from its own value, or else from its cell, to what it is sent to."""
    labels = result.labels
    words: list[list[str]] = [[] for _ in range(len(moves))]
    for feature, name in enumerate(labels.schema.names):
        column = None if own is None else own[name].array
        for row in np.flatnonzero(moves[:, feature]).tolist():
            old = labels.level(feature, int(placed.before[row, feature]))
            if column is not None:
                old = labels.value(feature, column[row])
            new = labels.target(feature, int(placed.after[row, feature]))
            words[row].append(f"{labels.feature(feature)}: {old} -> {new}")
    return ["; ".join(told) or None for told in words]


def assign(result: Result, frame: AnyFrame, model: AnyModel = None, *, first: Literal[0, 1] = 0) -> AnyValue:
    """Put new rows under these explanations, by the same definition as those that were explained.

    Parameters
    ----------
    frame : frame
        New rows; or a source that :meth:`oneformany.OneForMany.explain` reads in batches.
    model : OneForMany or classifier, optional
        Says whether a row is accepted, as it is and after following: the explainer, or its model, with
        the threshold and the positive class of this result. It may be left out where cells decide the
        model's answer and rows share a point, for then a row ends where others ended.
    first : {0, 1}
        The number of the first explanation. 0: indices into ``explanations``, as in ``assignment``, -1
        for rows without one. 1: numbers as in tables and summaries, missing for rows without one.

    Returns
    -------
    Series
        The explanation of each row (of a source that is read in batches an iterator, with one series for each
        batch), called ``explanation_index`` when counted from 0, and ``explanation`` when counted from 1,
        the name that joins it to ``to_frame``. A row has none where none fits,
        and where the model accepts it as it is; without a model nobody knows that: give refused rows. A
        value that was not there before may stay where no rule speaks of it and the model reads it; where
        it keeps a row from an explanation, a warning names its column and row. Which of these it was says
        ``assignment_frame(frame, model)``.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> explainer = ofm.OneForMany(DecisionTreeClassifier().fit(frame, [0, 0, 0, 1]), max_changes=2)
    >>> result = explainer.explain(frame)
    >>> letters = result.assign(frame, explainer, first=1)
    >>> frame.join(letters).merge(result.to_frame()["changed_features"], on="explanation")
       income  savings  explanation changed_features
    0       1        1            1  income; savings
    1       1        2            1  income; savings
    2       2        1            1  income; savings
    """
    if first not in (0, 1):
        raise InputError(f"first is {first!r}; it must be 0 (indices) or 1 (numbers as in the tables)")
    if not hasattr(frame, "columns") or hasattr(frame, "npartitions"):
        streams = import_module("oneformany.explainer.streams")  # a result itself reads no batches
        if streams.is_stream(frame):
            return import_module("oneformany.explainer.assigning").assigned(result, frame, model, first)
    table = Table.of(frame, "the new rows", schema_of(result).names)
    found, index = put_under(result, table, model).numbers, table.frame.index
    return numbered(found, index) if first else pd.Series(found, index, name="explanation_index")


def write_assignment(
    result: Result, path: str | os.PathLike[str], frame: AnyFrame, model: AnyModel
) -> dict[str, int]:
    """Write a Parquet file that tells of each row of a source which explanation it has.

    Its columns: ``row`` (of a file the number of the row from 0, otherwise the label of its frame's index),
    ``explanation`` (numbered from 1, missing for rows without one) and ``outcome`` ("explained", "already
    positive", "cannot be helped", "left out" or "undecided"; "none fits" or "cannot be read" where ``model``
    has no reference data). Rows are read, and written, batch by batch.

    Parameters
    ----------
    path : path
        Where to.
    frame : path, iterator or Dask frame
        The source.
    model : OneForMany or classifier
        As in :meth:`assign`.

    Returns
    -------
    dict
        How many rows have each outcome.
    """
    assigning = import_module("oneformany.explainer.assigning")
    counts: dict[str, int] = assigning.write_assigned(result, path, frame, model)
    return counts


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


def shown_rounds(result: Result) -> tuple[list[Round], str, str]:
    """Rounds of one picture, all about what the first answer is about; what they count, and their bound."""
    rounds = [step for step in result.statistics.rounds if step.count]
    kept = [step for step in rounds if step.measure == rounds[0].measure]
    counted, proved = MEASURED[kept[0].measure if kept else "explanations"]
    return kept, counted.format(several=result.labels.several), proved


def _frame(
    own: Mapping[str, pd.Series[Any]], values: list[pd.Series[Any]], schema: Schema, rows: pd.Index
) -> pd.DataFrame:
    """Put columns of ours, whose names give way to those of the features, before theirs."""
    names = [free_name(name, schema.names) for name in own]
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
