"""Rows with their own values: cells for the engine, values for the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import Oracle
from oneformany.problem.own import NO_TARGET, OwnValues
from oneformany.readers.any_classifier import as_black_box
from oneformany.readers.inputs import Inputs
from oneformany.readers.pipeline import probe
from oneformany.readers.registry import read_model
from oneformany.readers.rows import Rows
from oneformany.readers.splits import Splits, model_splits
from oneformany.readers.verdict import FrameVerdict, Reading
from oneformany.schema.cells import Choice, Told, choose_targets, decide_cells, named_targets, same_rows
from oneformany.schema.encoding import Encoding
from oneformany.schema.feature import Feature, is_missing
from oneformany.schema.frames import ColumnValues, Table, ValueSchema, alike, in_own_type
from oneformany.schema.schema import Schema, no_level
from oneformany.schema.wishes import Wishes

MOST_ENTRIES = 1 << 28
"""Splits times columns times values up to which trees are read, in a second or two; larger ones are asked."""


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
        plain = np.array_equal(found, np.arange(feature.n_levels))
        return cls(indices[first], of, found, targets, plain)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of all columns that a model reads, and the values in them."""

    schema: Schema  # cells and targets
    # Distinct values; ``codes`` are those of the rows, then of the reference data
    columns: tuple[ColumnValues, ...]
    cell_of: tuple[IntArray, ...]  # the cell of each value
    classes: tuple[ValueClasses, ...]  # of each column, values that are the same to the model
    encoding: Encoding | None  # what the model makes of each value
    n_splits: int  # how many splits its trees have, as far as that is known
    labels: dict[str, Any]  # what the user's frames call the columns
    n_rows: int  # number of rows, reference data aside

    @property
    def codes(self) -> IntArray:
        """Cells of the rows."""
        return self._cells(slice(0, self.n_rows))

    @property
    def reference(self) -> IntArray:
        """Cells of the reference data; of the rows where there are none."""
        rest = self._cells(slice(self.n_rows, None))
        return rest if len(rest) else self.codes

    def inside(self, feature: int, cell: int) -> list[Any]:
        """Distinct values of the reference data in a cell."""
        column, of = self.columns[feature], self.cell_of[feature]
        counted = column.codes[self.n_rows :] if len(column.codes) > self.n_rows else column.codes
        found = np.unique(counted)
        plain = column.plain
        return [plain[index] for index in found[of[found] == cell].tolist() if plain[index] is not None]

    def _cells(self, rows: slice) -> IntArray:
        return np.stack(
            [of[c.codes[rows]] for of, c in zip(self.cell_of, self.columns, strict=True)], axis=1
        ).astype(np.int64)


def read_cells(inputs: Inputs, table: Table, reference: Table | None, wishes: Wishes) -> Cells:
    """Decide the cells of all columns that a model reads; the model itself is not asked.

    Targets and edges are taken from the reference data, or from the rows where there are none.
    """
    choices, columns = [], []
    for name in inputs.names:
        choice = wishes.choice(name, inputs.known.get(name))
        choice = replace(choice, unread=name in inputs.unread and choice == Choice())
        choices.append(choice)
        columns.append(_joined(table.frame[name], _column(reference, name), wishes.targets.get(name), choice))
    encoding = None
    if inputs.transform is not None:
        values = ValueSchema.of(inputs.names, [column.array for column in columns], table.labels)
        encoding = probe(inputs.transform, Rows.of(values))
    splits = None if encoding is None else model_splits(inputs.classifier)
    told = _told(inputs, columns, encoding, splits)
    features, cell_of, classes = [], [], []
    for column, choice, seen in zip(columns, choices, told, strict=True):
        counted = column.codes[len(table.frame) :] if reference is not None else column.codes
        counts = np.bincount(counted, minlength=len(column.array))
        feature = decide_cells(column, counts, seen, choice)
        cells = _find_all(feature, column, table)
        asked = named_targets(feature, wishes.targets.get(column.name))
        features.append(choose_targets(feature, column, counts, cells, asked))
        cell_of.append(cells)
        classes.append(ValueClasses.of(features[-1], column, cells, seen, len(table.frame)))
    return Cells(
        Schema(tuple(features)),
        tuple(columns),
        tuple(cell_of),
        tuple(classes),
        encoding,
        0 if splits is None else splits.count,
        table.labels,
        len(table.frame),
    )


def read_values(
    inputs: Inputs, cells: Cells, threshold: float | None, positive: object
) -> tuple[Oracle, OwnValues | None, str | None]:
    """Read the model on the values that it tells apart; trees too large for that are asked instead.

    Returns the model as the engine asks it, own values of the rows, ``None`` where cells decide its answer,
    and why trees are not read but asked as a black box.
    """
    classes = cells.classes
    arrays = [c.array.take(part.first) for c, part in zip(cells.columns, classes, strict=True)]
    values = ValueSchema.of(cells.schema.names, arrays, cells.labels)
    model, least, label, unread = inputs.model, threshold, positive, None
    widest = max(values.levels)
    if cells.n_splits * len(classes) * widest > MOST_ENTRIES:
        box = as_black_box(model, threshold, positive)
        if box is not None:
            model, least, label = box, None, 1
            unread = (
                f"{cells.n_splits} splits, on {len(classes)} columns of up to {widest} values, are too many"
            )
    if cells.encoding is None or unread is not None:
        first = (in_own_type(array[:1]) for array in arrays)
        sample = pd.DataFrame(dict(zip(values.names, first, strict=True)))
        oracle = read_model(model, values, least, label, sample).oracle
    else:
        blocks = tuple(block[part.first] for block, part in zip(cells.encoding.values, classes, strict=True))
        oracle = inputs.reader.load()(
            inputs.classifier, replace(cells.encoding, values=blocks), threshold, positive
        )
        # The reading's oracle asks the model itself where rounding could decide
        oracle = Reading(oracle, FrameVerdict(Rows.of(values), inputs.decide)).oracle
    if all(part.plain for part in classes):
        return oracle, None, unread
    values_of_rows = np.stack(
        [part.class_of[c.codes[: cells.n_rows]] for part, c in zip(classes, cells.columns, strict=True)],
        axis=1,
    )
    own = OwnValues(
        values_of_rows.astype(np.int64),
        tuple(part.cells for part in classes),
        tuple(part.targets for part in classes),
    )
    return oracle, own, unread


def _column(table: Table | None, name: str) -> pd.Series[Any] | None:
    if table is None:
        return None
    if name not in table.frame.columns:
        raise InputError(f"the reference data lack the column {name!r}, which the model reads; add it")
    return table.frame[name]


def _joined(
    column: pd.Series[Any], reference: pd.Series[Any] | None, targets: AnyValue, choice: Choice
) -> ColumnValues:
    """Find the distinct values of rows, reference data and wished targets."""
    if choice.unread:
        return ColumnValues.unread(column if reference is None else pd.concat([column, reference]))
    if reference is None:
        values = ColumnValues.of(column)
    else:
        if isinstance(column.dtype, pd.CategoricalDtype):
            column, reference = _same_categories(column, reference)
        values = ColumnValues.of(pd.concat([column, alike(reference, column.dtype)]).rename(column.name))
    wished = list(targets.values()) if isinstance(targets, Mapping) else list(targets or ())
    wished = [value for value in wished if not is_missing(value) and value != "missing"]
    if values.kind == "number" and (odd := [value for value in wished if not isinstance(value, Real)]):
        raise InputError(f"targets of {column.name!r} must be numbers, as the column is, not {odd[0]!r}")
    values = values.with_values(wished)
    if choice.feature is not None:  # the user's own cells, with the values that they send rows to
        sent = map(choice.feature.target, range(choice.feature.n_levels))
        values = values.with_values([value for value in sent if not is_missing(value)])
    return values


def _same_categories(
    column: pd.Series[Any], reference: pd.Series[Any]
) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Give both the categories of either."""
    kind = reference.dtype
    other = kind.categories if isinstance(kind, pd.CategoricalDtype) else reference.dropna().unique()
    more = [value for value in other if value not in column.cat.categories]
    wide = column.cat.add_categories(more)
    return wide, reference.astype(wide.dtype)


def _find_all(feature: Feature, column: ColumnValues, table: Table) -> IntArray:
    if feature.edges is not None and column.kind == "number" and not feature.special and len(column.plain):
        cells = np.searchsorted(feature.edges, column.numbers, side="left").astype(np.int64)
        if feature.missing_level is not None:
            cells[column.gaps] = feature.missing_level
        if feature.missing_level is not None or not column.gaps.any():
            return cells
    found = [feature.find(value) for value in column.plain]
    if None in found:
        index = found.index(None)
        at = np.flatnonzero(column.codes[: len(table.frame)] == index)
        where = f", row {table.frame.index[int(at[0])]}" if len(at) else " of the reference data"
        raise no_level(feature, column.plain[index], where)
    return np.array(found, dtype=np.int64)


def _told(
    inputs: Inputs, columns: Sequence[ColumnValues], encoding: Encoding | None, splits: Splits | None
) -> list[Told | None]:
    if encoding is None:
        return [_told_by_terms(inputs.model, column) for column in columns]
    return [
        Told(block) if splits is None else _told_by_splits(splits, own, block)
        for own, block in zip(encoding.columns, encoding.values, strict=True)
    ]


def _told_by_splits(splits: Splits, own: IntArray, block: FloatArray) -> Told:
    rows = np.zeros((len(block), len(own)))
    weights = np.zeros(len(block))
    for index, column in enumerate(own.tolist()):
        rows[:, index] = splits.intervals(column, block[:, index])
        weights += splits.between(column, rows[:, index])
    return Told(rows, weights)


def _told_by_terms(model: AnyModel, column: ColumnValues) -> Told | None:
    """See between which cuts of an explainable boosting machine each number lies."""
    names = list(getattr(model, "feature_names_in_", ()))
    bins = getattr(model, "bins_", None)
    if bins is None or column.name not in names or column.kind != "number":
        return None
    cuts = bins[names.index(column.name)]
    if any(isinstance(cut, dict) for cut in cuts):
        return None
    numbers = column.numbers
    rows = np.column_stack([np.searchsorted(cut, numbers, side="right") for cut in cuts]).astype(np.float64)
    rows[np.isnan(numbers)] = np.nan
    return Told(rows, None)
