"""Columns found so far: equal groups are kept once, dominated ones are dropped when asked."""

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.listing.ground import Ground, Indices, numbered
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.stop import Stop

ROOM = 1 << 20  # entries that are looked at together, at least


def columns_of(
    ground: Ground, features: Indices, starts: IntArray, rows: Indices, goals: Indices
) -> ColumnTable:
    """Groups of one feature set, one after the other, as columns that go to goals ``(groups, features)``."""
    problem, shape = ground.problem, (len(goals), ground.rows.shape[1])
    changed, targets = np.zeros(shape, dtype=np.bool_), np.full(shape, NO_CELL, dtype=np.int32)
    changed[:, features] = True
    if problem.share == "point":
        targets[:] = ground.rows[rows[starts[:-1]]]
    if problem.share != "features":
        targets[:, features] = goals
    costs, group = np.zeros(len(rows), dtype=np.int64), np.repeat(np.arange(len(goals)), np.diff(starts))
    for j, feature in enumerate(features):
        costs += ground.paid(feature, rows, goals[group, j])
    return ColumnTable(
        starts, rows.astype(np.int32), costs, changed, targets, len(ground.rows), complete=False
    )


def alone(ground: Ground, rows: IntArray, ends: IntArray) -> ColumnTable:
    """A column for each of some rows, which goes to cells ``(rows, p)``."""
    share, changed = ground.problem.share, ends != ground.rows[rows]
    costs = np.where(changed, ground.price[ground.begin[rows] + ends], 0).sum(axis=1)
    kept = changed & (share != "features")
    targets = np.where(kept | (share == "point"), ends, NO_CELL).astype(np.int32)
    starts = np.arange(len(rows) + 1)
    return ColumnTable(
        starts, rows.astype(np.int32), costs, changed, targets, len(ground.rows), complete=False
    )


def first_equal(starts: IntArray, *items: Indices) -> IntArray:
    """For each group the first one of which all items are equal; hash codes only save comparisons."""
    codes = np.zeros(len(items[0]), dtype=np.uint64)
    for each in items:
        codes = (codes ^ each.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        codes ^= codes >> np.uint64(32)
    sums = np.append(np.uint64(0), np.cumsum(codes * codes, dtype=np.uint64))[starts]
    groups = np.arange(len(starts) - 1)
    number, first = numbered(np.stack([np.diff(sums).view(np.int64), np.diff(starts)], axis=1))
    first = first[number]
    there, begins = entries_of(starts, first)
    differs = np.logical_or.reduce([each != each[there] for each in items])
    return np.where(np.diff(np.append(0, np.cumsum(differs))[begins]) > 0, groups, first)


class Store:
    """Columns; ``costed``: also those that only are cheaper for some row."""

    def __init__(self, ground: Ground, *, costed: bool) -> None:
        self.ground, self.costed = ground, costed
        nobody = np.zeros(0, dtype=np.int64)
        self._parts = [alone(ground, nobody, ground.rows[nobody])]
        self._room = ROOM

    def absorb(self, found: ColumnTable) -> None:
        """Add columns."""
        self._parts.append(found)
        self._room -= len(found.rows)
        if self._room < 0:
            self._room = max(ROOM, len(self.columns.rows))

    @property
    def columns(self) -> ColumnTable:
        """All columns; of those with the same rows (``costed``: and costs) the one that costs them least."""
        if len(self._parts) > 1:
            table = self._parts[0].followed_by(*self._parts[1:])
            same = first_equal(table.starts, table.rows, *([table.costs] if self.costed else []))
            paid = np.append(0, np.cumsum(self.ground.problem.multiplicity[table.rows] * table.costs))
            order = np.lexsort((np.diff(paid[table.starts]), same))
            self._parts = [table.take(order[np.diff(same[order], prepend=-1) != 0])]
        return self._parts[0]

    @property
    def bytes(self) -> int:
        """Memory that the columns take."""
        return sum(part.bytes for part in self._parts)

    def covered(self) -> BoolArray:
        """Rows that are in some column."""
        return self.columns.incidence.reachable

    def reduce(self, stop: Stop) -> None:
        """Drop dominated columns, as many as are found until time is up."""
        table, paid = self.columns, self.columns.costs if self.costed else None
        if not stop.expired():
            gone = inside_others(table.starts, table.rows, table.n_rows, stop, paid)
            self._parts = [table.take(np.flatnonzero(~gone))]
