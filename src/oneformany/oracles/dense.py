"""All actions of a row whose score is a sum of numbers of single moves, of pairs and of triples."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.oracles.actions import FORBIDDEN, MOVES, Actions
from oneformany.oracles.dense_kernels import sum_up_singles
from oneformany.oracles.protocol import NEGATIVE

Score = TypeVar("Score", int, float)
DENSE = 3  # moves that are judged together; of a larger action the first moves are made instead


class DenseJudge(ABC, Generic[Score]):
    """Judges all actions of rows; see :class:`~oneformany.oracles.actions.ActionJudge`.

    ``needed`` tells the units below which no point is positive, and from which on every one is, as they are
    known at the time.
    """

    def __init__(self, actions: Actions, needed: Callable[[], tuple[Score, Score]]) -> None:
        self.actions = actions
        self._needed: Callable[[], tuple[Score, Score]] = needed

    def judge(self, values: IntArray, may: NDArray[np.int8]) -> NDArray[np.int8]:
        """Judge every action of every row."""
        actions, needed = self.actions, self._needed()
        judged = np.full((len(values), len(actions)), NEGATIVE, dtype=np.int8)
        for row, does, line in zip(values, may, judged, strict=True):
            self.sums(row, does, 0, min(DENSE, actions.most), needed, line)
            for size in range(DENSE + 1, actions.most + 1):
                part = line[actions.begins[size] : actions.begins[size + 1]]
                self._larger(row, does, 0, size, needed, part)
        return judged

    def _larger(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        size: int,
        needed: tuple[Score, Score],
        line: NDArray[np.int8],
    ) -> None:
        """Judge the actions of so many slots from ``start`` on, more than are dense: first moves are made."""
        ways, after = self.actions.ways, self.actions.after
        if size == DENSE:
            smaller = int(ways[:DENSE, start].sum())
            found = np.full(smaller + len(line), NEGATIVE, dtype=np.int8)
            self.sums(values, may, start, DENSE, needed, found)
            line[:] = found[smaller:]
            return
        for slot in np.flatnonzero(may[start:] != FORBIDDEN) + start:
            begin = ways[size, start] - ways[size, slot]
            part = line[begin : begin + ways[size - 1, after[slot]]]
            if len(part):
                moved = values.copy()
                if may[slot] == MOVES:
                    moved[self.actions.owner[slot]] = self.actions.goals[slot]
                self._larger(moved, may, int(after[slot]), size - 1, needed, part)

    @abstractmethod
    def sums(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        most: int,
        needed: tuple[Score, Score],
        judged: NDArray[np.int8],
    ) -> None:
        """Judge the actions of at most so many slots, up to three, from ``start`` on; smaller ones first."""


class AdditiveJudge(DenseJudge[int]):
    """All actions of rows under a sum of tables of units, ``(p, max levels)``."""

    def __init__(
        self, units: IntArray, intercept: int, actions: Actions, needed: Callable[[], tuple[int, int]]
    ) -> None:
        super().__init__(actions, needed)
        self._units, self._intercept = units, intercept
        n, dense = len(actions.owner), min(DENSE, actions.most)
        triples = int(actions.ways[DENSE, 0]) if dense == DENSE else 0
        self._nothing = np.zeros((n, n), dtype=np.int64), np.zeros(triples, dtype=np.int64)

    def sums(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        most: int,
        needed: tuple[int, int],
        judged: NDArray[np.int8],
    ) -> None:
        """Add up what single moves gain."""
        owner, after = self.actions.owner, self.actions.after
        own = self._units[np.arange(len(values)), values]
        gain = np.where(may == MOVES, self._units[owner, self.actions.goals] - own[owner], 0)
        base = self._intercept + int(own.sum())
        sum_up_singles(base, may, start, most, after, gain, self._nothing, needed, judged)
