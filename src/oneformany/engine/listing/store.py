"""Columns found so far: equal groups are kept once, dominated ones are dropped when asked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.subset_kernels import inside_others, inside_some
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.stop import Stop

SEED = 0


class Found(NamedTuple):
    """Groups one after the other, what their rows pay, features and targets of each, filled up with -1."""

    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    features: NDArray[np.int32]
    targets: NDArray[np.int32]

    def take(self, which: IntArray) -> Found:
        """Only some of the groups."""
        entries, starts = entries_of(self.starts, which)
        lines = self.features[which], self.targets[which]
        return Found(starts, self.rows[entries], self.costs[entries], *lines)


def priced(ground: Ground, features: IntArray, starts: IntArray, rows: Indices, targets: Indices) -> Found:
    """Groups of one feature set, with what each of their rows pays for going to the group's targets."""
    lines = np.full((2, len(targets), ground.size), -1, dtype=np.int32)
    lines[0, :, : len(features)] = features
    lines[1, :, : len(features)] = targets
    members, costs = rows.astype(np.int32), np.zeros(len(rows), dtype=np.int64)
    kernels.entry_costs(ground.tables, features, starts, members, lines[1], costs)
    return Found(starts, members, costs, *lines)


def alone(ground: Ground, rows: IntArray, ends: IntArray) -> Found:
    """A column for each of some rows, which goes to cells ``(rows, p)``."""
    changed = ends != ground.rows[rows]
    features = np.argsort(~changed, axis=1, kind="stable")[:, : ground.size]
    each = np.arange(len(rows))[:, None]
    targets = np.where(changed[each, features], ends[each, features], -1)
    costs = np.where(changed, ground.price[ground.begin[rows] + ends], 0).sum(axis=1)
    lines = np.where(targets < 0, -1, features).astype(np.int32), targets.astype(np.int32)
    return Found(np.arange(len(rows) + 1), rows.astype(np.int32), costs, *lines)


class Store:
    """Columns; ``costed``: also those that only are cheaper for some row."""

    def __init__(self, ground: Ground, *, costed: bool) -> None:
        self.ground = ground
        self.costed = costed
        self.count = 0
        self._keys = np.random.default_rng(SEED).integers(2**64, size=len(ground.rows), dtype=np.uint64)
        self._make_room(1 << 10, 1 << 14)

    def _make_room(self, columns: int, entries: int) -> None:
        """Begin again, with nothing, where so much fits."""
        starts, lines = np.zeros(columns + 1, dtype=np.int64), (columns, self.ground.size)
        rows, costs = np.empty(entries, dtype=np.int32), np.empty(entries, dtype=np.int64)
        self._arrays = Found(
            starts, rows, costs, np.empty(lines, dtype=np.int32), np.empty(lines, dtype=np.int32)
        )
        self._slots = np.full(1 << (2 * columns).bit_length(), -1, dtype=np.int32)
        self.count = 0

    @property
    def columns(self) -> Found:
        """All columns."""
        starts, rows, costs, features, targets = self._arrays
        used = starts[self.count]
        lines = features[: self.count], targets[: self.count]
        return Found(starts[: self.count + 1], rows[:used], costs[:used], *lines)

    @property
    def bytes(self) -> int:
        """Memory that a table of the columns needs."""
        entries, p = len(self.columns.rows), self.ground.problem.n_features
        return entries * 12 + self.count * (5 * p + 8 * self.ground.size + 24)

    def absorb(self, found: Found, *, distinct: bool = False) -> None:
        """Add groups; ``distinct``: which are known to be kept beside all others."""
        known, room = self.columns, self._arrays
        columns, entries = self.count + len(found.features), len(known.rows) + len(found.rows)
        if columns > len(room.features) or entries > len(room.rows):
            self._make_room(max(columns, 2 * self.count), max(entries, 2 * len(known.rows)))
            self.absorb(known, distinct=True)
        self.count = kernels.absorb(
            *(self.ground.problem.multiplicity, self._keys, self.costed, distinct, tuple(found)),
            *(tuple(self._arrays), self._slots, self.count),
        )

    def covered(self) -> BoolArray:
        """Rows that are in some column."""
        covered = np.zeros(len(self.ground.rows), dtype=np.bool_)
        covered[self.columns.rows] = True
        return covered

    def hold(self, starts: IntArray, rows: NDArray[np.int32], which: IntArray) -> BoolArray:
        """Which of some sets of rows are part of a column; only those in question are looked at."""
        columns = self.columns
        return inside_some(starts, rows, which, columns.starts, columns.rows, len(self.ground.rows))

    def reduce(self, stop: Stop) -> None:
        """Drop dominated columns, as many as are found until time is up."""
        if stop.expired():
            return
        starts, rows, costs, *_ = self.columns
        gone = inside_others(starts, rows, len(self.ground.rows), stop, costs if self.costed else None)
        if gone.any():
            kept = self.columns.take(np.flatnonzero(~gone))
            self._make_room(len(self._arrays.features), len(self._arrays.rows))
            self.absorb(kept, distinct=True)

    def table(self, *, complete: bool) -> ColumnTable:
        """The columns as a table; ``complete``: none is missing."""
        starts, rows, costs, features, goals = self.columns
        share, cells = self.ground.problem.share, self.ground.rows
        changed = np.zeros((len(features), cells.shape[1]), dtype=np.bool_)
        targets = np.full(changed.shape, NO_CELL, dtype=np.int32)
        if share == "point":
            targets[:] = cells[rows[starts[:-1]]]
        for feature, goal in zip(features.T, goals.T, strict=True):
            used = np.flatnonzero(feature >= 0)
            changed[used, feature[used]] = True
            if share != "features":
                targets[used, feature[used]] = goal[used]
        parts = starts.copy(), rows.copy(), costs.copy()
        return ColumnTable(*parts, changed, targets, len(cells), complete)
