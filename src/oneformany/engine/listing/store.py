"""Columns found so far: equal groups are kept once, dominated ones are dropped when asked."""

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.subset_kernels import inside_others
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground, Indices
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.stop import Stop

ROOM = 1 << 22  # entries that are looked at together, at least


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
    members, costs = rows.astype(np.int32), np.zeros(len(rows), dtype=np.int64)
    kernels.entry_costs(ground.gains, features, starts, members, goals.astype(np.int32), costs)
    return ColumnTable(starts, members, costs, changed, targets, len(ground.rows), complete=False)


def going_to(ground: Ground, rows: IntArray, ends: IntArray) -> ColumnTable:
    """Columns of some rows, which rise, each with cells ``(rows, p)`` to go to: one for all that do alike."""
    share, changed = ground.problem.share, ends != ground.rows[rows]
    kept = changed & (share != "features")
    targets = np.where(kept | (share == "point"), ends, NO_CELL).astype(np.int32)
    _, first, which = np.unique(np.hstack((changed, targets)), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(which.ravel(), minlength=len(first))))
    members, costs = rows[order].astype(np.int32), ground.paid(rows, ends)[order]
    goals = changed[first], targets[first]
    return ColumnTable(starts, members, costs, *goals, len(ground.rows), complete=False)


def leading(
    ground: Ground, starts: IntArray, rows: NDArray[np.int32], costs: IntArray, *, costed: bool
) -> IntArray:
    """For each group itself, or one with the same rows that makes it superfluous, as it costs no more."""
    n, people = len(starts) - 1, ground.problem.multiplicity
    keys = np.random.default_rng(0).integers(2**64, size=len(people), dtype=np.uint64)
    leads, slots = np.empty(n, dtype=np.int64), np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
    kernels.leading(starts, rows, costs, people, keys, costed, slots, leads)
    return leads


class Store:
    """Columns; ``costed``: also those that only are cheaper for some row."""

    def __init__(self, ground: Ground, *, costed: bool) -> None:
        self.ground, self.costed = ground, costed
        nobody = np.zeros(0, dtype=np.int64)
        self._parts = [going_to(ground, nobody, ground.rows[nobody])]
        self.bytes, self._room = 0, ROOM

    def absorb(self, found: ColumnTable) -> None:
        """Add columns."""
        if len(found):
            self._parts.append(found)
            self.bytes += found.bytes
            self._room -= len(found.rows)
        if self._room < 0:
            self._room = max(ROOM, len(self.columns.rows))

    @property
    def columns(self) -> ColumnTable:
        """All columns; of those with the same rows the cheapest, and those that are cheaper for some row."""
        if len(self._parts) > 1:
            table = self._parts[0].followed_by(*self._parts[1:])
            self._keep(table)  # the parts are not needed any more
            leads = leading(self.ground, table.starts, table.rows, table.costs, costed=self.costed)
            self._keep(table.take(np.flatnonzero(leads == np.arange(len(leads)))))
        return self._parts[0]

    def _keep(self, table: ColumnTable) -> None:
        self._parts, self.bytes = [table], table.bytes

    def covered(self) -> BoolArray:
        """Rows that are in some column."""
        covered = np.zeros(len(self.ground.rows), dtype=np.bool_)
        covered[self.columns.rows] = True
        return covered

    def reduce(self, stop: Stop) -> None:
        """Drop dominated columns, as many as are found until time is up."""
        table, paid = self.columns, self.columns.costs if self.costed else None
        if not stop.expired():
            gone = inside_others(table.starts, table.rows, table.n_rows, stop, paid)
            self._keep(table.take(np.flatnonzero(~gone)))
