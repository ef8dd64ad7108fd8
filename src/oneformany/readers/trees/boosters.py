"""Read the boosters of XGBoost and LightGBM; neither library is imported before a model of it is brought."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.trees.tree_reading import Forest, Grown
from oneformany.readers.verdict import (
    SINGLE,
    both_classes,
    class_index,
    find_class,
    least_probability,
    log_odds,
)
from oneformany.schema.encoding import Encoding


def read_trees(
    model: AnyModel, encoding: Encoding, threshold: float | None = 0.5, positive: object = 1
) -> TreeOracle:
    """Read a fitted binary classifier or ``Booster`` of either library, with or without categories.

    The score is the log-odds, of LightGBM divided by its parameter ``sigmoid``. XGBoost adds leaves in single
    precision; within the worst case of that, some ``1e-4`` for two hundred trees, the model itself decides.
    """
    name = type(model).__name__
    booster = any(base.__name__ == "Booster" for base in type(model).__mro__)
    index = find_class((0, 1), positive, "Booster") if booster else class_index(model, positive)
    return grown(model).oracle(name, encoding, least_probability(threshold), 1 if index == 1 else -1)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """Ask a ``Booster`` for the probabilities of both classes."""
    if _is_lightgbm(model):
        return both_classes(model.predict(columns))
    import xgboost

    data = xgboost.DMatrix(columns, feature_names=model.feature_names, feature_types=model.feature_types)
    return both_classes(model.predict(data))


def grown(model: AnyModel) -> Forest:
    """List the trees that predictions use, from what the library saves."""
    return _lightgbm(model) if _is_lightgbm(model) else _xgboost(model)


def _is_lightgbm(model: AnyModel) -> bool:
    return any(base.__module__.split(".")[0] == "lightgbm" for base in type(model).__mro__)


def _xgboost(model: AnyModel) -> Forest:
    name, booster, missing = type(model).__name__, model, np.nan
    if hasattr(model, "get_booster"):
        booster, missing = model.get_booster(), model.missing
        best = booster.attributes().get("best_iteration")
        booster = booster if best is None else booster[: int(best) + 1]
    content = json.loads(booster.save_raw("json"))["learner"]
    if (objective := content["objective"]["name"]) != "binary:logistic":
        raise UnsupportedModelError(
            f"{name} was fitted with the objective {objective}; only binary:logistic can be read"
        )
    gradient_booster = content["gradient_booster"]
    if gradient_booster["name"] not in {"gbtree", "dart"}:
        raise UnsupportedModelError(f"{name} uses {gradient_booster['name']}, which grows no trees")
    trees = gradient_booster.get("gbtree", gradient_booster)["model"]["trees"]
    weights = gradient_booster.get("weight_drop", [1.0] * len(trees))
    shape = content["learner_model_param"]
    return Forest(
        int(shape["num_feature"]),
        [
            _xgboost_tree(tree, weight, np.float32(missing))
            for tree, weight in zip(trees, weights, strict=True)
        ],
        intercept=log_odds(float(shape["base_score"].strip("[]"))),
        rounding=SINGLE,
        strict=True,
        single=True,
        listed_left=False,
    )


def _xgboost_tree(tree: dict[str, Any], weight: float, missing: np.float32) -> Grown:
    children = np.stack([tree["left_children"], tree["right_children"]], axis=1).astype(np.int64)
    condition = np.array(tree["split_conditions"], dtype=np.float32).astype(np.float64)
    listed = zip(tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True)
    return Grown(
        np.where(children[:, 0] < 0, LEAF, np.array(tree["split_indices"], dtype=np.int64)),
        condition,
        children,
        condition * weight,
        np.array(tree["loss_changes"], dtype=np.float64),
        np.array(tree["default_left"], dtype=np.bool_),
        {node: tree["categories"][start : start + size] for node, start, size in listed},
        missing,
    )


def _lightgbm(model: AnyModel) -> Forest:
    name = type(model).__name__
    booster: AnyModel = getattr(model, "booster_", model)
    content = booster.dump_model()
    objective, *settings = str(content.get("objective", "none")).split()
    if objective != "binary":
        raise UnsupportedModelError(
            f"{name} was fitted with the objective {objective}; only binary can be read"
        )
    roots = [tree["tree_structure"] for tree in content["tree_info"]]
    weight = 1 / (len(roots) if content.get("average_output") else 1)
    return Forest(
        content["max_feature_idx"] + 1,
        [_lightgbm_tree(root, weight, name) for root in roots],
        steepness=float(dict(setting.split(":") for setting in settings).get("sigmoid", 1.0)),
    )


def _lightgbm_tree(root: dict[str, Any], weight: float, name: str) -> Grown:
    nodes = [root]
    children = []
    categories: dict[int, Sequence[int]] = {}
    for number, node in enumerate(nodes):  # which grow while they are walked
        if "leaf_coeff" in node:
            raise UnsupportedModelError(f"{name} has linear trees; fit it with linear_tree=False")
        if "left_child" not in node:
            children.append([0, 0])
            continue
        children.append([len(nodes), len(nodes) + 1])
        nodes += [node["left_child"], node["right_child"]]
        if node["decision_type"] == "==":
            categories[number] = [int(category) for category in str(node["threshold"]).split("||")]
    cuts = [0.0 if number in categories else node.get("threshold", 0.0) for number, node in enumerate(nodes)]
    missing = [node.get("missing_type", "NaN") for node in nodes]
    to_left = np.array([node.get("default_left", False) for node in nodes], dtype=np.bool_)
    to_left = np.where(np.array(missing) == "None", np.array(cuts) >= 0, to_left)  # as if it were zero
    to_left[list(categories)] = False
    return Grown(
        np.array([node.get("split_feature", LEAF) for node in nodes]),
        np.array(cuts, dtype=np.float64),
        np.array(children, dtype=np.int64),
        weight * np.array([node.get("leaf_value", 0.0) for node in nodes]),
        np.array([node.get("split_gain", 0.0) for node in nodes]),
        to_left,
        categories,
        np.where(np.array(missing) == "Zero", 0.0, np.nan),
    )
