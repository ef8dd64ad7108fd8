"""What all readers of tree ensembles share: columns as levels, class labels, thresholds and margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray, IntArray
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.chances import DOUBLE, are_round, log_odds
from oneformany.readers.verdict import class_index, find_class
from oneformany.schema.encoding import Encoding


@dataclass(frozen=True, eq=False)
class LevelTable:
    """The value of each model column at each level of the feature that fills it."""

    feature: IntArray  # (columns,): the feature that fills each model column; 0 for columns that none fills
    # (columns, max levels): what they hold; past the last level the first is repeated, constant columns
    # are constant
    inputs: FloatArray

    @classmethod
    def of(cls, encoding: Encoding) -> LevelTable:
        """Look at an encoding column by column."""
        feature = np.zeros(encoding.width, dtype=np.int64)
        inputs = np.repeat(encoding.constants[:, None], max(encoding.levels), axis=1)
        for number, (columns, block) in enumerate(zip(encoding.columns, encoding.values, strict=True)):
            feature[columns] = number
            inputs[columns] = block[:1].T
            inputs[columns, : len(block)] = block.T
        return cls(feature, inputs)


def class_sign(model: AnyModel, positive: object) -> int:
    """1 where the positive class is the second, -1 where it is the first; those of boosters are 0 and 1."""
    booster = any(base.__name__ == "Booster" for base in type(model).__mro__)
    index = find_class((0, 1), positive, "Booster") if booster else class_index(model, positive)
    return 1 if index == 1 else -1


def probability_oracle(encoding: Encoding, trees: Sequence[Tree], threshold: float) -> TreeOracle:
    """Make an oracle whose sum of leaves, divided by the number of trees, is a probability."""
    ensemble = TreeEnsemble.from_trees(encoding.levels, trees)
    needed = threshold * len(trees)
    margin = _margin(ensemble, DOUBLE) + 4 * DOUBLE * needed
    leaves = np.concatenate([tree.value[tree.feature == LEAF] for tree in trees])
    return TreeOracle(ensemble, needed, margin, rounds=not are_round(leaves, bits=12, below=1000))


def log_odds_oracle(
    encoding: Encoding,
    trees: Sequence[Tree],
    intercept: float,
    threshold: float,
    *,
    steepness: float = 1.0,
    rounding: float = DOUBLE,
) -> TreeOracle:
    """Make an oracle whose sum of leaves, times ``steepness``, is the log-odds of a probability.

    ``rounding`` is the relative rounding error of the model's arithmetic. The margin covers the worst case
    of adding the leaves in any order and of the logistic function, in that arithmetic.
    """
    ensemble = TreeEnsemble.from_trees(encoding.levels, trees, intercept)
    logistic = 8 * rounding / (threshold * (1 - threshold) * steepness)
    return TreeOracle(ensemble, log_odds(threshold) / steepness, _margin(ensemble, rounding) + logistic)


def _margin(ensemble: TreeEnsemble, rounding: float) -> float:
    n_trees = len(ensemble.roots)
    largest = np.maximum.reduceat(np.abs(ensemble.units), ensemble.roots)
    size = (abs(ensemble.intercept) + int(largest.sum())) / 10**ensemble.digits
    summing = 2 * (n_trees + 2) * rounding * size
    return float((n_trees + 2) / 10**ensemble.digits + summing)
