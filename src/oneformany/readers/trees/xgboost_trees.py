"""Read XGBoost's tree boosters; xgboost is imported only when a model of it is brought."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.anything import AnyModel
from oneformany.arrays import BoolArray, FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF, Tree
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.chances import SINGLE, both_classes, least_probability, log_odds
from oneformany.readers.trees.tree_reading import LevelTable, class_sign, log_odds_oracle
from oneformany.schema.encoding import Encoding


def read_trees(
    model: AnyModel, encoding: Encoding, threshold: float | None = 0.5, positive: object = 1
) -> TreeOracle:
    """Read a fitted binary ``XGBClassifier``, ``XGBRFClassifier`` or ``Booster`` (gbtree or dart).

    The score is the log-odds. XGBoost adds leaves in single precision; within the worst case of that,
    some ``1e-4`` for two hundred trees, the model itself decides.
    """
    name, sign = type(model).__name__, class_sign(model, positive)
    booster, missing = _booster(model)
    content = json.loads(booster.save_raw("json"))["learner"]
    objective = content["objective"]["name"]
    if objective != "binary:logistic":
        raise UnsupportedModelError(
            f"{name} was fitted with the objective {objective}; only binary:logistic can be read"
        )
    gradient_booster = content["gradient_booster"]
    if gradient_booster["name"] not in {"gbtree", "dart"}:
        raise UnsupportedModelError(f"{name} uses {gradient_booster['name']}, which grows no trees")
    encoding.check_width(int(content["learner_model_param"]["num_feature"]), name)
    table = LevelTable.of(encoding)
    grown = gradient_booster.get("gbtree", gradient_booster)["model"]["trees"]
    weights = gradient_booster.get("weight_drop", [1.0] * len(grown))
    trees = [_tree(tree, sign * weight, missing, table) for tree, weight in zip(grown, weights, strict=True)]
    base = float(content["learner_model_param"]["base_score"].strip("[]"))
    chance = least_probability(threshold)
    return log_odds_oracle(encoding, trees, sign * log_odds(base), chance, rounding=SINGLE)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """Ask an ``xgboost.Booster`` for the probabilities of both classes."""
    import xgboost

    data = xgboost.DMatrix(columns, feature_names=model.feature_names, feature_types=model.feature_types)
    return both_classes(model.predict(data))


def _booster(model: AnyModel) -> tuple[Any, float]:
    """Find the trees that predictions use, and the value that stands for missing."""
    if not hasattr(model, "get_booster"):
        return model, np.nan
    booster = model.get_booster()
    best = booster.attributes().get("best_iteration")
    return booster if best is None else booster[: int(best) + 1], model.missing


def _tree(tree: dict[str, Any], weight: float, missing: float, table: LevelTable) -> Tree:
    children = np.stack([tree["left_children"], tree["right_children"]], axis=1).astype(np.int64)
    leaf = children[:, 0] < 0
    condition = np.array(tree["split_conditions"], dtype=np.float32)
    column = np.where(leaf, 0, np.array(tree["split_indices"], dtype=np.int64))
    values = table.inputs.astype(np.float32)[column]
    left = values < condition[:, None]
    _split_categories(tree, values, left)
    absent = np.isnan(values) | (values == np.float32(missing))
    default = np.array(tree["default_left"], dtype=np.bool_)
    return Tree(
        feature=np.where(leaf, LEAF, table.feature[column]),
        left=np.where(absent, default[:, None], left),
        children=children,
        value=condition.astype(np.float64) * weight,
    )


def _split_categories(tree: dict[str, Any], values: NDArray[np.float32], left: BoolArray) -> None:
    """Correct the nodes that list categories: those go right."""
    listed = zip(tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True)
    for node, start, size in listed:
        left[node] = ~np.isin(values[node], tree["categories"][start : start + size])
