"""Read a schema off a data frame: categories become levels, long lists of numbers become bins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_integer, number_label
from oneformany.schema.frames import ColumnValues
from oneformany.schema.schema import Schema, check_columns

ANY_VALUE = "any value"
ANY_NUMBER = "any number"


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
        gaps = frame[name].isna()
        if gaps.all() and not isinstance(frame[name].dtype, pd.CategoricalDtype):
            feature = Feature(name, (ANY_VALUE,), edges=())
        else:
            feature = _read_column(ColumnValues.of(frame[name]), own_edges.get(name), bins, max_levels)
        features.append(feature.with_cells(missing=bool(gaps.any())))
    return Schema(tuple(features))


def bin_labels(edges: Sequence[float], *, integers: bool = False) -> tuple[str, ...]:
    """Name the bins between increasing edges, such as ``"<= 18"``, ``"18 to 33"``, ``"> 33"``.

    A bin includes its right edge. Where only integers occur, its first and last one name it: ``"19-33"``.
    """
    inner = [_inner_label(low, high, integers=integers) for low, high in pairwise(edges)]
    return (f"<= {number_label(edges[0])}", *inner, f"> {number_label(edges[-1])}")


def bins_of(name: str, edges: Sequence[float], numbers: FloatArray) -> Feature:
    """Make a feature of bins, named by integers if all the numbers are; one bin where there is no edge."""
    if not len(edges):
        return Feature(name, (ANY_NUMBER,), ordered=True, edges=())
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


def _read_column(
    values: ColumnValues, edges: Sequence[float] | None, bins: int | None, max_levels: int
) -> Feature:
    name, kind, there = values.name, values.kind, ~values.gaps
    plain = values.plain[: int(there.sum())]  # missing values are the last
    if kind == "number" and (edges is not None or (bins is not None and len(plain) > max(1, max_levels))):
        cuts = _quantiles(values.numbers[values.codes], bins or 0) if edges is None else edges
        if not len(cuts):
            raise InputError(f"column {name!r} has an empty list of edges; give at least one")
        return bins_of(name, cuts, values.numbers[there])
    if edges is not None:
        raise InputError(f"column {name!r} has edges but holds values of the kind {kind}, not numbers")
    if kind == "boolean":
        plain = (False, True)
    if isinstance(values.array, pd.Categorical):
        plain = tuple(values.array.categories.tolist())
    return levels_of_values(name, plain, ordered=values.ordered)


def _quantiles(numbers: FloatArray, bins: int) -> list[float]:
    """Edges that occur as values; the largest value is none, for nothing lies above it."""
    there = np.sort(numbers[~np.isnan(numbers)])
    cuts = np.unique(np.quantile(there, np.arange(1, bins) / bins, method="lower"))
    below = cuts[cuts < there[-1]].tolist()
    return below or [float(there[there < there[-1]][-1])]


def _inner_label(low: float, high: float, *, integers: bool) -> str:
    first, last = math.floor(low) + 1, math.floor(high)
    if integers and first <= last:
        return f"{first}-{last}" if first < last else f"{first}"
    return f"{number_label(low)} to {number_label(high)}"
