"""The paper's expanded features: one column per level, and a single column for a two-level feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.paper.methods.model import LinearExpression, Model


class OneHot:
    """Where each level of each feature is found among the expanded features.

    "Feature ``l`` takes level ``v``" reads ``offset[l, v] + sign[l, v] * x[column[l, v]]``. For a two-level
    feature this is its only column or one minus it; a feature of one level has no column (sign 0).
    ``feature`` says which one each column belongs to.
    """

    def __init__(self, levels: Sequence[int]) -> None:
        self.levels = tuple(levels)
        shape = (len(self.levels), max(self.levels))
        self.column = np.zeros(shape, dtype=np.int64)
        self.sign = np.zeros(shape)
        self.offset = np.zeros(shape)
        feature: list[int] = []
        for number, n in enumerate(self.levels):
            if n >= 3:
                self.column[number, :n] = len(feature) + np.arange(n)
                self.sign[number, :n] = 1.0
                feature += [number] * n
            elif n == 2:
                self.column[number, :2] = len(feature)
                self.sign[number, :2] = (-1.0, 1.0)
                self.offset[number, 0] = 1.0
                feature.append(number)
            else:
                self.offset[number, 0] = 1.0
        self.feature = np.array(feature, dtype=np.int64)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.feature)

    @property
    def categorical(self) -> list[IntArray]:
        """Columns of each feature of which exactly one must be 1: the paper's ``T_c``."""
        return [np.flatnonzero(self.feature == number) for number, n in enumerate(self.levels) if n >= 3]

    @property
    def variable(self) -> IntArray:
        """Features of more than one level: those with columns."""
        return np.unique(self.feature)

    def encode(self, codes: IntArray) -> FloatArray:
        """Expand an ``(n, p)`` array of codes."""
        codes = np.atleast_2d(codes)
        values = np.zeros((len(codes), self.width))
        for feature in self.variable:
            present = self.sign[feature, codes[:, feature]] > 0
            values[present, self.column[feature, codes[present, feature]]] = 1.0
        return values

    def decode(self, values: FloatArray) -> IntArray:
        """Read one code per feature off (nearly) integer values of the columns."""
        padded = np.append(values, 0.0)
        present = self.offset + self.sign * padded[self.column]
        return np.asarray(present.argmax(axis=1), dtype=np.int64)

    def affine(self, tables: Sequence[FloatArray], x: IntArray) -> LinearExpression:
        """Write ``sum of tables[l][level of l]`` in the variables ``x`` of the columns."""
        constant = 0.0
        values = np.zeros(self.width)
        for feature, table in enumerate(tables):
            n = len(table)
            constant += float(self.offset[feature, :n] @ table)
            if n > 1:
                np.add.at(values, self.column[feature, :n], self.sign[feature, :n] * table)
        used = values != 0.0
        return LinearExpression(x[used], values[used], constant)

    def choice(self, feature: int, levels: BoolArray, x: IntArray) -> LinearExpression:
        """Write "``feature`` takes one of these levels" as 1 or 0 in the variables ``x``."""
        tables = [np.zeros(n) for n in self.levels]
        tables[feature] = levels[: self.levels[feature]].astype(np.float64)
        return self.affine(tables, x)

    def add_point(self, model: Model, count: int) -> IntArray:
        """Add the columns of so many points to a model, each with one level per feature."""
        x = model.variables.add(count, self.width)
        for columns in self.categorical:
            model.constraints.add(x[:, columns], 1.0, lower=1.0, upper=1.0)
        return x
