"""Where the trees of a model split its inputs, and how much each split weighs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from oneformany.anything import AnyModel
from oneformany.arrays import FloatArray, IntArray
from oneformany.readers.registry import named

Split = tuple[int, float, float] | tuple[IntArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Splits:
    """The thresholds at which trees compare their inputs."""

    thresholds: dict[int, FloatArray]  # of each input, increasing
    weights: dict[int, FloatArray]  # the total gain of the splits at each
    categories: frozenset[int]  # inputs that are compared with sets of categories
    strict: bool  # whether an input equal to a threshold goes right (``<``) rather than left (``<=``)
    single: bool  # whether inputs are compared in single precision
    count: int  # how many splits all trees have together

    @classmethod
    def of(cls, splits: Iterator[Split], *, strict: bool = False, single: bool = False) -> Splits:
        """Collect splits, one or many at a time.

        Each is an input, a threshold (not-a-number: a set of categories) and a weight.
        """
        parts = [np.stack(np.broadcast_arrays(*np.atleast_1d(*split))) for split in splits]
        inputs, cuts, gains = np.concatenate([np.zeros((3, 0)), *parts], axis=1)
        listed = np.isnan(cuts)
        thresholds, weights = {}, {}
        for column in np.unique(inputs[~listed]).astype(np.int64).tolist():
            own = (inputs == column) & ~listed
            thresholds[column], index = np.unique(cuts[own], return_inverse=True)
            weights[column] = np.bincount(index, np.maximum(gains[own], 0.0)).astype(np.float64)
        categories = frozenset(np.unique(inputs[listed]).astype(np.int64).tolist())
        return cls(thresholds, weights, categories, strict, single, len(cuts))

    def intervals(self, column: int, values: FloatArray) -> FloatArray:
        """Say between which thresholds each value of an input lies; not-a-number stays what it is."""
        if column in self.categories:
            return values
        compared = values.astype(np.float32).astype(np.float64) if self.single else values
        side: Literal["left", "right"] = "right" if self.strict else "left"
        found = np.searchsorted(self.thresholds.get(column, np.zeros(0)), compared, side=side)
        return np.where(np.isnan(values), np.nan, found)

    def between(self, column: int, intervals: FloatArray) -> FloatArray:
        """Weigh the thresholds between each value of an input and the one before it."""
        total = np.concatenate([[0.0], np.cumsum(self.weights.get(column, np.zeros(0)))])
        if column in self.categories:
            return np.ones(len(intervals))
        up_to = total[np.where(np.isnan(intervals), 0, intervals).astype(np.int64)]
        return np.abs(np.diff(up_to, prepend=up_to[:1]))


def model_splits(model: AnyModel) -> Splits | None:
    """Find the splits of a model made of trees; ``None`` for other models."""
    kind = type(model)
    if named("sklearn", "HistGradientBoostingClassifier")(kind):
        return Splits.of(_histogram(model))
    if named("sklearn", "DecisionTreeClassifier")(kind):
        return Splits.of(_grown([model], None), single=True)
    if named("sklearn", *ENSEMBLES)(kind) and hasattr(model, "estimators_"):
        members = np.ravel(np.asarray(model.estimators_, dtype=object)).tolist()
        if all(hasattr(member, "tree_") for member in members):
            return Splits.of(_grown(members, getattr(model, "estimators_features_", None)), single=True)
    if named("xgboost", "XGBClassifier", "Booster")(kind):
        missing = getattr(model, "missing", np.nan)
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        if missing is None or np.isnan(missing):
            return Splits.of(_xgboost(booster), strict=True, single=True)
    if named("lightgbm", "LGBMClassifier", "Booster")(kind):
        model = getattr(model, "booster_", model)
        content = model.dump_model()
        nodes = [node for tree in content["tree_info"] for node in _walk(tree["tree_structure"])]
        if all(node["missing_type"] != "Zero" for node in nodes):
            return Splits.of(_lightgbm(nodes))
    return None


ENSEMBLES = (
    "AdaBoostClassifier",
    "BaggingClassifier",
    "ExtraTreesClassifier",
    "GradientBoostingClassifier",
    "RandomForestClassifier",
)


def _grown(members: list[Any], columns: list[IntArray] | None) -> Iterator[Split]:
    for number, member in enumerate(members):
        tree = member.tree_
        size = tree.weighted_n_node_samples * tree.impurity
        nodes = np.flatnonzero(tree.children_left >= 0)
        column = tree.feature[nodes]
        own = column if columns is None else np.asarray(columns[number])[column]
        gain = size[nodes] - size[tree.children_left[nodes]] - size[tree.children_right[nodes]]
        yield own, tree.threshold[nodes], gain


def _histogram(model: AnyModel) -> Iterator[Split]:
    for (predictor,) in model._predictors:  # noqa: SLF001 (no public way to the trees)
        for node in predictor.nodes[predictor.nodes["is_leaf"] == 0]:
            threshold = np.nan if node["is_categorical"] else float(node["num_threshold"])
            yield int(node["feature_idx"]), threshold, float(node["gain"])


def _xgboost(booster: AnyModel) -> Iterator[Split]:
    booster_content = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    for tree in booster_content.get("gbtree", booster_content)["model"]["trees"]:
        listed = set(tree["categories_nodes"])
        for node, left in enumerate(tree["left_children"]):
            if left >= 0:
                threshold = np.nan if node in listed else float(np.float32(tree["split_conditions"][node]))
                yield int(tree["split_indices"][node]), threshold, float(tree["loss_changes"][node])


def _walk(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if "left_child" in node:
            yield node
            waiting += [node["left_child"], node["right_child"]]


def _lightgbm(nodes: list[dict[str, Any]]) -> Iterator[Split]:
    for node in nodes:
        threshold = np.nan if node["decision_type"] == "==" else float(node["threshold"])
        yield int(node["split_feature"]), threshold, float(node["split_gain"])
