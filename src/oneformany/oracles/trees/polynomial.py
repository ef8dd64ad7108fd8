"""All actions of a row under a sum of trees: the score is a polynomial in the moves.

A leaf is a product of conditions, one for each feature on its path. So the score of a row that makes the
moves of a set is what it scores now, plus a number for each move of the set, plus one for each pair, each
triple and so on. A leaf adds to the number of a set only if the set's features are on its path, every
condition that the row does not meet is among them, and each move changes its condition: with the sign of the
conditions met before. All is relative to the row, so own values cost nothing, and integers make it exact:
such a number is a sum over the corners of a cube, at most eight times as large as a score.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.oracles.actions import MOVES, Actions
from oneformany.oracles.protocol import NEGATIVE
from oneformany.oracles.trees import polynomial_kernels as kernels
from oneformany.oracles.trees.kernels import LeafSets, WordArray

DENSE = 3  # moves whose polynomial is kept; of a larger action the first moves are made instead


class Paths(NamedTuple):
    """The features on the path to each leaf, and the leaves that each slot's value allows."""

    starts: IntArray  # (leaves + 1,): where the path of each leaf begins in features
    features: IntArray  # rising along a path
    allowed: WordArray  # (slots, words)
    units: IntArray  # (leaves,)


def paths_of(sets: LeafSets, levels: tuple[int, ...], actions: Actions) -> Paths:
    """Collect which features each leaf depends on."""
    every = [np.bitwise_and.reduce(sets.allowed[f, :n], axis=0) for f, n in enumerate(levels)]
    bits = [np.unpackbits(words.view(np.uint8), bitorder="little") for words in every]
    on_path = (np.array(bits) == 0).T & (sets.units != 0)[:, None]
    leaf, features = np.nonzero(on_path)
    starts = np.searchsorted(leaf, np.arange(len(sets.units) + 1)).astype(np.int64)
    allowed = np.ascontiguousarray(sets.allowed[actions.owner, actions.goals])
    return Paths(starts, features.astype(np.int64), allowed, sets.units)


class TreePolynomial:
    """Judges all actions of rows under a sum of trees; see :class:`~oneformany.oracles.actions.ActionJudge`.

    ``needed`` tells the units of leaves below which no point is positive, and from which on every one is, as
    they are known at the time.
    """

    def __init__(
        self,
        sets: LeafSets,
        levels: tuple[int, ...],
        actions: Actions,
        needed: Callable[[], tuple[int, int]],
    ) -> None:
        self.actions, self._sets, self._needed = actions, sets, needed
        self._paths = paths_of(sets, levels, actions)

    def judge(self, values: IntArray, may: NDArray[np.int8]) -> NDArray[np.int8]:
        """Judge every action of every row."""
        judged = np.full((len(values), len(self.actions)), NEGATIVE, dtype=np.int8)
        for row, does, line in zip(values, may, judged, strict=True):
            begins = self.actions.begins
            for size in range(min(DENSE, self.actions.most) + 1, self.actions.most + 1):
                self._larger(row.copy(), does, 0, size, line[begins[size] : begins[size + 1]])
            self._dense(row, does, 0, min(DENSE, self.actions.most), line)
        return judged

    def _larger(
        self, values: IntArray, may: NDArray[np.int8], start: int, size: int, line: NDArray[np.int8]
    ) -> None:
        """Judge the actions of so many slots from ``start`` on, more than are dense: first moves are made."""
        if size == DENSE:
            found = np.full(self._count(DENSE, start), NEGATIVE, dtype=np.int8)
            self._dense(values, may, start, DENSE, found)
            line[:] = found[len(found) - len(line) :]
            return
        ways, after = self.actions.ways, self.actions.after
        for slot in range(start, len(after)):
            end = ways[size, start] - ways[size, slot + 1]
            part = line[end - ways[size - 1, after[slot]] : end]
            if may[slot] and len(part):
                feature, moved = self.actions.owner[slot], values.copy()
                if may[slot] == MOVES:
                    moved[feature] = self.actions.goals[slot]
                self._larger(moved, may, int(after[slot]), size - 1, part)

    def _count(self, size: int, start: int) -> int:
        return int(self.actions.ways[: size + 1, start].sum())

    def _dense(
        self, values: IntArray, may: NDArray[np.int8], start: int, most: int, line: NDArray[np.int8]
    ) -> None:
        """Judge the actions of at most so many slots from ``start`` on, by size."""
        actions = self.actions
        kernels.judge_row(
            *(values, may, start, most, actions.owner, actions.after, actions.ways),
            *(self._sets.allowed, self._paths, self._needed(), line),
        )
