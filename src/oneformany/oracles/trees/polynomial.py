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
from oneformany.oracles.actions import Actions
from oneformany.oracles.dense import DenseJudge
from oneformany.oracles.trees.kernels import WORD, LeafSets, WordArray
from oneformany.oracles.trees.polynomial_kernels import judge_row
from oneformany.oracles.trees.run_kernels import judge_row_by_runs, slots_inside
from oneformany.oracles.trees.runs import RunTrees


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


class TreePolynomial(DenseJudge[int]):
    """Judges all actions of rows under a sum of trees, in units of leaves."""

    def __init__(
        self,
        sets: LeafSets,
        levels: tuple[int, ...],
        actions: Actions,
        needed: Callable[[], tuple[int, int]],
    ) -> None:
        super().__init__(actions, needed)
        self._sets, self._paths = sets, paths_of(sets, levels, actions)

    def sums(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        most: int,
        needed: tuple[int, int],
        judged: NDArray[np.int8],
    ) -> None:
        """Add up what moves, pairs and triples gain, leaf by leaf."""
        slots = self.actions.owner, self.actions.after, self.actions.ways
        judge_row(values, may, start, most, slots, self._sets.allowed, self._paths, needed, judged)


class RunPolynomial(DenseJudge[int]):
    """Judges all actions of rows under trees of runs, which are walked down for each row."""

    def __init__(self, trees: RunTrees, actions: Actions, needed: Callable[[], tuple[int, int]]) -> None:
        super().__init__(actions, needed)
        self._trees = trees.nodes, trees.units, trees.roots
        owner, slots = actions.owner, np.arange(len(actions.owner))
        bits = slots - np.searchsorted(owner, owner)
        inside = np.zeros((len(trees.nodes), 1 + int(bits.max(initial=0)) // WORD), dtype=np.uint64)
        slots_inside(trees.nodes, owner, actions.goals, bits, inside)
        self._bits = bits, inside

    def sums(
        self,
        values: IntArray,
        may: NDArray[np.int8],
        start: int,
        most: int,
        needed: tuple[int, int],
        judged: NDArray[np.int8],
    ) -> None:
        """Add up what moves, pairs and triples gain, leaf by leaf."""
        slots = self.actions.owner, self.actions.after, self.actions.ways
        judge_row_by_runs(values, may, start, most, slots, self._trees, self._bits, needed, judged)
