"""Read a schema off a data frame: categories become levels, long lists of numbers become bins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_integer, number_label, plain_value
from oneformany.schema.schema import Schema, check_columns

ANY_VALUE = "any value"
NUMBERS = ("integer", "floating", "mixed-integer-float")
LONGEST_VALUE = 40
DATES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period", "interval")


def infer_schema(
    frame: pd.DataFrame,
    *,
    columns: Sequence[str] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    bins: int | None = 4,
    max_levels: int = 10,
) -> Schema:
    """Make a schema from the columns of a frame.

    Texts and truth values become levels, categories keep their order; numbers with few distinct values
    become ordered levels, other numbers are cut into bins. Missing values are a level of their own.

    Parameters
    ----------
    frame : DataFrame
        Best the data that the model was fitted on, so that every value of interest occurs.
    columns : sequence of str, optional
        Which columns are features; by default all.
    edges : mapping of column to bin edges, optional
        Bins of one's own; a bin includes its right edge.
    bins : int or None
        How many bins of about equally many rows other numbers are cut into; ``None``: never cut, every
        distinct number is a level.
    max_levels : int
        Numbers with at most so many distinct values are not cut.

    Raises
    ------
    InputError
        A column is not there, or holds neither texts, truth values nor numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = infer_schema(pd.DataFrame({"job": ["no", "yes"], "rooms": [1, 2]}))
    >>> schema.names, schema.levels
    (('job', 'rooms'), (2, 2))
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"a schema is read off a pandas DataFrame, not {type(frame).__name__}")
    if frame.empty:
        raise InputError("the frame has no rows or no columns; a schema needs both")
    if bins is not None and not is_integer(bins, 2):
        raise InputError(f"bins is {bins!r}; it must be None or an integer of at least 2")
    names = list(frame.columns) if columns is None else list(columns)
    own_edges = dict(edges or {})
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"the column name {name!r} is not a text; rename it")
    check_columns(frame, [*names, *own_edges])
    if stray := [name for name in own_edges if name not in names]:
        raise InputError(f"edges are given for {stray[0]!r}, which is none of the columns")
    features = []
    for name in names:
        there = frame[name].dropna()
        feature = _read_column(there, own_edges.get(name), bins, max_levels)
        features.append(feature.with_cells(missing=len(there) < len(frame)))
    return Schema(tuple(features))


def bin_labels(edges: Sequence[float], *, integers: bool = False) -> tuple[str, ...]:
    """Name the bins between increasing edges, such as ``"<= 18"``, ``"18 to 33"``, ``"> 33"``.

    A bin includes its right edge. Where only integers occur, its first and last one name it: ``"19-33"``.
    """
    inner = [_inner_label(low, high, integers=integers) for low, high in pairwise(edges)]
    return (f"<= {number_label(edges[0])}", *inner, f"> {number_label(edges[-1])}")


def bins_of(name: str, edges: Sequence[float], numbers: FloatArray) -> Feature:
    """Make a feature of bins, named by integers if all the numbers are."""
    integers = bool((numbers == np.floor(numbers)).all())
    return Feature(name, bin_labels(edges, integers=integers), ordered=True, edges=tuple(edges))


def levels_of_values(name: str, values: Sequence[Any], *, ordered: bool = False) -> Feature:
    """Make every value a level of its own."""
    labels = tuple(number_label(value) for value in values)
    if all(isinstance(value, str) for value in values):
        return Feature(name, labels, ordered=ordered)
    if all(isinstance(value, (bool, int, float)) for value in values):
        return Feature(name, labels, ordered=ordered, numbers=tuple(values))
    if len(set(labels)) < len(labels):
        labels = tuple(repr(value) for value in values)
    return Feature(name, labels, ordered=ordered, groups=tuple((value,) for value in values))


def check_finite(column: pd.Series[Any]) -> None:
    """Refuse infinite numbers."""
    infinite = np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if infinite.any():
        row = column.index[int(np.argmax(infinite))]
        raise InputError(
            f"column {column.name!r}, row {row}: the number is infinite; replace it or drop the row"
        )


def column_kind(column: pd.Series[Any]) -> Literal["number", "boolean", "category"]:
    """Say what the values of a column are; dates, lists, and numbers beside texts are refused."""
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "categorical":
        found = pd.api.types.infer_dtype(column.cat.categories, skipna=True)
        if found not in DATES:
            return "category"
    if found in DATES:
        raise InputError(
            f"column {column.name!r} holds dates or times ({found}); turn them into numbers, such as the "
            "days up to a fixed day, before the model is fitted, or drop the column if the model does not "
            "need it"
        )
    if found in NUMBERS or (found == "empty" and pd.api.types.is_numeric_dtype(column)):
        return "number"
    if found == "boolean":
        return "boolean"
    if found in {"string", "empty"}:
        return "category"
    _refuse_if_mixed(column)
    raise InputError(
        f"column {column.name!r} holds {found} values; turn them into texts, truth values, numbers or "
        "categories"
    )


def _refuse_if_mixed(column: pd.Series[Any]) -> None:
    """Refuse values of several kinds, by the first row that is not of the most frequent one."""
    present = column[column.notna()]
    kinds = present.map(_kind_in_words)
    usual = kinds.value_counts().index[0]
    others = np.flatnonzero((kinds != usual).to_numpy())
    if len(others):
        first, kind = others[0], kinds.iloc[others[0]]
        value = repr(plain_value(present.iloc[first]))[:LONGEST_VALUE]
        raise InputError(
            f"column {column.name!r} holds {usual} and {kind}: the first of these {kind} is {value} in row "
            f"{present.index[first]}; turn all values into numbers, with pandas.to_numeric(column, "
            "errors='coerce'), or all into texts, with column.astype(str), as the model was fitted on them"
        )


def _kind_in_words(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "truth values"
    if isinstance(value, Real):
        return "numbers"
    return "texts" if isinstance(value, str) else f"values of the type {type(value).__name__}"


def _read_column(
    column: pd.Series[Any], edges: Sequence[float] | None, bins: int | None, max_levels: int
) -> Feature:
    name = str(column.name)
    categories = isinstance(column.dtype, pd.CategoricalDtype)
    if column.empty and not categories:
        return Feature(name, (ANY_VALUE,), edges=())
    kind = column_kind(column)
    if kind == "number":
        return _number_feature(column, edges, bins, max_levels)
    if edges is not None:
        raise InputError(f"column {name!r} has edges but holds values of the kind {kind}, not numbers")
    if categories:
        return levels_of_values(name, column.cat.categories.tolist(), ordered=bool(column.cat.ordered))
    return levels_of_values(name, [False, True] if kind == "boolean" else sorted(column.unique().tolist()))


def _number_feature(
    column: pd.Series[Any], edges: Sequence[float] | None, bins: int | None, max_levels: int
) -> Feature:
    name = str(column.name)
    check_finite(column)
    numbers = column.to_numpy(dtype=np.float64)
    distinct = np.unique(numbers)
    if edges is None:
        if bins is None or len(distinct) <= max(1, max_levels):
            if pd.api.types.infer_dtype(column) == "integer":
                distinct = np.unique(column.to_numpy(dtype=np.int64))
            return levels_of_values(name, distinct.tolist(), ordered=True)
        edges = _quantiles(numbers, distinct, bins)
    if not len(edges):
        raise InputError(f"column {name!r} has an empty list of edges; give at least one")
    return bins_of(name, edges, distinct)


def _quantiles(numbers: FloatArray, distinct: FloatArray, bins: int) -> list[float]:
    """Edges that occur as values; the largest value is none, for nothing lies above it."""
    shares = np.arange(1, bins) / bins
    cuts = np.unique(np.quantile(numbers, shares, method="lower"))
    below = cuts[cuts < distinct[-1]].tolist()
    return below or [float(distinct[-2])]


def _inner_label(low: float, high: float, *, integers: bool) -> str:
    first, last = math.floor(low) + 1, math.floor(high)
    if integers and first < last:
        return f"{first}-{last}"
    if integers and first == last:
        return f"{first}"
    return f"{number_label(low)} to {number_label(high)}"
