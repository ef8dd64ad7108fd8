"""What the user calls the rows: labels of a frame's index, as plain data that becomes that index again."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Self

import numpy as np
import pandas as pd

SEVERAL = "several"


class RowIndex(tuple[Any, ...]):  # noqa: SLOT001 (a tuple with two attributes)
    """Labels of rows in order, with the names and the type of the index they come from.

    Parameters
    ----------
    labels : iterable
        One label per row.
    names : sequence of str or None
        Names of the index; one, or several for labels that are tuples.
    dtype : str or None
        Type of the pandas index, or, after "several; ", those of its levels; ``None``: as pandas chooses.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 62]}, index=pd.Index(["ann", "bob"], name="who"))
    >>> index = RowIndex.of(frame.index)
    >>> index[1], index.names
    ('bob', ('who',))
    >>> index.to_pandas().equals(frame.index)
    True
    """

    names: tuple[Any, ...]
    dtype: str | None

    def __new__(cls, labels: Iterable[Any], names: Sequence[Any] = (None,), dtype: str | None = None) -> Self:
        """Take labels as plain Python objects."""
        own = (
            label.item() if isinstance(label, np.generic) and not isinstance(label, np.datetime64) else label
            for label in labels
        )
        made = super().__new__(cls, own)
        made.names, made.dtype = tuple(names), dtype
        return made

    @classmethod
    def of(cls, labels: Iterable[Any]) -> "RowIndex":
        """Take the labels of a pandas index, of another one of these, or any others.

        Parameters
        ----------
        labels : iterable
            One label per row.
        """
        if isinstance(labels, cls):
            return labels
        if not isinstance(labels, pd.Index):
            return cls(labels)
        if isinstance(labels, pd.MultiIndex):
            return cls(labels, labels.names, "; ".join([SEVERAL, *map(str, labels.dtypes)]))
        return cls(labels, labels.names, str(labels.dtype))

    def to_pandas(self) -> pd.Index:
        """Make a pandas index of the labels."""
        several, *kinds = (self.dtype or "").split("; ")
        if several == SEVERAL:
            typed = [_typed(level, kind) for level, kind in zip_longest(zip(*self, strict=True), kinds)]
            return pd.MultiIndex.from_arrays(typed, names=list(self.names))
        return _typed(self, self.dtype).rename(self.names[0])

    def to_list(self) -> list[Any]:
        """Plain data for JSON: numbers, texts, and text for what JSON does not know."""
        return [plain_label(label) for label in self]

    @classmethod
    def from_list(
        cls, labels: Sequence[Any], names: Sequence[Any] = (None,), dtype: str | None = None
    ) -> "RowIndex":
        """Rebuild from :meth:`to_list`, with the labels in their own types again.

        Parameters
        ----------
        labels, names, dtype
            As in the file.
        """
        read = cls(map(_read, labels), tuple(map(_read, names)), dtype)
        return read if dtype is None else cls(read.to_pandas(), read.names, dtype)


def _typed(labels: Iterable[Any], dtype: str | None) -> pd.Index:
    with suppress(TypeError, ValueError):  # a type of another library, which this machine may lack
        index: pd.Index = pd.Index(list(labels), dtype=dtype, tupleize_cols=False)
        return index
    inferred: pd.Index = pd.Index(list(labels), tupleize_cols=False)
    return inferred


def _read(label: object) -> object:
    return tuple(map(_read, label)) if isinstance(label, list) else label


def plain_label(label: object) -> object:
    """Write a label for JSON."""
    if isinstance(label, tuple):
        return [plain_label(part) for part in label]
    if isinstance(label, float):
        return label if math.isfinite(label) else None
    return label if label is None or isinstance(label, (int, str)) else str(label)
