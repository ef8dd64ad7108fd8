"""A data set as frozen plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import DataUnavailableError
from oneformany.schema.discretise import bin_labels
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with readable labels, what to predict, and how to code them.

    Attributes
    ----------
    name : str
        Name to load it by.
    frame : DataFrame
        One column per feature.
    target : (n,) array of 0 and 1
        1 for the positive class.
    schema : Schema
        Features and levels; its one-hot columns are those of the paper where the paper uses the data.
    positive_label, negative_label : str
        The two classes in words.
    description : str
        What the rows are, and what was done to them.
    attribution : str
        Who made the data, and under which licence.
    """

    name: str
    frame: pd.DataFrame
    target: IntArray
    schema: Schema
    positive_label: str
    negative_label: str
    description: str
    attribution: str

    @cached_property
    def codes(self) -> IntArray:
        """The rows as codes."""
        return self.schema.encode(self.frame)

    @property
    def one_hot(self) -> FloatArray:
        """The rows as one-hot columns."""
        return self.schema.one_hot(self.codes)


def binned(
    name: str, edges: Sequence[float], unit: str = "", labels: Sequence[str] = (), *, missing: bool = False
) -> Feature:
    """Make a feature of numbers cut at edges; without labels, bins are named by their edges."""
    integers = all(edge == int(edge) for edge in edges)
    words = (*(labels or bin_labels(edges, integers=integers)), *(["missing"] if missing else []))
    return Feature(name, words, ordered=True, edges=tuple(edges), unit=unit, missing=missing)


def translated(frame: pd.DataFrame, meanings: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Replace the publisher's codes by words; an unknown code says that this is not the published file."""
    columns = {}
    for name, words in meanings.items():
        codes = frame[name].astype(str)
        unknown = codes[~codes.isin(list(words))]
        if len(unknown):
            raise DataUnavailableError(
                f"column {name!r}, row {unknown.index[0]}: {unknown.iloc[0]!r} is none of the codes "
                f"{', '.join(words)}; replace the file by the original"
            )
        columns[name] = codes.map(dict(words))
    return frame.assign(**columns)
