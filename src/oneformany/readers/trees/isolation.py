"""Read an isolation forest: how deep a row ends in each tree, added up exactly."""

import math
from numbers import Real

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.trees.forest import Forest, Grown
from oneformany.readers.trees.oracles import margin_of, on_levels, tree_oracle
from oneformany.readers.verdict import DOUBLE, class_index
from oneformany.schema.encoding import Encoding

SMALLEST = 1e-6  # score: twenty times as deep as rows end on average
OPERATIONS = 64  # rounded ones, and more, between the sum of the depths and the score


def read_isolation_forest(
    model: AnyModel,
    encoding: Encoding,
    threshold: float | None = None,
    positive: object = 1,
    forest: Forest | None = None,
) -> TreeOracle | LargeTreeOracle:
    """Read a fitted ``IsolationForest``, which calls 1 what it does not find unusual, and -1 the rest.

    Its decision value is ``-2 ** (-depths / deepest) - offset_``, where the depths of the row's leaves are
    added up over all trees, so a row is usual from a certain sum on.
    """
    if threshold is not None and not (isinstance(threshold, Real) and math.isfinite(threshold)):
        raise InputError(f"the threshold is {threshold!r}; it must be a finite decision value")
    sign = 1 if class_index(model, positive) else -1
    forest = isolation_forest(model) if forest is None else forest
    encoding.check_width(forest.width, type(model).__name__)
    deepest = len(forest.trees) * float(_average_depth(np.array([model._max_samples]))[0])  # noqa: SLF001 (as fitted)
    if deepest == 0:
        raise UnsupportedModelError("IsolationForest was fitted on one row per tree; raise max_samples")
    least = sign * (0.0 if threshold is None else float(threshold))
    # A score of at most this is usual; no row is as deep as the smallest one asks for.
    unusual = max(SMALLEST, -(float(model.offset_) + least))
    most = sum(float(tree.value[tree.column == LEAF].max()) for tree in forest.trees)
    needed = min(-deepest * float(np.log2(unusual)), most + 1.0)
    trees = on_levels(forest, encoding, sign)
    rounding = OPERATIONS * DOUBLE * (deepest + abs(needed)) / unusual
    return tree_oracle(trees, sign * needed, margin_of(trees, DOUBLE) + rounding)


def isolation_forest(model: AnyModel) -> Forest:
    """List the trees, with what each leaf adds: its depth, and how deep its rows would end on average."""
    trees = []
    for tree, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        nodes = tree.tree_
        children = np.stack([nodes.children_left, nodes.children_right], axis=1)
        leaf = children[:, 0] < 0
        value = _depths(children) + _average_depth(nodes.n_node_samples)
        to_left = nodes.missing_go_to_left == 1
        column = np.where(leaf, LEAF, np.asarray(columns)[np.where(leaf, 0, nodes.feature)])
        rows = nodes.n_node_samples.astype(np.float64)  # a split of many rows weighs more
        trees.append(Grown(column, nodes.threshold, children, value, rows, to_left))
    return Forest(model.n_features_in_, trees, single=True)


def _depths(children: IntArray) -> FloatArray:
    """How many splits lie above each node; a node stands behind its parent."""
    depths = np.zeros(len(children))
    for node in np.flatnonzero(children[:, 0] >= 0).tolist():
        depths[children[node]] = depths[node] + 1
    return depths


def _average_depth(rows: IntArray) -> FloatArray:
    """How deep a row ends on average in a tree that isolates so many."""
    many = np.maximum(rows.astype(np.float64), 3.0)
    average = 2.0 * (np.log(many - 1.0) + np.euler_gamma) - 2.0 * (many - 1.0) / many
    return np.where(rows > 2, average, np.where(rows == 2, 1.0, 0.0))
