"""Read the tree ensembles of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF, Tree
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.chances import least_probability
from oneformany.readers.trees.tree_reading import LevelTable, log_odds_oracle, probability_oracle
from oneformany.readers.verdict import class_index
from oneformany.schema.encoding import Encoding


def read_trees(
    model: AnyModel, encoding: Encoding, threshold: float | None = 0.5, positive: object = 1
) -> TreeOracle:
    """Read a fitted tree, forest, bagging or boosting classifier of scikit-learn.

    The score is the sum of the trees' probabilities of the positive class for trees, forests and bagging, and
    the log-odds (half of them for the exponential loss) for boosting. Scores so near the threshold that
    scikit-learn's rounding could decide are the model's to decide; read without its verdict (see
    :class:`~oneformany.readers.verdict.Reading`) they do not count as positive.
    """
    name = type(model).__name__
    if (outputs := getattr(model, "n_outputs_", 1)) > 1:
        raise UnsupportedModelError(f"{name} predicts {outputs} outputs; fit one model for each")
    index = class_index(model, positive)
    encoding.check_width(model.n_features_in_, name)
    chance = least_probability(threshold, len(model.classes_))
    table = LevelTable.of(encoding)
    if isinstance(model, DecisionTreeClassifier):
        return probability_oracle(encoding, _votes([model], model.classes_[index], table), chance)
    if isinstance(model, VOTING):
        _check_members(model)
        columns = getattr(model, "estimators_features_", None)
        return probability_oracle(encoding, _votes(model.estimators_, index, table, columns), chance)
    if len(model.classes_) > 2:
        raise UnsupportedModelError(
            f"{name} knows {len(model.classes_)} classes and couples their scores; "
            "fit it on two classes, or use a forest"
        )
    read = next(reader for kind, reader in BOOSTING.items() if isinstance(model, kind))
    trees, intercept, steepness = read(model, table, 1 if index == 1 else -1)
    return log_odds_oracle(encoding, trees, intercept, chance, steepness=steepness)


def _tree(nodes: AnyModel, column: IntArray, value: FloatArray, table: LevelTable) -> Tree:
    """Turn thresholds into sets of levels; scikit-learn's trees compare single precision inputs."""
    leaf = nodes.children_left < 0
    column = np.where(leaf, 0, column)
    inputs = table.inputs.astype(np.float32)[column]
    left = inputs <= nodes.threshold[:, None]
    return Tree(
        feature=np.where(leaf, LEAF, table.feature[column]),
        left=np.where(np.isnan(inputs), nodes.missing_go_to_left[:, None] == 1, left),
        children=np.stack([nodes.children_left, nodes.children_right], axis=1),
        value=value,
    )


def _votes(
    members: Sequence[Any], label: object, table: LevelTable, columns: Sequence[IntArray] | None = None
) -> list[Tree]:
    """Each tree's probability of a class."""
    trees = []
    for number, member in enumerate(members):
        chance = member.tree_.value[:, 0, :][:, member.classes_ == label].sum(axis=1)
        column = member.tree_.feature
        if columns is not None:
            column = columns[number][np.maximum(column, 0)]  # leaves have a negative one
        trees.append(_tree(member.tree_, column, chance, table))
    return trees


Boosted = tuple[list[Tree], float, float]


def _ada_boost(model: AdaBoostClassifier, table: LevelTable, sign: int) -> Boosted:
    _check_members(model)
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise UnsupportedModelError(
            'AdaBoostClassifier with algorithm "SAMME.R" counts no votes; use "SAMME"'
        )
    weights = model.estimator_weights_ / np.sum(model.estimator_weights_)
    trees = []
    for member, weight in zip(model.estimators_, weights, strict=False):
        label = member.classes_[member.tree_.value[:, 0, :].argmax(axis=1)]
        vote = np.where(label == model.classes_[1], 2.0, -2.0)
        trees.append(_tree(member.tree_, member.tree_.feature, sign * weight * vote, table))
    return trees, 0.0, 1.0


def _gradient_boosting(model: GradientBoostingClassifier, table: LevelTable, sign: int) -> Boosted:
    if not (model.init is None or model.init == "zero"):
        raise UnsupportedModelError(
            "GradientBoostingClassifier starts from a model of its own; fit it with init=None"
        )
    grown = [stage.tree_ for stage in model.estimators_[:, 0]]
    rate = sign * model.learning_rate
    trees = [_tree(tree, tree.feature, rate * tree.value[:, 0, 0], table) for tree in grown]
    somewhere = np.zeros((1, model.n_features_in_), dtype=np.float32)
    score = sign * float(model.decision_function(_named(model, somewhere))[0])
    intercept = score - rate * sum(float(tree.predict(somewhere)[0, 0]) for tree in grown)
    return trees, intercept, 2.0 if model.loss == "exponential" else 1.0


def _histogram_boosting(model: HistGradientBoostingClassifier, table: LevelTable, sign: int) -> Boosted:
    if model.is_categorical_ is not None:
        table = _with_categories(model, table)
    trees = []
    for (predictor,) in model._predictors:  # noqa: SLF001 (no public way to the trees)
        nodes = predictor.nodes
        leaf = nodes["is_leaf"] == 1
        column = np.where(leaf, 0, nodes["feature_idx"]).astype(np.int64)
        values = table.inputs[column]
        left = values <= nodes["num_threshold"][:, None]
        for node in np.flatnonzero(~leaf & (nodes["is_categorical"] == 1)):
            left[node] = _listed(values[node], predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]])
        trees.append(
            Tree(
                feature=np.where(leaf, LEAF, table.feature[column]),
                left=np.where(np.isnan(values), nodes["missing_go_to_left"][:, None] == 1, left),
                children=np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int64),
                value=sign * nodes["value"].astype(np.float64),
            )
        )
    return trees, sign * float(model._baseline_prediction.item()), 1.0  # noqa: SLF001 (as above)


def _with_categories(model: HistGradientBoostingClassifier, table: LevelTable) -> LevelTable:
    """Pass the levels through the model's own coding of categories, which puts them first; unknown is NaN."""
    moved = np.argsort(~model.is_categorical_, kind="stable")
    coded = model._preprocessor.transform(_named(model, table.inputs.T))  # noqa: SLF001 (as above)
    return LevelTable(table.feature[moved], np.asarray(coded, dtype=np.float64).T)


def _listed(values: FloatArray, bitset: IntArray) -> BoolArray:
    category = np.where(np.isnan(values), 0, values).astype(np.int64)
    return np.asarray((bitset[category // 32] >> (category % 32)) & 1 == 1)


def _named(model: AnyModel, matrix: AnyValue) -> AnyValue:
    """Give the matrix the column names the model was fitted with, if any."""
    names = getattr(model, "feature_names_in_", None)
    return matrix if names is None else pd.DataFrame(matrix, columns=names)


def _check_members(model: AnyModel) -> None:
    for member in model.estimators_:
        if not isinstance(member, DecisionTreeClassifier):
            raise UnsupportedModelError(
                f"{type(model).__name__} of {type(member).__name__} cannot be read, only of decision trees"
            )


VOTING = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
BOOSTING = {
    AdaBoostClassifier: _ada_boost,
    GradientBoostingClassifier: _gradient_boosting,
    HistGradientBoostingClassifier: _histogram_boosting,
}
