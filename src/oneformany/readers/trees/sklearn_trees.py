"""Read the tree ensembles of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.columns import probe
from oneformany.readers.trees.tree_reading import Forest, Grown
from oneformany.readers.verdict import class_index, least_probability
from oneformany.schema.encoding import Encoding


def read_trees(
    model: AnyModel, encoding: Encoding, threshold: float | None = 0.5, positive: object = 1
) -> TreeOracle:
    """Read a fitted tree, forest, bagging or boosting classifier of scikit-learn.

    The score is the sum of the trees' probabilities of the positive class for trees, forests and bagging, and
    the log-odds (half of them for the exponential loss) for boosting.
    """
    name = type(model).__name__
    if (outputs := getattr(model, "n_outputs_", 1)) > 1:
        raise UnsupportedModelError(f"{name} predicts {outputs} outputs; fit one model for each")
    index = class_index(model, positive)
    chance = least_probability(threshold, len(model.classes_))
    encoding.check_width(model.n_features_in_, name)
    if getattr(model, "is_categorical_", None) is not None:  # its own coding of categories puts them first
        coding, coded = model._preprocessor, encoding  # noqa: SLF001 (no public way to the codes)
        encoding = probe(lambda codes: coding.transform(_named(model, coded.encode(codes))), coded.levels)
    forest = grown(model, index)
    return forest.oracle(name, encoding, chance, 1 if index == 1 or forest.votes else -1)


def grown(model: AnyModel, index: int = 1) -> Forest:
    """List the trees of a model; those that vote do so for the class with this index."""
    if isinstance(model, DecisionTreeClassifier):
        return _voting(model, [model], model.classes_[index])
    read = [BOOSTING[base.__name__] for base in type(model).__mro__ if base.__name__ in BOOSTING]
    if not read:
        return _voting(model, _members(model), index)
    if len(model.classes_) > 2:
        raise UnsupportedModelError(
            f"{type(model).__name__} knows {len(model.classes_)} classes and couples their scores; "
            "fit it on two classes, or use a forest"
        )
    return read[0](model)


def _voting(model: AnyModel, members: list[Any], label: object) -> Forest:
    """Each tree's probability of a class."""
    trees = []
    for number, member in enumerate(members):
        chance = member.tree_.value[:, 0, :][:, member.classes_ == label].sum(axis=1)
        own = getattr(model, "estimators_features_", None)
        trees.append(_tree(member.tree_, chance, None if own is None else own[number]))
    return Forest(model.n_features_in_, trees, votes=True, single=True)


def _tree(nodes: AnyModel, value: FloatArray, columns: IntArray | None = None) -> Grown:
    """List the nodes of a tree, which may see some columns only."""
    children = np.stack([nodes.children_left, nodes.children_right], axis=1)
    leaf = children[:, 0] < 0
    column = nodes.feature if columns is None else np.asarray(columns)[np.where(leaf, 0, nodes.feature)]
    size = nodes.weighted_n_node_samples * nodes.impurity
    return Grown(
        np.where(leaf, LEAF, column),
        nodes.threshold,
        children,
        value,
        size - size[children].sum(axis=1),
        nodes.missing_go_to_left == 1,
    )


def _ada_boost(model: AnyModel) -> Forest:
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise UnsupportedModelError(
            'AdaBoostClassifier with algorithm "SAMME.R" counts no votes; use "SAMME"'
        )
    weights = model.estimator_weights_ / np.sum(model.estimator_weights_)
    trees = []
    for member, weight in zip(_members(model), weights, strict=False):
        label = member.classes_[member.tree_.value[:, 0, :].argmax(axis=1)]
        trees.append(_tree(member.tree_, weight * np.where(label == model.classes_[1], 2.0, -2.0)))
    return Forest(model.n_features_in_, trees, single=True)


def _gradient_boosting(model: AnyModel) -> Forest:
    if not (model.init is None or model.init == "zero"):
        raise UnsupportedModelError(
            "GradientBoostingClassifier starts from a model of its own; fit it with init=None"
        )
    stages = [stage.tree_ for stage in model.estimators_[:, 0]]
    trees = [_tree(tree, model.learning_rate * tree.value[:, 0, 0]) for tree in stages]
    somewhere = np.zeros((1, model.n_features_in_), dtype=np.float32)
    score = float(model.decision_function(_named(model, somewhere))[0])
    intercept = score - model.learning_rate * sum(float(tree.predict(somewhere)[0, 0]) for tree in stages)
    steepness = 2.0 if model.loss == "exponential" else 1.0
    return Forest(model.n_features_in_, trees, intercept=intercept, steepness=steepness, single=True)


def _histogram_boosting(model: AnyModel) -> Forest:
    trees = []
    for (predictor,) in model._predictors:  # noqa: SLF001 (no public way to the trees)
        nodes = predictor.nodes
        listed = np.flatnonzero((nodes["is_leaf"] == 0) & (nodes["is_categorical"] == 1))
        bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][listed]].view(np.uint8)
        sets = zip(listed.tolist(), np.unpackbits(bits, axis=1, bitorder="little"), strict=True)
        trees.append(
            Grown(
                np.where(nodes["is_leaf"] == 1, LEAF, nodes["feature_idx"].astype(np.int64)),
                nodes["num_threshold"],
                np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int64),
                nodes["value"].astype(np.float64),
                nodes["gain"].astype(np.float64),
                nodes["missing_go_to_left"] == 1,
                {node: np.flatnonzero(own).tolist() for node, own in sets},
            )
        )
    baseline = float(model._baseline_prediction.item())  # noqa: SLF001 (as above)
    return Forest(model.n_features_in_, trees, intercept=baseline)


def _members(model: AnyModel) -> list[Any]:
    for member in model.estimators_:
        if not isinstance(member, DecisionTreeClassifier):
            raise UnsupportedModelError(
                f"{type(model).__name__} of {type(member).__name__} cannot be read, only of decision trees"
            )
    return list(model.estimators_)


def _named(model: AnyModel, matrix: AnyValue) -> AnyValue:
    """Give the matrix the column names the model was fitted with, if any."""
    names = getattr(model, "feature_names_in_", None)
    return matrix if names is None else pd.DataFrame(matrix, columns=names)


BOOSTING = {
    "AdaBoostClassifier": _ada_boost,
    "GradientBoostingClassifier": _gradient_boosting,
    "HistGradientBoostingClassifier": _histogram_boosting,
}
