"""Read LightGBM's boosters; lightgbm is imported only when a model of it is brought."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import BoolArray, FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF, Tree
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.chances import both_classes, least_probability
from oneformany.readers.trees.tree_reading import LevelTable, class_sign, log_odds_oracle
from oneformany.schema.encoding import Encoding

NEARLY_ZERO = 1e-35


def read_trees(
    model: AnyModel, encoding: Encoding, threshold: float | None = 0.5, positive: object = 1
) -> TreeOracle:
    """Read a fitted binary ``LGBMClassifier`` or ``Booster``, with or without categorical columns.

    The score is what LightGBM calls raw: the log-odds divided by its parameter ``sigmoid``. Where
    rounding in LightGBM could decide, the model itself does.
    """
    name, sign = type(model).__name__, class_sign(model, positive)
    booster: AnyModel = getattr(model, "booster_", model)
    content = booster.dump_model()
    objective, *settings = str(content.get("objective", "none")).split()
    if objective != "binary":
        raise UnsupportedModelError(
            f"{name} was fitted with the objective {objective}; only binary can be read"
        )
    encoding.check_width(content["max_feature_idx"] + 1, name)
    table = LevelTable.of(encoding)
    grown = [tree["tree_structure"] for tree in content["tree_info"]]
    weight = sign / (len(grown) if content.get("average_output") else 1)
    steepness = float(dict(setting.split(":") for setting in settings).get("sigmoid", 1.0))
    trees = [_tree(root, weight, table, name) for root in grown]
    return log_odds_oracle(encoding, trees, 0.0, least_probability(threshold), steepness=steepness)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """Ask a ``lightgbm.Booster`` for the probabilities of both classes."""
    return both_classes(model.predict(columns))


def _tree(root: dict[str, Any], weight: float, table: LevelTable, name: str) -> Tree:
    nodes = [root]
    children = []
    for node in nodes:  # grows while it is walked
        if "leaf_coeff" in node:
            raise UnsupportedModelError(f"{name} has linear trees; fit it with linear_tree=False")
        if "left_child" in node:
            children.append([len(nodes), len(nodes) + 1])
            nodes += [node["left_child"], node["right_child"]]
        else:
            children.append([0, 0])
    leaf = ["leaf_value" in node for node in nodes]
    column = [node.get("split_feature", 0) for node in nodes]
    return Tree(
        feature=np.where(leaf, LEAF, table.feature[column]),
        left=np.array([_left(node, table) for node in nodes]),
        children=np.array(children, dtype=np.int64),
        value=weight * np.array([node.get("leaf_value", 0.0) for node in nodes]),
    )


def _left(node: dict[str, Any], table: LevelTable) -> BoolArray:
    """Levels for which LightGBM goes left."""
    if "leaf_value" in node:
        return np.zeros(table.inputs.shape[1], dtype=np.bool_)
    values = table.inputs[node["split_feature"]]
    if node["decision_type"] == "==":
        listed = [int(category) for category in str(node["threshold"]).split("||")]
        return np.asarray(np.isin(np.trunc(values), listed))
    absent = np.isnan(values)
    if node["missing_type"] == "Zero":
        absent |= np.abs(values) <= NEARLY_ZERO
    if node["missing_type"] == "None":
        values, absent = np.where(absent, 0.0, values), np.zeros_like(absent)
    return np.asarray(np.where(absent, node["default_left"], values <= node["threshold"]))
