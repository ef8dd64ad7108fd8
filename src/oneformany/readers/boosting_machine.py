"""Read explainable boosting machines of interpret: sums of one table per feature or pair of features."""

from collections.abc import Sequence
from math import prod

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF, Tree, TreeEnsemble
from oneformany.readers.columns import Rows, as_fitted
from oneformany.readers.trees.oracles import log_odds_oracle
from oneformany.readers.verdict import Reading, Verdict, class_index, least_probability

MOST_CELLS = 1_000_000


def read_boosting_machine(model: AnyModel, rows: Rows, threshold: float | None, positive: object) -> Reading:
    """Read a fitted ``ExplainableBoostingClassifier`` of two classes, with its interactions, exactly.

    Each term is seen on all levels of its features and becomes a tree, so that pairs are settled by the same
    branch and bound as forests.
    """
    sign = 1 if class_index(model, positive) else -1
    if len(model.classes_) > 2:
        raise UnsupportedModelError(
            f"{type(model).__name__} knows {len(model.classes_)} classes, not two; pass its predict_proba to "
            "have it asked as a black box"
        )
    verdict = Verdict(model, lambda codes: as_fitted(model, rows.frame(codes)), threshold, positive)
    levels = rows.schema.levels
    own = [rows.schema.index(name) for name in rows.names]  # as the model numbers them
    terms = [[own[column] for column in columns] for columns in model.term_features_]
    shapes = [[levels[feature] for feature in features] for features in terms]
    sizes = list(map(prod, shapes))
    if sum(sizes) > MOST_CELLS:
        raise InputError(
            f"the features of the model's terms have {sum(sizes)} combinations of levels, more than "
            f"{MOST_CELLS}; pass a schema with fewer levels"
        )
    term_of, codes = np.repeat(range(len(terms)), sizes), np.zeros((sum(sizes), len(levels)), dtype=np.int64)
    for term, (features, shape) in enumerate(zip(terms, shapes, strict=True)):
        codes[np.ix_(term_of == term, features)] = np.indices(shape).reshape(len(shape), -1).T
    said = sign * np.asarray(model.eval_terms(verdict.inputs(codes)), dtype=np.float64)
    tables = [said[term_of == term, term].reshape(shape) for term, shape in enumerate(shapes)]
    trees = [_tree(features, table, max(levels)) for features, table in zip(terms, tables, strict=True)]
    intercept = sign * float(np.asarray(model.intercept_).reshape(-1)[0])
    ensemble = TreeEnsemble.from_trees(levels, trees, intercept)
    oracle = log_odds_oracle(ensemble, least_probability(threshold))
    return Reading(oracle, verdict)


def _tree(features: Sequence[int], table: FloatArray, width: int) -> Tree:
    """Write a table as a tree that halves the distinct levels of one feature after the other."""
    nodes: list[tuple[int, BoolArray, tuple[int, int], float]] = []

    def grow(depth: int, levels: IntArray, table: FloatArray) -> int:
        """Add what the table says where the feature of this depth has one of these levels."""
        node = len(nodes)
        if table.ndim == 0:
            nodes.append((LEAF, np.zeros(width, dtype=np.bool_), (0, 0), float(table)))
            return node
        slices, kind = np.unique(table, axis=0, return_inverse=True)
        if len(slices) == 1:
            return grow(depth + 1, np.arange(len(np.atleast_1d(slices[0]))), slices[0])
        left = kind.ravel() < len(slices) // 2
        nodes.append((features[depth], np.bincount(levels[left], minlength=width) > 0, (0, 0), 0.0))
        children = (grow(depth, levels[left], table[left]), grow(depth, levels[~left], table[~left]))
        nodes[node] = (*nodes[node][:2], children, 0.0)
        return node

    grow(0, np.arange(len(table)), table)
    return Tree(*map(np.array, zip(*nodes, strict=True)))
