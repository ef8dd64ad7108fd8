"""Fitted trees as oracles: with a table of every level where that is small, otherwise with runs of levels."""

import math
from typing import TypeAlias

import numpy as np

from oneformany.oracles.trees.ensemble import LARGEST_UNITS, LEAF, TreeEnsemble
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.oracles.trees.runs import RunTrees
from oneformany.readers.trees.by_runs import run_trees
from oneformany.readers.trees.forest import Forest
from oneformany.readers.verdict import DOUBLE, are_round, log_odds, too_near
from oneformany.schema.encoding import Encoding

# Splits times features times levels up to which there is a table of every level: a second or two, 300 MB
MOST_ENTRIES = 1 << 28

Trees: TypeAlias = TreeEnsemble | RunTrees


def on_levels(forest: Forest, encoding: Encoding, sign: int, intercept: float = 0.0) -> Trees:
    """Put trees on levels; each leaf is taken times ``sign``."""
    levels = encoding.levels
    if forest.splits.shape[1] * len(levels) * max(levels) > MOST_ENTRIES:
        return run_trees(forest, encoding, sign, intercept)
    return TreeEnsemble.from_trees(levels, forest.on_levels(encoding, sign), intercept)


def oracle_of(forest: Forest, encoding: Encoding, chance: float, sign: int) -> TreeOracle | LargeTreeOracle:
    """Make an oracle; ``sign`` is -1 where the first class, whose log-odds are minus these, is wanted."""
    if not forest.votes:
        trees = on_levels(forest, encoding, sign, sign * forest.intercept)
        return log_odds_oracle(trees, chance, forest.steepness, forest.rounding)
    trees, needed = on_levels(forest, encoding, sign), chance * len(forest.trees)
    margin = margin_of(trees, DOUBLE) + 4 * DOUBLE * needed
    leaves = np.concatenate([tree.value[tree.column == LEAF] for tree in forest.trees])
    return tree_oracle(trees, needed, margin, rounds=not are_round(leaves, bits=12, below=1000))


def log_odds_oracle(
    trees: Trees, chance: float, steepness: float = 1.0, rounding: float = DOUBLE
) -> TreeOracle | LargeTreeOracle:
    """Make an oracle whose sum of leaves, times ``steepness``, is the log-odds of a probability.

    ``rounding`` is the relative rounding error of the model's arithmetic. The margin covers the worst case
    of adding the leaves in any order and of the logistic function, in that arithmetic.
    """
    slope = chance * (1 - chance) * steepness
    margin = margin_of(trees, rounding) + (8 * rounding / slope if slope else math.inf)
    if not margin * 10**trees.digits < LARGEST_UNITS:
        raise too_near(chance)
    return tree_oracle(trees, log_odds(chance) / steepness, margin)


def tree_oracle(
    trees: Trees, threshold: float, margin: float, *, rounds: bool = True
) -> TreeOracle | LargeTreeOracle:
    """Make the oracle that serves trees of this form."""
    if isinstance(trees, RunTrees):
        return LargeTreeOracle(trees, threshold, margin, rounds=rounds)
    return TreeOracle(trees, threshold, margin, rounds=rounds)


def margin_of(trees: Trees, rounding: float) -> float:
    """How far off a library can be that adds up the leaves in any order, rounding as much each time."""
    n_trees = len(trees.roots)
    largest = np.maximum.reduceat(np.abs(trees.units), trees.roots)
    size = (abs(trees.intercept) + int(largest.sum())) / 10**trees.digits
    return float((n_trees + 2) / 10**trees.digits + 2 * (n_trees + 2) * rounding * size)
