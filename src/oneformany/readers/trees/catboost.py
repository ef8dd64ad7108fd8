"""Read CatBoost: trees of numbers, as it writes them itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from oneformany.anything import AnyModel
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.readers.trees.forest import Forest, Grown

LOSSES = ("Logloss", "CrossEntropy")


def catboost_forest(model: AnyModel) -> Forest:
    """List the trees, whose leaves add up to log-odds; all splits of a level are the same in most of them."""
    if (loss := model.get_all_params().get("loss_function")) not in LOSSES:
        raise UnsupportedModelError(
            f"CatBoostClassifier was fitted with the loss {loss}; only Logloss is read"
        )
    if model.get_probability_threshold() != 0.5:
        raise UnsupportedModelError(
            "CatBoostClassifier has a probability threshold of its own; set it to 0.5 and name a threshold="
        )
    check_numbers(model)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        content = json.loads(path.read_text(encoding="utf-8"))
    features = content["features_info"]
    numbers = {feature["feature_index"]: feature for feature in features["float_features"]}
    scale, (bias,) = content["scale_and_bias"]
    trees = [*map(_nested, content.get("oblivious_trees", ())), *content.get("trees", ())]
    return Forest(
        1 + max(feature["flat_feature_index"] for feature in numbers.values()),
        [_grown(tree, float(scale), numbers) for tree in trees],
        intercept=float(bias),
        single=True,
    )


def check_numbers(model: AnyModel) -> None:
    """Refuse a model that reads something else than numbers."""
    for read, what in (
        (model.get_cat_feature_indices(), "categories by statistics of them and of their combinations"),
        (model.get_text_feature_indices(), "texts"),
        (model.get_embedding_feature_indices(), "embeddings"),
    ):
        if read:
            raise UnsupportedModelError(
                f"CatBoostClassifier reads {what}; encode them before it, such as one-hot in a pipeline"
            )


def _nested(tree: dict[str, Any]) -> dict[str, Any]:
    """Write a tree of equal levels as nodes: bit ``k`` of a leaf's number is its side of split ``k``."""

    def node(level: int, number: int) -> dict[str, Any]:
        if level == len(tree["splits"]):
            return {"value": tree["leaf_values"][number]}
        sides = {"left": node(level + 1, number), "right": node(level + 1, number | 1 << level)}
        return {"split": tree["splits"][level], **sides}

    return node(0, 0)


def _grown(root: dict[str, Any], scale: float, numbers: dict[int, dict[str, Any]]) -> Grown:
    """List the nodes of a tree: a number above the border goes right; a missing one where it says."""
    nodes, children = [root], []
    for node in nodes:  # which grow while they are walked
        inner = [node["left"], node["right"]] if "split" in node else []
        children.append([len(nodes), len(nodes) + 1] if inner else [0, 0])
        nodes += inner
    splits = [node.get("split", {}) for node in nodes]
    read = [numbers[split["float_feature_index"]] if split else {} for split in splits]
    return Grown(
        np.array([one.get("flat_feature_index", LEAF) for one in read]),
        np.array([split.get("border", 0.0) for split in splits]),
        np.array(children, dtype=np.int64),
        scale * np.array([node.get("value", 0.0) for node in nodes]),
        np.array(list(_weights(nodes, children))),
        np.array([one.get("nan_value_treatment") != "AsTrue" for one in read]),
    )


def _weights(nodes: list[dict[str, Any]], children: list[list[int]]) -> Iterator[float]:
    """How much each split weighs: by how far apart the mean leaves of its sides are."""
    means = [float(node.get("value", 0.0)) for node in nodes]
    for number in range(len(nodes) - 1, -1, -1):  # children stand behind their parent
        if "split" in nodes[number]:
            left, right = children[number]
            means[number] = (means[left] + means[right]) / 2
    for node, (left, right) in zip(nodes, children, strict=True):
        yield (means[right] - means[left]) ** 2 if "split" in node else 0.0
