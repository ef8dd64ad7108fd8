"""Actions over listed rows: one bit for each row that accepts an action, and the few actions that matter."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.cover.incidence import Incidence
from oneformany.engine.few import mask_kernels as kernels
from oneformany.stop import Stop

ACTIONS_AT_ONCE = 1 << 20  # a tenth of a second between two looks at the clock
MASKS_AT_ONCE = 1 << 13  # between two looks at the clock
ROWS_OF_A_PLANE = 8  # rows are the bits of a byte, by which their weights are looked up


class BitTable:
    """Which actions the listed rows accept: row by row a bit, action by action."""

    def __init__(self, planes: NDArray[np.uint8], n_rows: int = 0) -> None:
        self._planes, self.n_rows = planes, n_rows

    @classmethod
    def empty(cls, n_actions: int) -> Self:
        """No row yet."""
        return cls(np.zeros((1, n_actions), dtype=np.uint8))

    @property
    def n_actions(self) -> int:
        """How many actions there are."""
        return int(self._planes.shape[1])

    @property
    def bytes(self) -> int:
        """Memory that the bits take."""
        return self._planes.nbytes

    @property
    def planes(self) -> NDArray[np.uint8]:
        """The bits: row ``i`` has bit ``i % 8`` of plane ``i // 8``."""
        return self._planes

    def add(self, judged: NDArray[np.int8]) -> int:
        """Add a row that accepts all actions that are not judged negative; return how many these are."""
        plane, bit = divmod(self.n_rows, ROWS_OF_A_PLANE)
        if plane == len(self._planes):
            more = np.zeros((max(1, plane // 2), self.n_actions), dtype=np.uint8)
            self._planes = np.concatenate([self._planes, more])
        self.n_rows += 1
        return int(kernels.take_in(judged, bit, self._planes[plane]))

    def accepts(self, rows: IntArray, actions: IntArray) -> BoolArray:
        """Whether each of some rows accepts each of some actions, ``(rows, actions)``."""
        planes, bits = np.divmod(rows, ROWS_OF_A_PLANE)
        found = self._planes[planes[:, None], actions] >> bits[:, None].astype(np.uint8)
        return np.asarray((found & 1).astype(np.bool_))

    def loads(self, weights: IntArray) -> IntArray:
        """What the rows that accept an action weigh together, of each action."""
        padded = np.zeros(len(self._planes) * ROWS_OF_A_PLANE, dtype=np.int64)
        padded[: len(weights)] = weights
        bits = np.arange(256)[:, None] >> np.arange(ROWS_OF_A_PLANE) & 1
        loads = np.zeros(self.n_actions, dtype=np.int64)
        kernels.weigh(self._planes, padded.reshape(-1, ROWS_OF_A_PLANE) @ bits.T, loads)
        return loads

    def only(self, actions: IntArray) -> Self:
        """The same rows with some of the actions."""
        return type(self)(np.ascontiguousarray(self._planes[:, actions]), self.n_rows)

    def withdraw(self, row: int, action: int) -> None:
        """Take back that a row accepts an action."""
        plane, bit = divmod(row, ROWS_OF_A_PLANE)
        self._planes[plane, action] &= np.uint8(255 ^ (1 << bit))


@dataclass(frozen=True, eq=False)
class Masks:
    """Different sets of some rows, and for each an action that they all accept."""

    words: NDArray[np.uint64]  # (n, words): bit j of a mask is row j of those in question
    actions: IntArray  # (n,)
    n_rows: int

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def of(cls, table: BitTable, rows: IntArray, rank: NDArray[np.int32], stop: Stop) -> Self | None:
        """Find the largest sets of some rows that accept an action together; of equal ones that of best rank.

        ``None`` where time was too short.
        """
        found = _distinct(table, rows, rank, stop)
        if found is None:
            return None
        kept = _maximal(found.words, found.n_rows, stop)
        return None if kept is None else cls(found.words[kept], found.actions[kept], len(rows))

    def inside(self, columns: IntArray) -> BoolArray:
        """Which rows are in some of the sets, ``(sets, rows)``."""
        bits = np.unpackbits(self.words[columns].view(np.uint8), axis=1, bitorder="little")
        return bits[:, : self.n_rows].astype(np.bool_)

    def incidence(self) -> Incidence:
        """The sets as columns."""
        inside = self.inside(np.arange(len(self)))
        _, rows = np.nonzero(inside)
        starts = np.append(0, np.cumsum(inside.sum(axis=1)))
        return Incidence.of(starts, rows, self.n_rows)


def _distinct(table: BitTable, rows: IntArray, rank: NDArray[np.int32], stop: Stop) -> Masks | None:
    """All different masks."""
    n_words = max(1, -(-len(rows) // kernels.WORD))
    known, size = 0, 1 << 12
    words, actions = np.zeros((size, n_words), dtype=np.uint64), np.zeros(size, dtype=np.int64)
    slots = np.full(4 * size, kernels.NONE)
    begin = 0
    while begin < table.n_actions:
        if stop.expired():
            return None
        end = min(table.n_actions, begin + min(size - known, ACTIONS_AT_ONCE))
        known = kernels.distinct(table.planes, rows, rank, (begin, end), known, words, actions, slots)
        begin = end
        if 2 * known > size:
            size *= 4
            words, actions = np.resize(words, (size, n_words)), np.resize(actions, size)
            slots = np.full(4 * size, kernels.NONE)
            kernels.number_again(words, known, slots)
    return Masks(words[:known], actions[:known], len(rows))


def _maximal(words: NDArray[np.uint64], n_rows: int, stop: Stop) -> BoolArray | None:
    """Which masks no other one contains."""
    sizes, kept = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.bool_)
    kernels.counted(words, sizes)
    order = np.argsort(-sizes, kind="stable")
    heads = np.stack([np.full(n_rows, kernels.NONE), np.zeros(n_rows, dtype=np.int64)], axis=1)
    entries = before = np.zeros(0, dtype=np.int64)
    filled = 0
    for begin in range(0, len(order), MASKS_AT_ONCE):
        if stop.expired():
            return None
        some = order[begin : begin + MASKS_AT_ONCE]
        needed = filled + int(sizes[some].sum())
        if needed > len(entries):
            entries, before = np.resize(entries, 2 * needed), np.resize(before, 2 * needed)
        filled = kernels.maximal(words, some, filled, heads, entries, before, kept)
    return kept
