"""Codes as rows of a frame, for models that read frames: what number a bin stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.readers.columns import columns_of
from oneformany.schema.discretise import infer_schema
from oneformany.schema.feature import Feature
from oneformany.schema.frames import ValueSchema, alike, in_own_type
from oneformany.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Rows:
    """What every level of every feature is in a frame that a model reads.

    A label, a number or a truth value stands for itself. A bin stands for one number inside it: the
    median of the numbers that a frame has there (the lower one of two, so that it occurs), or its right
    edge where the frame has none; the last bin has no right edge and stands for a number as far above its
    left edge as the bin before is wide. Build it with :meth:`of`.
    """

    schema: Schema  # the features
    values: tuple[Any, ...]  # ``values[l][v]``: what stands in the frame for level ``v`` of feature ``l``
    # Further columns, which the model demands but does not read, with a value for all rows
    fixed: dict[str, Any]
    names: tuple[str, ...]  # columns of the frames, in order

    @classmethod
    def of(
        cls, schema: Schema, frame: pd.DataFrame | None = None, names: Sequence[str] | None = None
    ) -> Rows:
        """Find the values, in columns as the model names them; numbers in bins and types are the frame's."""
        order = tuple(schema.names if names is None else names)
        if isinstance(schema, ValueSchema):
            if missing := [name for name in order if name not in schema.names]:
                raise InputError(f"the model reads the column {missing[0]!r}, which is not here; add it")
            return cls(schema, schema.arrays, {}, order)
        others = [name for name in order if name not in schema.names]
        if others and (frame is None or others[0] not in frame.columns):
            raise InputError(f"the model reads the column {others[0]!r}, which the schema lacks; add it")
        values = tuple(_values(feature, _column(frame, feature.name)) for feature in schema.features)
        fixed = {name: frame[name].iloc[:1].array for name in others} if frame is not None else {}
        return cls(schema, values, fixed, order)

    def frame(self, codes: IntArray) -> pd.DataFrame:
        """Turn an ``(n, p)`` array of codes into a frame with a row for each."""
        codes = np.atleast_2d(codes)
        columns = {name: value.take(np.zeros(len(codes), np.int64)) for name, value in self.fixed.items()}
        for index, name in enumerate(self.schema.names):
            columns[name] = self.values[index].take(codes[:, index])
        made = pd.DataFrame({name: in_own_type(columns[name]) for name in self.names})
        if isinstance(self.schema, ValueSchema):
            made.columns = pd.Index([self.schema.labels.get(name, name) for name in self.names])
        return made


def wanted_columns(model: AnyModel, frame: pd.DataFrame | None, schema: Schema | None) -> tuple[str, ...]:
    """Name the columns that a model wants: as it was fitted, else those of the schema or of the frame."""
    if frame is not None and not isinstance(frame, pd.DataFrame):
        raise InputError(f"the rows must be a pandas DataFrame, not {type(frame).__name__}")
    there = () if frame is None else tuple(frame.columns)
    if schema is not None:
        return columns_of(model, schema.names, "the schema", there)
    if frame is None:
        raise InputError("the model reads rows by name: pass a schema or a frame")
    return columns_of(model, there, "the frame")


def own_rows(model: AnyModel, schema: Schema | None, frame: pd.DataFrame | None) -> Rows:
    """Take the rows of a schema, or of a frame in which every distinct value is a level."""
    names = wanted_columns(model, frame, schema)
    if schema is None and frame is not None:
        schema = infer_schema(frame, columns=names, bins=None)
    return Rows.of(cast("Schema", schema), frame, names)


def _column(frame: pd.DataFrame | None, name: str) -> pd.Series[Any] | None:
    return None if frame is None or name not in frame.columns else frame[name]


def _values(feature: Feature, column: pd.Series[Any] | None) -> AnyValue:
    if feature.n_regular < feature.n_levels:
        if column is not None and column.isna().any():
            row = column.index[int(column.isna().to_numpy().argmax())]
            raise InputError(
                f"column {feature.name!r}, row {row}: the value is missing; fill it in or drop the row"
            )
        level = feature.levels[feature.n_regular]
        raise InputError(f"feature {feature.name!r}: no value stands for the level {level!r}; leave it out")
    if feature.edges is not None:
        plain = _inside(feature.edges, column)
    else:
        plain = list(feature.numbers or feature.levels)
    values = pd.Series(plain)
    return (values if column is None else alike(values, column.dtype)).array


def _inside(edges: Sequence[float], column: pd.Series[Any] | None) -> list[Any]:
    """One number in each bin."""
    width = edges[-1] - edges[-2] if len(edges) > 1 else abs(edges[-1]) or 1.0
    numbers: list[Any] = [*edges, edges[-1] + width]
    if column is None or not pd.api.types.is_numeric_dtype(column):
        return numbers
    there = np.sort(column.to_numpy())
    indices = np.searchsorted(edges, there, side="left")
    for level in range(len(numbers)):
        inside = there[indices == level]
        if len(inside):
            numbers[level] = inside[(len(inside) - 1) // 2].item()
    return numbers
