"""Rows with their own values: cells for the engine, values for the model."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.protocol import Oracle
from oneformany.problem.own import NO_TARGET, OwnValues
from oneformany.readers.callables import BlackBox, as_black_box
from oneformany.readers.columns import Rows, TimeIsUpError, check_time, probe
from oneformany.readers.inputs import Inputs
from oneformany.readers.registry import read_model
from oneformany.readers.trees.tree_reading import Splits, model_splits
from oneformany.readers.verdict import FrameVerdict, Reading
from oneformany.schema.cells import Choice, Told, choose_targets, decide_cells, named_targets, same_rows
from oneformany.schema.encoding import Encoding
from oneformany.schema.feature import Feature, is_missing, no_level
from oneformany.schema.frames import ColumnValues, Table, alike, in_own_type
from oneformany.schema.schema import Schema, ValueSchema
from oneformany.schema.wishes import Wishes
from oneformany.stop import Stop

MOST_ENTRIES = 1 << 28
"""Splits times columns times values up to which trees are read, in a second or two; larger ones are asked."""

TIME_WAS_UP = "time was up before it was read"


@dataclass(frozen=True, eq=False)
class CellColumn:
    """A column that a model reads: its values, their cells, and which values are the same to the model.

    Values of one class lie in one cell and are the same to the model.
    """

    feature: Feature  # cells and targets
    distinct: ColumnValues  # ``codes`` are those of the rows, then of the reference data
    cell_of: IntArray  # (values,): the cell of each
    class_of: IntArray  # (values,): the class of each; -1 where neither a row nor a target has it
    first: IntArray  # (classes,): a value of each class
    targets: IntArray  # (cells,): the class that each cell sends rows to, or ``NO_TARGET``

    @classmethod
    def of(
        cls, feature: Feature, distinct: ColumnValues, cell_of: IntArray, told: Told | None, n_rows: int
    ) -> CellColumn:
        """Put values together; without ``told`` the model tells all apart, and rows have the first codes."""
        wanted = {
            cell: distinct.index_of(value)
            for cell in range(feature.n_levels)
            if (value := feature.target(cell)) is not None
        }
        used = np.union1d(distinct.codes[:n_rows], list(wanted.values())).astype(np.int64)
        kinds = np.arange(len(cell_of)) if told is None else same_rows(told.rows)
        _, first, number = np.unique(
            np.stack([cell_of[used], kinds[used]], axis=1), axis=0, return_index=True, return_inverse=True
        )
        class_of = np.full(len(cell_of), -1, dtype=np.int64)
        class_of[used] = number.ravel()
        targets = np.full(feature.n_levels, NO_TARGET, dtype=np.int64)
        targets[list(wanted)] = class_of[list(wanted.values())]
        return cls(feature, distinct, cell_of, class_of, used[first], targets)

    @property
    def cells(self) -> IntArray:
        """(classes,): the cell of each class."""
        return self.cell_of[self.first]

    @property
    def plain(self) -> bool:
        """Whether every cell is one class, so that cells decide what the model says."""
        return np.array_equal(self.cells, np.arange(self.feature.n_levels))


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of all columns that a model reads, and the values in them."""

    columns: tuple[CellColumn, ...]
    encoding: Encoding | None  # what the model makes of each value
    n_splits: int  # how many splits its trees have, as far as that is known
    labels: dict[str, Any]  # what the user's frames call the columns
    n_rows: int  # number of rows, reference data aside

    @cached_property
    def schema(self) -> Schema:
        """Cells and targets."""
        return Schema(tuple(column.feature for column in self.columns))

    @property
    def codes(self) -> IntArray:
        """Cells of the rows."""
        return np.stack([c.cell_of[c.distinct.codes[: self.n_rows]] for c in self.columns], axis=1)

    @property
    def reference(self) -> IntArray:
        """Cells of the reference data; of the rows where there are none."""
        rest = np.stack([c.cell_of[c.distinct.codes[self.n_rows :]] for c in self.columns], axis=1)
        return rest if len(rest) else self.codes

    def inside(self, feature: int, cell: int) -> list[Any]:
        """Distinct values of the reference data in a cell."""
        column = self.columns[feature]
        codes = column.distinct.codes
        found = np.unique(codes[self.n_rows :] if len(codes) > self.n_rows else codes)
        values = (column.distinct.plain[index] for index in found[column.cell_of[found] == cell].tolist())
        return [value for value in values if value is not None]


def read_cells(
    inputs: Inputs, table: Table, reference: Table | None, wishes: Wishes, stop: Stop | None = None
) -> Cells:
    """Decide the cells of all columns that a model reads; the model itself is not asked.

    Targets and edges are taken from the reference data, or from the rows where there are none. When time is
    up before it is seen what the model makes of the values, they are decided as if nobody could see that.
    """
    choices, columns = [], []
    for name in inputs.names:
        choice = wishes.choice(name, inputs.known.get(name))
        choice = replace(choice, unread=name in inputs.unread and choice == Choice())
        choices.append(choice)
        columns.append(_joined(table.frame[name], _column(reference, name), wishes.targets.get(name), choice))
    encoding = splits = None
    if (transform := inputs.transform) is not None:
        rows = Rows.of(ValueSchema.of(inputs.names, [column.array for column in columns], table.labels))
        with suppress(TimeIsUpError):
            encoding = probe(lambda codes: transform(rows.frame(codes)), rows.schema.levels, stop)
            splits = model_splits(inputs.classifier)
    if encoding is None:
        told: list[Told | None] = [_told_by_terms(inputs.model, column) for column in columns]
    else:
        seen = zip(encoding.columns, encoding.values, strict=True)
        told = [_told_by_splits(splits, own, block) for own, block in seen]
    found = []
    for column, choice, apart in zip(columns, choices, told, strict=True):
        counted = column.codes[len(table.frame) :] if reference is not None else column.codes
        counts = np.bincount(counted, minlength=len(column.array))
        feature = decide_cells(column, counts, apart, choice)
        cells = _find_all(feature, column, table)
        asked = named_targets(feature, wishes.targets.get(column.name))
        feature = choose_targets(feature, column, counts, cells, asked)
        found.append(CellColumn.of(feature, column, cells, apart, len(table.frame)))
    n_splits = 0 if splits is None else splits.count
    return Cells(tuple(found), encoding, n_splits, table.labels, len(table.frame))


def read_values(
    inputs: Inputs, cells: Cells, threshold: float | None, positive: object, stop: Stop | None = None
) -> tuple[Oracle, OwnValues | None, str | None]:
    """Read the model on the values that it tells apart; trees too large for that are asked instead.

    Returns the model as the engine asks it, own values of the rows, ``None`` where cells decide its answer,
    and why it is not read but asked as a black box.
    """
    columns = cells.columns
    arrays = [column.distinct.array.take(column.first) for column in columns]
    values = ValueSchema.of(cells.schema.names, arrays, cells.labels)
    model, least, label, unread = inputs.model, threshold, positive, None
    widest = max(values.levels)
    oracle: Oracle | None = None
    if cells.n_splits * len(columns) * widest > MOST_ENTRIES:
        box = as_black_box(model, threshold, positive)
        if box is not None:
            model, least, label = box, None, 1
            unread = (
                f"{cells.n_splits} splits, on {len(columns)} columns of up to {widest} values, are too many"
            )
    if inputs.transform is not None and unread is None:
        try:
            oracle = _read_encoded(inputs, cells, values, threshold, positive, stop)
        except TimeIsUpError:
            model = BlackBox(lambda frame: inputs.decide(frame).astype(np.float64))
            least, label, unread = None, 1, TIME_WAS_UP
    if oracle is None:
        first = (in_own_type(array[:1]) for array in arrays)
        sample = pd.DataFrame(dict(zip(values.names, first, strict=True)))
        oracle = read_model(model, values, least, label, sample).oracle
    if all(column.plain for column in columns):
        return oracle, None, unread
    own = OwnValues(
        np.stack([column.class_of[column.distinct.codes[: cells.n_rows]] for column in columns], axis=1),
        tuple(column.cells for column in columns),
        tuple(column.targets for column in columns),
    )
    return oracle, own, unread


def _read_encoded(
    inputs: Inputs,
    cells: Cells,
    values: ValueSchema,
    threshold: float | None,
    positive: object,
    stop: Stop | None,
) -> Oracle:
    """Read a model that reads numbers; its oracle asks the model itself where rounding could decide."""
    check_time(stop)
    if cells.encoding is None:
        raise TimeIsUpError
    blocks = zip(cells.encoding.values, cells.columns, strict=True)
    encoding = replace(cells.encoding, values=tuple(block[column.first] for block, column in blocks))
    oracle = inputs.reader.load()(inputs.classifier, encoding, threshold, positive)
    verdict = FrameVerdict(Rows.of(values), inputs.decide, stop)
    oracle = Reading(oracle, verdict).oracle
    verdict.stop = None  # searches look at the clock themselves
    return oracle


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


def _told_by_splits(splits: Splits | None, own: IntArray, block: FloatArray) -> Told:
    """See what becomes of each value and, of trees, between which thresholds that lies."""
    if splits is None:
        return Told(block)
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
