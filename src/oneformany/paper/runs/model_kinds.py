"""Kinds of classifiers that benchmarks train, the paper's two among them: each on the training half."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from oneformany.anything import AnyModel
from oneformany.arrays import IntArray
from oneformany.datasets import Dataset
from oneformany.exceptions import InputError

TREES = 200
HIDDEN = (20, 20)
HIDDEN_LAYERS = {"compas": (10, 10), "german": (20, 20), "students": (14, 14, 14)}
"""Width of each hidden layer of the paper's networks, by data set."""

EPOCHS = 100
PENALTY = 1.0


@dataclass(frozen=True)
class ModelKind:
    """A kind of classifier."""

    name: str  # to choose it by, and what it is
    title: str
    # module and class of a classifier in the manner of scikit-learn, or what fits one to a data set
    source: str | Callable[[Dataset], Any]
    options: dict[str, Any] = field(default_factory=dict)  # for the class
    package: str = "sklearn"  # what has to be installed for it

    @property
    def installed(self) -> bool:
        """Whether its library is there."""
        return find_spec(self.package) is not None

    def fitted(self, dataset: Dataset) -> AnyModel:
        """Fit one, in a single thread: on a busy machine threads that wait for each other take minutes."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        with threadpool_limits(1):
            if not isinstance(self.source, str):
                return self.source(dataset)
            module, _, name = self.source.rpartition(".")
            train, _ = paper_split(dataset)
            model = getattr(import_module(module), name)(**self.options)
            return model.fit(dataset.one_hot[train], dataset.target[train])


def model_kind(name: str) -> ModelKind:
    """Find a kind by its name."""
    for kind in MODEL_KINDS:
        if kind.name == name:
            if not kind.installed:
                raise InputError(f"the model {name!r} needs {kind.package}: pip install {kind.package}")
            return kind
    known = ", ".join(kind.name for kind in MODEL_KINDS)
    raise InputError(f"the benchmark cannot train the model {name!r}; it can train {known}")


def paper_split(dataset: Dataset) -> tuple[IntArray, IntArray]:
    """Split the rows, in file order, into a training and a test half: row numbers in the paper's order."""
    train, test = train_test_split(np.arange(len(dataset.target)), test_size=0.5, random_state=0)
    return np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)


def paper_model(dataset: Dataset) -> LogisticRegression:
    """Fit the paper's logistic regression to the one-hot columns of the training half."""
    train, _ = paper_split(dataset)
    model = LogisticRegression(solver="liblinear", C=10, random_state=0)
    return model.fit(dataset.one_hot[train], dataset.target[train])


def paper_network(dataset: Dataset, seed: int = 0) -> MLPClassifier:
    """Train a network of the paper's shape on the one-hot columns of the training half.

    The paper publishes no training parameters. The number of epochs and the penalty on large weights are one
    choice for all data sets, with which the accuracies come out near the published ones.
    """
    name = dataset.name.removesuffix("-published")
    if name not in HIDDEN_LAYERS:
        raise InputError(
            f"the paper has no network for {dataset.name!r}; it has for {', '.join(HIDDEN_LAYERS)}"
        )
    train, _ = paper_split(dataset)
    model = MLPClassifier(HIDDEN_LAYERS[name], alpha=PENALTY, max_iter=EPOCHS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is the stopping rule
        return model.fit(dataset.one_hot[train], dataset.target[train])


def _torch(dataset: Dataset) -> object:
    import torch

    train, _ = paper_split(dataset)
    inputs = torch.tensor(dataset.one_hot[train], dtype=torch.float32)
    target = torch.tensor(dataset.target[train], dtype=torch.float32)[:, None]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(inputs.shape[1], HIDDEN[0]),
            torch.nn.ReLU(),
            torch.nn.Linear(*HIDDEN),
            torch.nn.ReLU(),
            torch.nn.Linear(HIDDEN[-1], 1),
        )
    loss = torch.nn.BCEWithLogitsLoss()
    descent = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(EPOCHS):
        descent.zero_grad()
        loss(model(inputs), target).backward()
        descent.step()
    return model.eval()


def _pipeline(dataset: Dataset) -> object:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    train, _ = paper_split(dataset)
    numbers = [feature.name for feature in dataset.schema.features if feature.binned]
    labels = [name for name in dataset.schema.names if name not in numbers]
    transformer = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), labels)
    )
    model = make_pipeline(transformer, LogisticRegression(C=10, max_iter=1000))
    return model.fit(dataset.frame.iloc[train], dataset.target[train])


SEED = {"random_state": 0}
DEEP = {"max_depth": 6, **SEED}
FOREST = {"n_estimators": 100, **DEEP}
BOOSTED = {"n_estimators": TREES, "n_jobs": 1, **SEED}
ENSEMBLE = "sklearn.ensemble"
MODEL_KINDS = (
    ModelKind("lr", "logistic regression", paper_model),
    ModelKind("svm", "linear support vector machine", "sklearn.svm.LinearSVC", SEED),
    ModelKind("naive-bayes", "naive Bayes", "sklearn.naive_bayes.BernoulliNB"),
    ModelKind("tree", "decision tree, depth 6", "sklearn.tree.DecisionTreeClassifier", DEEP),
    ModelKind("forest", "random forest, 100 trees, depth 6", f"{ENSEMBLE}.RandomForestClassifier", FOREST),
    ModelKind("extra-trees", "extra trees, 100 trees, depth 6", f"{ENSEMBLE}.ExtraTreesClassifier", FOREST),
    ModelKind(
        "gradient-boosting", "gradient boosting, 100 trees", f"{ENSEMBLE}.GradientBoostingClassifier", SEED
    ),
    ModelKind(
        "hist-gradient-boosting",
        "histogram gradient boosting",
        f"{ENSEMBLE}.HistGradientBoostingClassifier",
        SEED,
    ),
    ModelKind("nn", "ReLU network of the paper", paper_network),
    ModelKind("xgboost", f"XGBoost, {TREES} trees", "xgboost.XGBClassifier", BOOSTED, "xgboost"),
    ModelKind(
        "lightgbm",
        f"LightGBM, {TREES} trees",
        "lightgbm.LGBMClassifier",
        {"verbose": -1, **BOOSTED},
        "lightgbm",
    ),
    ModelKind("torch", "PyTorch network, 20 x 2", _torch, package="torch"),
    ModelKind("pipeline", "pipeline of scaler, one-hot encoder and logistic regression", _pipeline),
)
