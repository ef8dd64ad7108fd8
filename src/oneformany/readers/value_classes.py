"""Values of a column that are the same to a model, as one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import IntArray
from oneformany.own import NO_TARGET
from oneformany.schema.cells import Told, same_rows
from oneformany.schema.feature import Feature
from oneformany.schema.values import ColumnValues

__all__ = ["ValueClasses"]


@dataclass(frozen=True, eq=False)
class ValueClasses:
    """Values that lie in one cell and are the same to the model."""

    first: IntArray  # (classes,): a value of each class
    # (values,): the class of each value; -1 for values that neither a row nor a target has
    class_of: IntArray
    cells: IntArray  # (classes,): the cell of each class
    targets: IntArray  # (cells,): the class that each cell sends rows to, or ``NO_TARGET``
    plain: bool  # whether every cell is one class, so that cells decide what the model says

    @classmethod
    def of(
        cls, feature: Feature, column: ColumnValues, cells: IntArray, told: Told | None, n_rows: int
    ) -> ValueClasses:
        """Put values together; without ``told`` the model tells all apart, and rows have the first codes."""
        wanted = {
            cell: column.index_of(value)
            for cell in range(feature.n_levels)
            if (value := feature.target(cell)) is not None
        }
        used = np.zeros(len(cells), dtype=np.bool_)
        used[column.codes[:n_rows]] = True
        used[list(wanted.values())] = True
        kinds = np.arange(len(cells)) if told is None else same_rows(told.rows)
        indices = np.flatnonzero(used)
        _, first, number = np.unique(
            np.stack([cells[indices], kinds[indices]], axis=1), axis=0, return_index=True, return_inverse=True
        )
        of = np.full(len(cells), -1, dtype=np.int64)
        of[indices] = number.ravel()
        targets = np.full(feature.n_levels, NO_TARGET, dtype=np.int64)
        for cell, index in wanted.items():
            targets[cell] = of[index]
        found = cells[indices[first]].astype(np.int64)
        plain = len(found) == feature.n_levels
        return cls(indices[first], of, found, targets, plain)
