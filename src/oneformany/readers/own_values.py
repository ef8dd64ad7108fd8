"""Rows with their own values: cells for the engine, values for the model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import Argument, InputError, UnsupportedModelError
from oneformany.oracles.protocol import Oracle
from oneformany.problem.own import NO_TARGET, OwnValues
from oneformany.readers.acceptors import Acceptor, UnreadError, known_to_all, names_of
from oneformany.readers.callables import BlackBox, as_black_box
from oneformany.readers.columns import Rows
from oneformany.readers.inputs import Inputs
from oneformany.readers.registry import read_model
from oneformany.readers.seen import Seen, see, told_by_all
from oneformany.readers.trees.forest import Forest
from oneformany.readers.verdict import Reading
from oneformany.schema.cells import Choice, Told, decide_cells
from oneformany.schema.encoding import Encoding
from oneformany.schema.feature import Feature, is_finite, is_missing, no_level
from oneformany.schema.frames import DATES, ColumnValues, Table, alike, is_plain_number
from oneformany.schema.schema import Schema, ValueSchema
from oneformany.schema.targets import Movers, choose_targets
from oneformany.stop import Stop

MOST_SHOWN = 60  # letters of a value, in a message
# Distinct numbers of the reference data that are looked at, all columns together, for each second of a time
# limit: reading them takes half of that second (5 microseconds each)
VALUES_PER_SECOND, FEWEST_VALUES, MOST_VALUES = 100_000, 100_000, 1_000_000
TIME_WAS_UP = "time was up before it was read"


@dataclass(frozen=True, eq=False)
class ValueCells:
    """The cells of all columns that a model reads, and the values in them.

    Values that are the same to the model, and lie in one cell, are one *class*.
    """

    schema: Schema  # cells and targets
    codes: IntArray  # (n, p): cells of the rows
    reference: IntArray  # cells of the reference data; of the rows where there are none
    own: OwnValues  # classes of the rows
    classes: ValueSchema  # a value of each class
    encodings: list[Encoding | None]  # what each model makes of it
    seen: list[Seen]  # what each makes of all values
    unread: list[str]  # columns on which nothing depends, so that one value stands for all
    columns: list[tuple[ColumnValues, IntArray]]  # all values, with codes as above, and the cell of each

    def numbers_of(self, feature: int) -> FloatArray:
        """The number of each class of a feature; not-a-number for what has none, and for special codes."""
        cells, array = self.own.cell_of[feature], self.classes.arrays[feature]
        if self.columns[feature][0].kind != "number":
            return np.full(len(cells), np.nan)
        numbers = pd.Series(array).to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(cells < self.schema.features[feature].n_regular, numbers, np.nan)

    @property
    def forest(self) -> Forest | None:
        """The first model's trees, where it is made of trees and that can be seen."""
        return self.seen[0].forest

    @property
    def encoding(self) -> Encoding | None:
        """What the first model makes of a value of each class."""
        return self.encodings[0]

    def inside(self, feature: int, cell: int) -> list[Any]:
        """Distinct values of the reference data in a cell."""
        (column, cell_of), n_rows = self.columns[feature], len(self.codes)
        found = np.unique(column.codes[n_rows:])
        values = (column.plain[index] for index in found[cell_of[found] == cell].tolist())
        return [value for value in values if value is not None]


@dataclass(frozen=True, eq=False)
class Near:
    """Columns whose targets are to be near for the rows that are going to move; some go only up, or down."""

    columns: frozenset[str]
    rows: BoolArray
    only_up: frozenset[str] = frozenset()
    only_down: frozenset[str] = frozenset()

    def movers(self, column: ColumnValues, n_rows: int) -> Movers | None:
        """Who may be sent to the cells of a column, where targets are to be near; it begins with the rows."""
        if column.name not in self.columns or column.kind != "number":
            return None
        rows = np.bincount(column.codes[:n_rows][self.rows], minlength=len(column.array))
        return Movers(rows, column.name not in self.only_down, column.name not in self.only_up)


def read_cells(
    inputs: Sequence[Inputs],
    table: Table,
    reference: Table | None,
    choices: Mapping[str, Choice],
    kept: Collection[str] = (),
    stop: Stop | None = None,
    near: Near | None = None,
) -> ValueCells:
    """Decide the cells of all columns that some model reads; no model itself is asked.

    Targets and edges are taken from the reference data, or from the rows where there are none. ``kept`` are
    the columns that no row may change, and ``near`` says for whom targets are to be near. When time is up
    before it is seen what the model makes of the values, they are decided as if nobody could see that.
    """
    known, columns, ignored, n_rows = [], [], [], len(table.frame)
    data = table.frame if reference is None else reference.frame
    names = names_of(inputs)
    most = None if reference is None else _affordable_values(data, names, stop)
    for name in names:
        choice = choices[name]
        unread = all(name in one.unread for one in inputs if name in one.names) and choice == Choice()
        if name not in data.columns and not unread:
            raise InputError(f"the reference data lack the column {name!r}, which the model reads; add it")
        given = table.frame[name]
        more = data[name] if name in data.columns else given.take([0] * len(data))  # any value will do
        plain = replace(choice, apart=False) == Choice()
        dates = plain and pd.api.types.infer_dtype(given, skipna=True) in DATES and not unread
        known.append(replace(choice, known=known_to_all(inputs).get(name), unread=unread or dates))
        if dates:
            columns.append(_dates(given, more, kept))
        elif unread:
            ignored.append(name)
            columns.append(ColumnValues.unread(pd.concat([given, more])))
        else:
            columns.append(_joined(given, _thinned(more, most, choice), choice))
    seen = []
    for number, one in enumerate(inputs):
        try:
            seen.append(see(one, table, dict(zip(names, columns, strict=True)), stop))
        except UnsupportedModelError as error:
            raise UnreadError(number, error) from error
    told = [told_by_all(seen, name) for name in names]
    features, own, first, found = [], [], [], []
    for column, choice, apart in zip(columns, known, told, strict=True):
        counts = np.bincount(column.codes[n_rows:], minlength=len(column.array))
        feature = decide_cells(column, counts, apart, choice)
        cells = _find_all(feature, column, table)
        movers = None if near is None else near.movers(column, n_rows)
        features.append(choose_targets(feature, column, counts, cells, choice, movers))
        kinds = None if choice.compared else apart
        classes, *values = _classes(features[-1], column, cells, kinds, n_rows)
        own.append(values)
        first.append(classes)
        found.append((column, cells))
    codes = np.stack([cells[column.codes] for column, cells in found], axis=1)
    for index, feature in enumerate(features if most is not None else ()):
        if feature.binned and columns[index].kind == "number":  # by its own numbers, not by their neighbours
            codes[n_rows:, index] = feature.find_all(data[feature.name].to_numpy(np.float64, na_value=np.nan))
    arrays = [column.array.take(classes) for column, classes in zip(columns, first, strict=True)]
    return ValueCells(
        Schema(tuple(features)),
        codes[:n_rows],
        codes[n_rows:],
        OwnValues(
            np.stack([rows for rows, _, _ in own], axis=1), *zip(*(pair for _, *pair in own), strict=True)
        ),
        ValueSchema.of(names, arrays, table.labels),
        [one.on(names, first) for one in seen],
        seen,
        ignored,
        found,
    )


def _classes(
    feature: Feature, column: ColumnValues, cell_of: IntArray, told: Told | None, n_rows: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Put values together that are the same to the model; without ``told`` it tells all apart.

    Returns a value of each class, the class of each row, the cell of each class, and the class that each
    cell sends rows to.
    """
    cells = range(feature.n_levels)
    wanted = {c: column.index_of(value) for c in cells if (value := feature.target(c)) is not None}
    used = np.union1d(column.codes[:n_rows], list(wanted.values())).astype(np.int64)
    kinds = np.arange(len(cell_of)) if told is None else told.kinds
    both = np.stack([cell_of[used], kinds[used]], axis=1)
    _, first, number = np.unique(both, axis=0, return_index=True, return_inverse=True)
    class_of = np.zeros(len(cell_of), dtype=np.int64)
    class_of[used] = number.ravel()
    targets = np.full(feature.n_levels, NO_TARGET, dtype=np.int64)
    targets[list(wanted)] = class_of[list(wanted.values())]
    return used[first], class_of[column.codes[:n_rows]], cell_of[used[first]], targets


def read_values(
    inputs: Sequence[Inputs], acceptors: Sequence[Acceptor], cells: ValueCells, stop: Stop | None = None
) -> tuple[list[Read], OwnValues | None]:
    """Read each model on the values that some of them tell apart.

    Returns the models as the engine asks them, and own values of the rows, ``None`` where cells decide.
    """
    levels = zip(cells.own.cell_of, cells.schema.levels, strict=True)
    plain = all(np.array_equal(cell_of, np.arange(n)) for cell_of, n in levels)
    found = []
    for number, (one, acceptor) in enumerate(zip(inputs, acceptors, strict=True)):
        try:
            found.append(_read(one, acceptor, cells, number, stop))
        except UnsupportedModelError as error:
            raise UnreadError(number, error) from error
    return found, None if plain else cells.own


@dataclass(frozen=True, eq=False)
class Read:
    """A model as the engine asks it, and why it is not read but asked as a black box."""

    oracle: Oracle
    unread: str | None


def _read(inputs: Inputs, acceptor: Acceptor, cells: ValueCells, number: int, stop: Stop | None) -> Read:
    encoding, unread = cells.encodings[number], acceptor.unread
    threshold, positive = acceptor.threshold, acceptor.positive
    labels = [cells.classes.labels.get(name, name) for name in inputs.names]
    if inputs.oracle is not None and (encoding is None or (stop is not None and stop.expired())):
        unread = TIME_WAS_UP
        decided = BlackBox(lambda frame: inputs.decide(frame[labels]).astype(np.float64))
        box = as_black_box(inputs.model, threshold, positive)  # whose probabilities tell where to look
        reading = read_model(box or decided, cells.classes)
    elif inputs.oracle is None or encoding is None:
        reading = read_model(inputs.model, cells.classes, threshold, positive)
    else:
        rows = Rows.of(cells.classes)
        reading = Reading(inputs.oracle(encoding), lambda codes: inputs.decide(rows.frame(codes)[labels]))
    return Read(reading.oracle, unread)


def _dates(column: pd.Series[Any], more: pd.Series[Any], kept: Collection[str]) -> ColumnValues:
    """Keep dates as they are: the model tells all apart, and nobody is sent to another."""
    name = str(column.name)
    if name not in kept:
        raise InputError(
            f"column {name!r} holds dates or times, which can only stay as they are: add ",
            Argument("immutable", [name]),
            "; or turn them into numbers, such as the days up to a fixed day, before the "
            "model is fitted, or drop the column if the model does not need it",
        )
    codes, distinct = pd.factorize(pd.concat([column, more]), use_na_sentinel=False)
    return ColumnValues(name, pd.Series(distinct).array, codes, "category", ordered=False)


def _joined(column: pd.Series[Any], more: pd.Series[Any], choice: Choice) -> ColumnValues:
    """Find the distinct values of rows, reference data and wished targets."""
    if choice == Choice() and (numbers := ColumnValues.of_numbers(column, more)) is not None:
        return numbers
    if isinstance(column.dtype, pd.CategoricalDtype):  # both get the categories of either
        kind = more.dtype
        other = kind.categories if isinstance(kind, pd.CategoricalDtype) else more.dropna().unique()
        column = column.cat.add_categories([v for v in other if v not in column.cat.categories])
        more = more.astype(column.dtype)
    values = ColumnValues.of(pd.concat([column, alike(more, column.dtype)]).rename(column.name))
    targets = choice.targets or ()
    wished: list[Any] = list(targets.values() if isinstance(targets, Mapping) else targets)
    wished = [value for value in wished if not is_missing(value) and value != "missing"]
    if values.kind == "number" and (odd := [value for value in wished if not is_finite(value)]):
        shown = repr(odd[0])[:MOST_SHOWN]
        raise InputError(f"targets of {column.name!r} must be numbers, as the column is, not {shown}")
    if choice.feature is not None:  # the user's own cells, with the values that they send rows to
        own = [choice.feature.target(cell) for cell in range(choice.feature.n_levels)]
        if values.kind == "number" and (texts := [value for value in own if isinstance(value, str)]):
            raise InputError(
                f"column {column.name!r} holds numbers, and its cells in the schema stand for texts such as "
                f"{texts[0]!r}; give the feature edges=, numbers= or groups= that say which numbers they hold"
            )
        wished += own
    return values.with_values([value for value in wished if not is_missing(value)])


def _affordable_values(data: pd.DataFrame, names: Sequence[str], stop: Stop | None) -> int | None:
    """How many distinct numbers each column may have, so that all columns are read in time; ``None``: all."""
    limit = (
        None if stop is None else stop.root.time_limit
    )  # not what is left: the same input has the same cells
    most = MOST_VALUES if limit is None else int(min(MOST_VALUES, VALUES_PER_SECOND * limit))
    if len(data) * len(names) <= (most := max(FEWEST_VALUES, most)):
        return None
    counts = np.sort(
        [data[name].nunique() for name in names if name in data.columns and is_plain_number(data[name])]
    )
    below, left = np.append(0, np.cumsum(counts)), np.arange(len(counts), 0, -1)
    full = np.flatnonzero(below[:-1] + counts * left > most)  # if columns have as many as this one at most
    return int((most - below[full[0]]) // left[full[0]]) if len(full) else None


def _thinned(column: pd.Series[Any], most: int | None, choice: Choice) -> pd.Series[Any]:
    """Let some numbers of the reference data stand for those below them, where there are too many."""
    if most is None or not is_plain_number(column) or choice.feature is not None or choice.special:
        return column
    numbers = np.unique(column.dropna().to_numpy())
    if len(numbers) <= max(2, most):
        return column
    kept = numbers[np.linspace(0, len(numbers) - 1, max(2, most)).astype(np.int64)]
    nearest = np.minimum(np.searchsorted(kept, column.to_numpy()), len(kept) - 1)
    return pd.Series(kept[nearest], column.index, name=column.name).where(column.notna())


def _find_all(feature: Feature, column: ColumnValues, table: Table) -> IntArray:
    found = feature.find_all(column.numbers if feature.binned and column.kind == "number" else column.plain)
    for index in np.flatnonzero(found < 0)[:1].tolist():
        at = np.flatnonzero(column.codes[: len(table.frame)] == index)
        where = f", row {table.frame.index[int(at[0])]}" if len(at) else " of the reference data"
        raise no_level(feature, column.plain[index], where)
    return found
