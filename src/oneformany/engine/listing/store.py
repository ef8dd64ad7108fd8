"""Columns found so far: equal groups are kept once, dominated ones are dropped when asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import entries_of
from oneformany.engine.cover.subset_kernels import inside_others, inside_some
from oneformany.engine.listing import kernels
from oneformany.engine.listing.ground import Ground
from oneformany.stop import Stop

SEED = 0


class Found(NamedTuple):
    """Groups of one feature set, one after the other, what their rows pay, and the targets of each group."""

    features: IntArray
    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    targets: NDArray[np.int32]


class Store:
    """Columns in arrays that grow; ``costed``: also those that only are cheaper for some row."""

    def __init__(self, ground: Ground, *, costed: bool) -> None:
        n, width = len(ground.rows), max(ground.size, 1)
        self.ground = ground
        self.costed = costed
        self.count = 0
        self._keys = np.random.default_rng(SEED).integers(2**64, size=n, dtype=np.uint64)
        self._starts = np.zeros(1025, dtype=np.int64)
        self._rows = np.empty(1 << 14, dtype=np.int32)
        self._costs = np.empty(1 << 14, dtype=np.int64)
        self._targets = np.full((1024, width), -1, dtype=np.int32)
        self._features = np.full((1024, width), -1, dtype=np.int32)
        self._codes = np.empty(1024, dtype=np.uint64)
        self._totals = np.empty(1024, dtype=np.int64)
        self._slots = np.full(4096, -1, dtype=np.int32)

    @property
    def starts(self) -> IntArray:
        """Where the rows of each column begin."""
        return self._starts[: self.count + 1]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The rows of all columns, one after the other."""
        return self._rows[: self._starts[self.count]]

    @property
    def costs(self) -> IntArray:
        """What each of these rows pays."""
        return self._costs[: self._starts[self.count]]

    @property
    def features(self) -> NDArray[np.int32]:
        """The changed features of each column, filled up with -1."""
        return self._features[: self.count]

    @property
    def targets(self) -> NDArray[np.int32]:
        """The target cells of each column, in the order of its features."""
        return self._targets[: self.count]

    @property
    def bytes(self) -> int:
        """Memory that a table of the columns needs."""
        entries, p = len(self.rows), self.ground.problem.n_features
        return entries * 12 + self.count * (5 * p + 8 * self.ground.size + 24)

    def absorb(self, found: Found) -> None:
        """Add groups."""
        self._make_room(len(found.starts) - 1, len(found.rows))
        self.count = kernels.absorb(
            *(self.ground.problem.multiplicity, self._keys, self.costed, tuple(found[1:]), found.features),
            (self._starts, self._rows, self._costs, self._targets),
            *(self._features, self._codes, self._totals, self._slots, self.count),
        )

    def covered(self) -> BoolArray:
        """Rows that are in some column."""
        covered = np.zeros(len(self.ground.rows), dtype=np.bool_)
        covered[self.rows] = True
        return covered

    def hold(self, starts: IntArray, rows: NDArray[np.int32], which: IntArray) -> BoolArray:
        """Which of some sets of rows are part of a column; only those in question are looked at."""
        return inside_some(starts, rows, which, self.starts, self.rows, len(self.ground.rows))

    def reduce(self, stop: Stop) -> None:
        """Drop dominated columns, as many as are found until time is up."""
        if stop.expired():
            return
        costs = self.costs if self.costed else None
        gone = inside_others(self.starts, self.rows, len(self.ground.rows), stop, costs)
        if gone.any():
            self._keep(np.flatnonzero(~gone))

    def _keep(self, kept: IntArray) -> None:
        entries, starts = entries_of(self.starts, kept)
        self._rows[: starts[-1]] = self.rows[entries]
        self._costs[: starts[-1]] = self.costs[entries]
        self._starts[: len(starts)] = starts
        for name in ("_targets", "_features", "_codes", "_totals"):
            array = getattr(self, name)
            array[: len(kept)] = array[kept]
        self.count = len(kept)
        self._fill_slots(len(self._slots))

    def _make_room(self, columns: int, entries: int) -> None:
        needed = self.count + columns
        if needed > len(self._codes):
            longer = max(needed, 2 * len(self._codes))
            self._starts = _grown(self._starts, longer + 1)
            for name in ("_codes", "_totals", "_targets", "_features"):
                setattr(self, name, _grown(getattr(self, name), longer))
        used = int(self._starts[self.count])
        if used + entries > len(self._rows):
            longer = max(used + entries, 2 * len(self._rows))
            self._rows, self._costs = _grown(self._rows, longer), _grown(self._costs, longer)
        if 2 * needed > len(self._slots):
            self._fill_slots(1 << (4 * needed).bit_length())

    def _fill_slots(self, size: int) -> None:
        self._slots = np.full(size, -1, dtype=np.int32)
        kernels.rehash(self._codes[: self.count], self._slots)


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    larger = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
