"""Frames of any library as pandas frames whose columns have text names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.exceptions import InputError


@dataclass(frozen=True, eq=False)
class Table:
    """A frame with the user's index and with texts as names, and what the user calls its columns."""

    frame: pd.DataFrame
    labels: dict[str, Hashable]

    @classmethod
    def of(cls, frame: AnyFrame, what: str = "the rows") -> Table:
        """Take a frame of any library that narwhals knows; messages call it ``what``.

        It needs rows, and columns whose names as texts differ.
        """
        given = as_pandas(frame, what)
        names = [str(label) for label in given.columns]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"the frame has {names.count(name)} columns named {name!r}; keep one")
        if not names:
            raise InputError(f"{what} have no columns; give at least one")
        if given.empty:
            raise InputError(f"{what} are an empty frame; give at least one row")
        if isinstance(given.columns, pd.MultiIndex):
            raise InputError(f"{what} have columns of several levels; join their names into one text each")
        labels: dict[str, Hashable] = dict(zip(names, given.columns.tolist(), strict=True))
        return cls(given.set_axis(names, axis=1), labels)

    def named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give columns back the names that they had."""
        return frame.set_axis([self.labels.get(name, name) for name in frame.columns], axis=1)


def as_pandas(frame: AnyFrame, what: str = "the rows") -> pd.DataFrame:
    """Turn a frame of pandas, polars, pyarrow or any library that narwhals knows into one of pandas."""
    if isinstance(frame, pd.DataFrame):
        return frame
    if isinstance(frame, (np.ndarray, list, tuple, dict, str, pd.Series)):
        raise InputError(
            f"{what} must be a pandas DataFrame (or one of polars or pyarrow), not {type(frame).__name__}; "
            "pandas.DataFrame(...) makes one, with the names of the columns"
        )
    try:
        import narwhals.stable.v1 as narwhals
    except ImportError as error:
        raise InputError(
            f"{what} must be a pandas DataFrame, not {type(frame).__name__}; install narwhals for others"
        ) from error
    try:
        native = narwhals.from_native(frame)
    except TypeError as error:
        raise InputError(
            f"{what} must be a pandas DataFrame (or one of polars or pyarrow), not {type(frame).__name__}"
        ) from error
    if isinstance(native, narwhals.LazyFrame):
        native = native.collect()
    made: pd.DataFrame = native.to_pandas()
    return made
