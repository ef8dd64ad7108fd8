"""Read a schema off a data frame: categories become levels, long lists of numbers become bins."""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError
from oneformany.schema.feature import Feature, is_integer, number_label
from oneformany.schema.frames import Column, ColumnValues, Table
from oneformany.schema.schema import Schema

ANY_VALUE = "any value"
ANY_NUMBER = "any number"


def infer_schema(
    frame: AnyFrame,
    *,
    columns: Sequence[Hashable] | None = None,
    edges: Mapping[Any, Sequence[float]] | None = None,
    bins: int | None = 4,
    max_levels: int = 10,
) -> Schema:
    """Make a schema from the columns of a frame.

    Texts and truth values become levels, categories keep their order; numbers with few distinct values
    become ordered levels, other numbers are cut into bins. Missing values are a level of their own.

    Parameters
    ----------
    frame : frame
        Best the data that the model was fitted on, so that every value of interest occurs.
    columns : sequence of names, optional
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
    if bins is not None and not is_integer(bins, 2):
        raise InputError(f"bins is {bins!r}; it must be None or an integer of at least 2")
    own_edges = {str(name): cuts for name, cuts in (edges or {}).items()}
    names = None if columns is None else list(map(str, columns))
    read = Table.of(frame, needed=None if names is None else [*names, *own_edges]).frame
    names = list(read.columns) if names is None else names
    if stray := [name for name in own_edges if name not in names]:
        raise InputError(f"edges are given for {stray[0]!r}, which is none of the columns")
    return Schema(tuple(_read(read[name], own_edges.get(name), bins, max_levels) for name in names))


def bin_labels(edges: Sequence[float], *, integers: bool = False) -> tuple[str, ...]:
    """Name the bins between increasing edges, such as ``"<= 18"``, ``"18 to 33"``, ``"> 33"``.

    A bin includes its right edge. Where only integers occur, its first and last one name it: ``"19-33"``.
    """
    labels = [f"<= {number_label(edges[0])}"]
    for low, high in pairwise(edges):
        first, last = math.floor(low) + 1, math.floor(high)
        if integers and first <= last:
            labels.append(f"{first}-{last}" if first < last else f"{first}")
        else:
            labels.append(f"{number_label(low)} to {number_label(high)}")
    return (*labels, f"> {number_label(edges[-1])}")


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


def _read(column: Column, edges: Sequence[float] | None, bins: int | None, max_levels: int) -> Feature:
    """Make a feature of a column."""
    name, there = str(column.name), column.notna().to_numpy()
    gaps = not there.all()
    if not there.any() and not isinstance(column.dtype, pd.CategoricalDtype):
        return Feature(name, (ANY_VALUE,), edges=()).with_cells(missing=True)
    values = ColumnValues.of(column)
    plain = (False, True) if values.kind == "boolean" else values.plain[: int((~values.gaps).sum())]
    if isinstance(values.array, pd.Categorical):
        plain = tuple(values.array.categories.tolist())
    numbers = values.numbers[values.codes[there]] if values.kind == "number" else np.zeros(0)
    if edges is None and bins is not None and len(numbers) and len(plain) > max(1, max_levels):
        edges = np.unique(np.quantile(numbers, np.arange(1, bins) / bins, method="lower")).tolist()
        if edges[-1] == numbers.max():  # nothing lies above it
            edges = edges[:-1] or [float(numbers[numbers < edges[-1]].max())]
    if edges is None:
        return levels_of_values(name, plain, ordered=values.ordered).with_cells(missing=gaps)
    if values.kind != "number":
        raise InputError(f"column {name!r} has edges but holds values of the kind {values.kind}, not numbers")
    if not len(edges):
        raise InputError(f"column {name!r} has an empty list of edges; give at least one")
    return bins_of(name, edges, numbers).with_cells(missing=gaps)
