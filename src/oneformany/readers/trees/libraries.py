"""Read trees of scikit-learn, XGBoost and LightGBM; no library is imported without a model of it."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import UnsupportedModelError
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.oracles.trees.large import LargeTreeOracle
from oneformany.oracles.trees.oracle import TreeOracle
from oneformany.readers.columns import inputs_for, named_as_fitted, probe
from oneformany.readers.registry import ISOLATION, TREES, reader_for
from oneformany.readers.trees.catboost import catboost_forest
from oneformany.readers.trees.forest import Forest, Grown
from oneformany.readers.trees.isolation import isolation_forest
from oneformany.readers.trees.oracles import oracle_of
from oneformany.readers.verdict import SINGLE, both_classes, class_index, least_probability, log_odds
from oneformany.schema.encoding import Encoding

COUPLED = "classes and couples their scores; fit it on two classes, or use a forest"
NUMBER_FOR_MISSING = "takes a number for a missing value; fit it with not-a-number there"


def read_trees(
    model: AnyModel,
    encoding: Encoding,
    threshold: float | None = None,
    positive: object = 1,
    forest: Forest | None = None,
) -> TreeOracle | LargeTreeOracle:
    """Read a fitted tree, forest, bagging or boosting classifier, or a booster, with or without categories.

    The score is the sum of the trees' probabilities of the positive class for trees, forests and bagging, and
    the log-odds (half of them for the exponential loss; of LightGBM divided by its parameter ``sigmoid``) for
    boosting. XGBoost adds leaves in single precision; within the worst case of that, some ``1e-4`` for two
    hundred trees, the model itself decides. Trees that were listed before are not listed again.
    """
    name = type(model).__name__
    classes = _classes(model)
    index = class_index(model, positive, classes)
    forest = grown(model, index) if forest is None else forest
    chance = least_probability(threshold, len(classes or model.classes_))
    encoding.check_width(forest.width, name)
    if getattr(model, "is_categorical_", None) is not None:  # its own coding of categories puts them first
        coding, inputs = model._preprocessor, inputs_for(model, encoding)  # noqa: SLF001 (no public way)
        encoding = probe(lambda codes: coding.transform(inputs(codes)), encoding.levels)
    return oracle_of(forest, encoding, chance, 1 if index == 1 or forest.votes else -1)


def class_probabilities(model: AnyModel, columns: FloatArray) -> FloatArray:
    """Ask a ``Booster`` for the probabilities of both classes."""
    if type(model).__module__.startswith("lightgbm"):
        return both_classes(model.predict(columns))
    import xgboost

    data = xgboost.DMatrix(columns, feature_names=model.feature_names, feature_types=model.feature_types)
    return both_classes(model.predict(data))


def forest_of(model: AnyModel, positive: object = 1) -> Forest | None:
    """Find the trees of a model made of them, with votes for the positive class; ``None`` for others."""
    read = reader_for(model).read
    if read == ISOLATION:
        return isolation_forest(model)
    return grown(model, class_index(model, positive, _classes(model))) if read == TREES else None


def _classes(model: AnyModel) -> tuple[int, int] | None:
    """The classes of a ``Booster``, which knows no labels; ``None``: the model knows its own."""
    return (0, 1) if type(model).__name__ == "Booster" else None


def grown(model: AnyModel, index: int) -> Forest:
    """List the trees that predictions use; those that vote do so for the class with this index."""
    for base in type(model).__mro__:
        if (read := BOOSTING.get(f"{base.__module__.split('.')[0]}.{base.__name__}")) is not None:
            n_classes = len(getattr(model, "classes_", (0, 1)))
            _check(model, n_classes == 2, f"knows {n_classes} {COUPLED}")
            return read(model)
    members = [model] if hasattr(model, "tree_") else _members(model)
    label = model.classes_[index] if hasattr(model, "tree_") else index
    trees = []
    for number, member in enumerate(members):
        chance = member.tree_.value[:, 0, :][:, member.classes_ == label].sum(axis=1)
        own = getattr(model, "estimators_features_", None)
        trees.append(_tree(member.tree_, chance, None if own is None else own[number]))
    return Forest(model.n_features_in_, trees, votes=True, single=True)


def _members(model: AnyModel) -> list[Any]:
    for member in {type(member): member for member in model.estimators_}.values():
        kind = type(member).__name__
        _check(model, hasattr(member, "tree_"), f"of {kind} cannot be read, only of decision trees")
        reader_for(member)  # refuses one that answers in its own way
    return list(model.estimators_)


def _tree(nodes: AnyModel, value: FloatArray, columns: IntArray | None = None) -> Grown:
    """List the nodes of a tree of scikit-learn, which may see some columns only."""
    children = np.stack([nodes.children_left, nodes.children_right], axis=1)
    leaf = children[:, 0] < 0
    column = nodes.feature if columns is None else np.asarray(columns)[np.where(leaf, 0, nodes.feature)]
    size = nodes.weighted_n_node_samples * nodes.impurity
    gain, to_left = size - size[children].sum(axis=1), nodes.missing_go_to_left == 1
    return Grown(np.where(leaf, LEAF, column), nodes.threshold, children, value, gain, to_left)


def _ada_boost(model: AnyModel) -> Forest:
    votes = getattr(model, "algorithm", "SAMME") == "SAMME"
    _check(model, votes, "counts no votes; fit it with algorithm=SAMME")
    weights = model.estimator_weights_ / np.sum(model.estimator_weights_)
    trees = []
    for member, weight in zip(_members(model), weights, strict=False):
        label = member.classes_[member.tree_.value[:, 0, :].argmax(axis=1)]
        trees.append(_tree(member.tree_, weight * np.where(label == model.classes_[1], 2.0, -2.0)))
    return Forest(model.n_features_in_, trees, single=True)


def _gradient_boosting(model: AnyModel) -> Forest:
    started = model.init is None or model.init == "zero"
    _check(model, started, "starts from a model of its own; fit it with init=None")
    stages = [stage.tree_ for stage in model.estimators_[:, 0]]
    trees = [_tree(tree, model.learning_rate * tree.value[:, 0, 0]) for tree in stages]
    somewhere = np.zeros((1, model.n_features_in_), dtype=np.float32)
    score = float(model.decision_function(named_as_fitted(model, somewhere))[0])
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


def _check(model: AnyModel, readable: AnyValue, otherwise: str) -> None:
    """Refuse a model of which something cannot be read."""
    if not readable:
        raise UnsupportedModelError(f"{type(model).__name__} {otherwise}")


def _check_objective(model: AnyModel, objective: str, read: str) -> None:
    told = f"was fitted with the objective {objective}; only {read} can be read, others as a function from "
    _check(model, objective == read, told + "frames to probabilities")


def _xgboost(model: AnyModel) -> Forest:
    booster = model
    if hasattr(model, "get_booster"):
        _check(model, np.isnan(model.missing), NUMBER_FOR_MISSING)
        booster = model.get_booster()
        best = booster.attributes().get("best_iteration")
        booster = booster if best is None else booster[: int(best) + 1]
    try:
        content = json.loads(booster.save_raw("json"))["learner"]
    except ValueError as error:  # of XGBoost, which knows no number of columns
        raise UnsupportedModelError(
            f"{type(model).__name__} is not trained: call xgboost.train first"
        ) from error
    _check_objective(model, content["objective"]["name"], "binary:logistic")
    stored = content["gradient_booster"]
    _check(model, stored["name"] in {"gbtree", "dart"}, f"uses {stored['name']}, which grows no trees")
    trees = stored.get("gbtree", stored)["model"]["trees"]
    weights = stored.get("weight_drop", [1.0] * len(trees))
    shape = content["learner_model_param"]
    return Forest(
        int(shape["num_feature"]),
        [_xgboost_tree(*pair) for pair in zip(trees, weights, strict=True)],
        intercept=log_odds(float(shape["base_score"].strip("[]"))),
        rounding=SINGLE,
        strict=True,
        single=True,
        listed_left=False,
    )


def _xgboost_tree(tree: dict[str, Any], weight: float) -> Grown:
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
    )


def _lightgbm(model: AnyModel) -> Forest:
    booster: AnyModel = getattr(model, "booster_", model)
    settings = model.get_params() if booster is not model else {}  # which go along with every question
    _check(model, not settings.get("pred_early_stop"), "ends its sums early (pred_early_stop)")
    content = booster.dump_model()
    objective, *parts = str(content.get("objective", "none")).split()
    _check_objective(model, objective, "binary")
    roots = [tree["tree_structure"] for tree in content["tree_info"]]
    weight = 1 / (len(roots) if content.get("average_output") else 1)
    trees = [_lightgbm_tree(root, weight, model) for root in roots]
    steepness = float(dict(part.split(":") for part in parts).get("sigmoid", 1.0))
    return Forest(content["max_feature_idx"] + 1, trees, steepness=steepness)


def _lightgbm_tree(root: dict[str, Any], weight: float, model: AnyModel) -> Grown:
    nodes, children = [root], []
    for node in nodes:  # which grow while they are walked
        _check(model, "leaf_coeff" not in node, "has linear trees; fit it with linear_tree=False")
        inner = [node[side] for side in ("left_child", "right_child") if side in node]
        children.append([len(nodes), len(nodes) + 1] if inner else [0, 0])
        nodes += inner

    def all_nodes(entry: str, otherwise: object) -> NDArray[Any]:
        return np.array([node.get(entry, otherwise) for node in nodes])

    listed = np.flatnonzero(all_nodes("decision_type", "") == "==").tolist()
    categories = {node: [int(code) for code in str(nodes[node]["threshold"]).split("||")] for node in listed}
    cuts = np.array([0.0 if n in categories else node.get("threshold", 0.0) for n, node in enumerate(nodes)])
    missing = all_nodes("missing_type", "NaN")
    _check(model, "Zero" not in missing, NUMBER_FOR_MISSING)
    to_left = np.where(missing == "None", cuts >= 0, all_nodes("default_left", otherwise=False))  # as if zero
    to_left[listed] = False
    return Grown(
        all_nodes("split_feature", LEAF),
        cuts,
        np.array(children, dtype=np.int64),
        weight * all_nodes("leaf_value", 0.0),
        all_nodes("split_gain", 0.0),
        to_left,
        categories,
    )


BOOSTING: dict[str, Callable[[Any], Forest]] = {
    "sklearn.AdaBoostClassifier": _ada_boost,
    "sklearn.GradientBoostingClassifier": _gradient_boosting,
    "sklearn.HistGradientBoostingClassifier": _histogram_boosting,
    "xgboost.XGBClassifier": _xgboost,
    "xgboost.Booster": _xgboost,
    "catboost.CatBoostClassifier": catboost_forest,
    "lightgbm.LGBMClassifier": _lightgbm,
    "lightgbm.Booster": _lightgbm,
}
