"""Read explainable boosting machines of interpret: sums of one table per feature or pair of features."""

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF, Tree
from oneformany.readers.columns import Rows
from oneformany.readers.trees.forest import log_odds_oracle
from oneformany.readers.verdict import FrameVerdict, Reading, Verdict, class_index, least_probability
from oneformany.schema.schema import Schema

MOST_CELLS = 1_000_000
N_CHECKED = 64
LARGEST_DIFFERENCE = 1e-9


def read_boosting_machine(
    model: AnyModel,
    schema: Schema | None = None,
    frame: pd.DataFrame | None = None,
    threshold: float | None = None,
    positive: object = 1,
) -> Reading:
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
    rows = Rows.of(schema, frame, model)
    levels = rows.schema.levels
    own = [rows.schema.index(name) for name in model.feature_names_in_]
    terms = [tuple(own[column] for column in columns) for columns in model.term_features_]
    tables = zip(terms, _tables(model, rows, terms), strict=True)
    trees = [_tree(features, sign * table, max(levels)) for features, table in tables]
    intercept = sign * float(np.asarray(model.intercept_).reshape(-1)[0])
    oracle = log_odds_oracle(levels, trees, intercept, least_probability(threshold))
    checked = np.random.default_rng(0).integers(levels, size=(N_CHECKED, len(levels)))
    difference = np.abs(oracle.score(checked) - sign * model.decision_function(rows.frame(checked)))
    if difference.max() > LARGEST_DIFFERENCE:
        raise PredictionMismatchError(
            f"{type(model).__name__} was misread by {difference.max():g}; report it"
        )
    return Reading(oracle, FrameVerdict(rows, Verdict(model, lambda data: data, threshold, positive)))


def _tables(model: AnyModel, rows: Rows, terms: Sequence[tuple[int, ...]]) -> list[FloatArray]:
    """What each term says about all combinations of levels of its features."""
    levels = rows.schema.levels
    shapes = [tuple(levels[feature] for feature in features) for features in terms]
    starts = np.cumsum([0, *(prod(shape) for shape in shapes)])
    if starts[-1] > MOST_CELLS:
        raise InputError(
            f"the features of the model's terms have {starts[-1]} combinations of levels, more than "
            f"{MOST_CELLS}; pass a schema with fewer levels"
        )
    codes = np.zeros((starts[-1], len(levels)), dtype=np.int64)
    for features, shape, (start, end) in zip(terms, shapes, pairwise(starts), strict=True):
        codes[start:end, features] = np.indices(shape).reshape(len(shape), -1).T
    said = np.split(np.asarray(model.eval_terms(rows.frame(codes)), dtype=np.float64), starts[1:-1])
    return [part[:, term].reshape(shape) for term, (part, shape) in enumerate(zip(said, shapes, strict=True))]


def _tree(features: Sequence[int], table: FloatArray, width: int) -> Tree:
    """Write a table as a tree that halves the distinct levels of one feature after the other."""
    nodes: list[tuple[int, IntArray, tuple[int, int], float]] = []

    def grow(depth: int, levels: IntArray, table: FloatArray) -> int:
        """Add what the table says where the feature of this depth has one of these levels."""
        if table.ndim == 0:
            nodes.append((LEAF, levels, (0, 0), float(table)))
            return len(nodes) - 1
        slices, kind = np.unique(table, axis=0, return_inverse=True)
        if len(slices) == 1:
            return grow(depth + 1, np.arange(slices[0].shape[0] if slices[0].ndim else 0), slices[0])
        node, left = len(nodes), kind.ravel() < len(slices) // 2
        nodes.append((features[depth], levels[left], (0, 0), 0.0))
        children = (grow(depth, levels[left], table[left]), grow(depth, levels[~left], table[~left]))
        nodes[node] = (features[depth], levels[left], children, 0.0)
        return node

    grow(0, np.arange(len(table)), table)
    goes_left = np.zeros((len(nodes), width), dtype=np.bool_)
    for node, (on, levels, _, _) in enumerate(nodes):
        goes_left[node, levels] = on != LEAF
    feature, _, children, value = zip(*nodes, strict=True)
    return Tree(np.array(feature), goes_left, np.array(children), np.array(value))
