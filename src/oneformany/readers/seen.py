"""What models make of the values in columns, and which of them they tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.readers.columns import Rows, TimeIsUpError, probe
from oneformany.readers.inputs import CategoryCodes, Inputs
from oneformany.readers.trees.forest import Forest
from oneformany.readers.wrappers import unwrapped
from oneformany.schema.cells import Told
from oneformany.schema.encoding import Encoding
from oneformany.schema.frames import ColumnValues, Table, in_own_type, refused_value
from oneformany.schema.schema import ValueSchema
from oneformany.stop import Stop


@dataclass(frozen=True, eq=False)
class Seen:
    """What a model makes of the values in the columns that it reads."""

    names: tuple[str, ...]  # these columns
    told: dict[str, Told | None]  # what it tells apart in each; ``None``: nobody knows
    encoding: Encoding | None  # the numbers that its classifier reads; ``None``: nobody knows, or time was up
    forest: Forest | None = None  # its trees, where it is made of trees and that can be seen

    @property
    def weight(self) -> float:
        """How much all splits of the trees weigh together."""
        return 1.0 if self.forest is None else float(np.maximum(self.forest.splits[2], 0.0).sum())

    def on(self, names: Sequence[str], kept: Sequence[IntArray]) -> Encoding | None:
        """The numbers that it makes of some values of each of all columns."""
        if self.encoding is None:
            return None
        blocks = dict(
            zip(self.names, zip(self.encoding.columns, self.encoding.values, strict=True), strict=True)
        )
        columns, values = [], []
        for name, some in zip(names, kept, strict=True):
            own, block = blocks.get(name, (np.zeros(0, dtype=np.int64), None))
            columns.append(own)
            values.append(np.zeros((len(some), 0)) if block is None else block[some])
        return replace(self.encoding, columns=tuple(columns), values=tuple(values))


def see(inputs: Inputs, table: Table, columns: Mapping[str, ColumnValues], stop: Stop | None) -> Seen:
    """See what a model's own steps make of every value, and what its splits tell apart."""
    own = [columns[name] for name in inputs.names]
    encoding = _probed(inputs, table, own, stop)
    forest = None if encoding is None or inputs.oracle is None else inputs.oracle.forest
    if encoding is None:
        bins = getattr(unwrapped(inputs.model), "bins_", [()] * len(own))  # of a boosting machine
        told: list[Told | None] = [_told_by_terms(*pair) for pair in zip(bins, own, strict=True)]
    else:
        seen = zip(encoding.columns, encoding.values, strict=True)
        told = [Told.of(block) if forest is None else forest.told(at, block) for at, block in seen]
    return Seen(inputs.names, dict(zip(inputs.names, told, strict=True)), encoding, forest)


def told_by_all(seen: Sequence[Seen], name: str) -> Told | None:
    """What several models tell apart in a column: what any of them does; ``None``: nobody knows of one.

    What lies between two values weighs as much as in all models together, each counted once.
    """
    reading = [one for one in seen if name in one.told]
    told = [found for one in reading if (found := one.told[name]) is not None]
    if len(told) < len(reading) or len(seen) == 1:
        return told[0] if len(told) == len(reading) else None
    known = [found.splits for found in told if found.splits is not None]
    smallest = np.finfo(np.float64).tiny
    shares = [own / max(one.weight, smallest) for own, one in zip(known, reading, strict=False)]
    kinds = np.stack([found.kinds for found in told], axis=1)
    return Told.of(kinds.astype(np.float64), np.sum(shares, axis=0) if len(known) == len(told) else None)


def _probed(
    inputs: Inputs, table: Table, columns: Sequence[ColumnValues], stop: Stop | None
) -> Encoding | None:
    """See what the model's own steps make of every value; ``None``: nobody can see that, or time was up."""
    if (transform := inputs.transform) is None:
        return None
    try:
        if isinstance(transform, CategoryCodes):  # no steps: each column by itself
            labels = [str(table.labels.get(name, name)) for name in inputs.names]
            arrays = [in_own_type(column.array) for column in columns]
            return transform.encoding(dict(zip(labels, arrays, strict=True)))
        rows = Rows.of(ValueSchema.of(inputs.names, [column.array for column in columns], table.labels))
        return probe(lambda codes: transform(rows.frame(codes)), rows.schema.levels, stop)
    except TimeIsUpError:
        return None
    except InputError as error:
        found = refused_value(error, columns, inputs.known, table.frame.index)
        raise type(error)(found or str(error)) from error


def _told_by_terms(cuts: Sequence[Any], column: ColumnValues) -> Told | None:
    """See between which cuts of an explainable boosting machine, one list per order, each number lies."""
    if not cuts or column.kind != "number" or any(isinstance(cut, dict) for cut in cuts):
        return None
    numbers = column.numbers
    rows = np.column_stack([np.searchsorted(cut, numbers, side="right") for cut in cuts]).astype(np.float64)
    rows[np.isnan(numbers)] = np.nan
    return Told.of(rows)
