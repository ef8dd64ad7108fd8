"""Which rows of a frame were explained, for how many people each stands, and which subgroup it is in."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneformany.arrays import IntArray
from oneformany.exceptions import Argument, InputError
from oneformany.problem.problem import checked_people
from oneformany.result.following import check_unchanged, explained_rows
from oneformany.result.labels import shown
from oneformany.result.result import Result
from oneformany.result.row_index import plain_label
from oneformany.schema.feature import free_name, suggestion
from oneformany.schema.frames import Table

MOST_GROUPS = 20  # values of one column: more are numbers or names, which make no subgroups
AnyCategories = Any
"""A categorical of pandas, whose stubs differ in what its categories may be."""


def people_of_rows(result: Result, people: ArrayLike | None, asked: IntArray, n_rows: int) -> IntArray:
    """How many people each row of the frame stands for, checked against those of the result."""
    known = result.people_of_rows
    if people is None and "people" in result.problem and len(known) < n_rows:
        raise InputError(
            "rows of this result stand for several people, and it does not say for how many the accepted "
            "ones do; give ",
            Argument("people"),
            " as it was given to explain",
        )
    counts = checked_people(people, n_rows)
    if counts is None:
        counts = np.ones(n_rows, dtype=np.int64)
        counts[asked] = known
    differing = np.flatnonzero(counts[asked] != known)
    if len(differing):
        row = differing[0]
        raise InputError(
            f"row {shown(result.index[row])} stood for {known[row]} people when it was explained, and for "
            f"{counts[asked[row]]} now; give ",
            Argument("people"),
            " as it was given to explain",
        )
    return counts


def read_columns(result: Result, frame: pd.DataFrame) -> Table:
    """The columns that were explained, without those that only make subgroups."""
    names = result.labels.schema.names
    return Table.of(frame[[column for column in frame.columns if str(column) in names]])


def crossed(frame: pd.DataFrame, columns: Sequence[Hashable]) -> AnyCategories:
    """Subgroups by one column, or by each combination of the values of several."""
    each = [_subgroups(frame, column) for column in columns]
    if len(each) == 1:
        return each[0]
    together = [" & ".join(map(str, values)) for values in zip(*each, strict=True)]
    return pd.Categorical(together)


def _subgroups(frame: pd.DataFrame, by: Hashable) -> AnyCategories:
    if not isinstance(by, Hashable):
        raise InputError(f"by is {by!r}; give one column, or a list of columns to cross")
    if by not in frame.columns:
        known = list(map(str, frame.columns))
        raise InputError(f"the frame has no column {by!r} to make subgroups by{suggestion(str(by), known)}")
    column = frame[by]
    if column.isna().any():
        column = column.astype(object).where(column.notna(), free_name("missing", column.unique()))
    subgroups = pd.Categorical(column).remove_unused_categories()
    count = len(subgroups.categories)
    if count < 2:
        values = ", ".join(map(shown, subgroups.categories)) or "nothing"
        raise InputError(f"the column {by!r} holds only {values}; there are no subgroups to compare")
    if count > MOST_GROUPS:
        raise InputError(
            f"the column {by!r} has {count} values; subgroups need 2 to {MOST_GROUPS}: put numbers and dates "
            "into ranges first (in Python: pandas.cut)"
        )
    return subgroups


def positions(result: Result, frame: pd.DataFrame) -> IntArray:
    """Where the explained rows stand in the frame, checked by their labels and, if it has them, values.

    Rows that have names of their own are found by these, in whatever order the frame has them.
    """
    rows = explained_rows(result, len(frame), "explain this one in memory")
    names = pd.Index([str(plain_label(label)) for label in frame.index])
    known = pd.Index([str(plain_label(label)) for label in result.index])
    found = names.get_indexer(known) if names.is_unique else rows
    if (found >= 0).all():
        rows = found.astype(np.int64)
    for label, told in zip(frame.index[rows], result.index, strict=True):
        if str(plain_label(label)) != str(plain_label(told)):
            named = [
                f"; the column {name!r} named the rows then: make it the index (--index)"
                for name in result.index.names
                if name in frame.columns
            ]
            raise InputError(
                f"row {shown(label)} of the frame was called {shown(told)} when it was explained; pass the "
                f"very frame that was explained{''.join(named[:1])}"
            )
    schema = result.schema
    if schema is not None and set(schema.names) <= set(map(str, frame.columns)):
        table = Table.of(frame, needed=schema.names)
        check_unchanged(schema, table, rows, result.codes, "pass the very frame that was explained")
    return rows
