"""Fitted trees of any library as arrays: what they become on levels, and where they split their inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.trees.ensemble import LEAF, Tree
from oneformany.readers.verdict import DOUBLE
from oneformany.schema.cells import Told
from oneformany.schema.encoding import Encoding


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree on the inputs of a model; node 0 is the root, and an entry per node says what it does."""

    column: IntArray  # the input it compares, ``LEAF`` for leaves
    threshold: FloatArray
    children: IntArray  # (nodes, 2): left and right
    value: FloatArray  # of leaves
    gain: FloatArray  # how much the split weighs
    missing_left: ArrayLike  # whether not-a-number goes left
    categories: Mapping[int, Sequence[int]] = field(default_factory=dict)  # nodes that compare with a set


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees of a fitted model, and how its library goes through them and adds up what it finds."""

    width: int  # number of inputs
    trees: Sequence[Grown]
    votes: bool = False  # the mean of the leaves is a probability; otherwise their sum leads to log-odds
    intercept: float = 0.0
    steepness: float = 1.0  # times the sum: the log-odds
    rounding: float = DOUBLE  # relative error of the library's arithmetic
    strict: bool = False  # an input equal to a threshold goes right (``<``) rather than left (``<=``)
    single: bool = False  # inputs are compared in single precision
    listed_left: bool = True  # a category of the set goes left

    def on_levels(self, encoding: Encoding, sign: int) -> list[Tree]:
        """Turn each tree into one on levels, its leaves times ``sign``."""
        feature = np.zeros(encoding.width, dtype=np.int64)
        inputs: NDArray[Any] = np.repeat(encoding.constants[:, None], max(encoding.levels), axis=1)
        for number, (columns, block) in enumerate(zip(encoding.columns, encoding.values, strict=True)):
            feature[columns] = number
            inputs[columns] = block[:1].T  # also past the last level
            inputs[columns, : len(block)] = block.T
        if self.single:
            inputs = inputs.astype(np.float32)
        return [self._on_levels(tree, feature, inputs, sign) for tree in self.trees]

    def _on_levels(self, tree: Grown, feature: IntArray, inputs: NDArray[Any], sign: int) -> Tree:
        """Turn thresholds and sets of categories into sets of levels."""
        leaf = tree.column == LEAF
        column = np.where(leaf, 0, tree.column)
        values, threshold = inputs[column], tree.threshold[:, None]
        left = values < threshold if self.strict else values <= threshold
        for node, listed in tree.categories.items():
            left[node] = np.isin(np.trunc(values[node]), listed) == self.listed_left
        left = np.where(np.isnan(values), np.asarray(tree.missing_left)[:, None], left)
        return Tree(np.where(leaf, LEAF, feature[column]), left, tree.children, sign * tree.value)

    @cached_property
    def splits(self) -> FloatArray:
        """The input, the threshold (not-a-number: a set of categories) and the gain of each split."""
        parts = [np.zeros((3, 0))]
        for tree in self.trees:
            threshold = tree.threshold.copy()
            threshold[list(tree.categories)] = np.nan
            parts.append(np.stack([tree.column, threshold, tree.gain])[:, tree.column != LEAF])
        return np.concatenate(parts, axis=1)

    @cached_property
    def _by_input(self) -> FloatArray:
        return self.splits[:, np.argsort(self.splits[0], kind="stable")]

    def cuts(self, column: int) -> tuple[FloatArray, FloatArray] | None:
        """Thresholds of an input, increasing, and the gain at each; ``None``: it is compared with sets."""
        begin, end = np.searchsorted(self._by_input[0], [column, column + 1])
        cuts, gains = self._by_input[1:, begin:end]
        thresholds, index = np.unique(cuts, return_inverse=True)
        weights = np.bincount(index, np.maximum(gains, 0.0)).astype(np.float64)
        return None if np.isnan(cuts).any() else (thresholds, weights)

    def told(self, columns: IntArray, block: FloatArray) -> Told:
        """See between which thresholds values lie, a row of inputs each, and what lies between neighbours."""
        weights = np.zeros(len(block))
        told = np.flatnonzero(np.isin(columns, self.splits[0]) | np.isnan(block).any(axis=0))
        rows = block[:, told]
        for index, column in enumerate(columns[told].tolist()):
            if (cuts := self.cuts(column)) is None:
                weights += 1
                continue
            rows[:, index] = self.intervals(cuts[0], rows[:, index])
            total = np.concatenate([[0.0], np.cumsum(cuts[1])])
            up_to = total[np.nan_to_num(rows[:, index]).astype(np.int64)]
            weights += np.abs(np.diff(up_to, prepend=up_to[:1]))
        return Told.of(rows, weights)

    def intervals(self, thresholds: FloatArray, values: FloatArray) -> FloatArray:
        """Say between which thresholds each value lies; not-a-number stays what it is."""
        with np.errstate(over="ignore"):  # beyond single precision lies infinity
            compared = values.astype(np.float32).astype(np.float64) if self.single else values
        found = np.searchsorted(thresholds, compared, side="right" if self.strict else "left")
        return np.where(np.isnan(values), np.nan, found)
