"""Kinds of classifiers, the paper's two among them, and a data set with one, ready to be asked."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

import oneformany as ofm
from oneformany.anything import AnyModel
from oneformany.arrays import IntArray
from oneformany.console import check_names
from oneformany.datasets import Dataset, load
from oneformany.paper.runs.settings import Immutable, Protocol
from oneformany.readers import Reading
from oneformany.readers.registry import read_model
from oneformany.schema import allowed_moves

# Width of each hidden layer of the paper's networks, by data set.
HIDDEN_LAYERS = {"compas": (10, 10), "german": (20, 20), "students": (14, 14, 14)}
EPOCHS = 100


@dataclass(frozen=True)
class ModelKind:
    """A kind of classifier that benchmarks train on the training half."""

    title: str
    fit: Callable[[Dataset], AnyModel]
    package: str = "sklearn"  # what has to be installed for it

    @property
    def installed(self) -> bool:
        """Whether its library is there."""
        return find_spec(self.package) is not None

    def fitted(self, dataset: Dataset) -> AnyModel:
        """Fit one, in a single thread: on a busy machine threads that wait for each other take minutes."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        with threadpool_limits(1):
            return self.fit(dataset)


def paper_split(dataset: Dataset) -> tuple[IntArray, IntArray]:
    """Split the rows, in file order, into a training and a test half: row numbers in the paper's order."""
    train, test = train_test_split(np.arange(len(dataset.target)), test_size=0.5, random_state=0)
    return np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)


def _fit(model: AnyModel, dataset: Dataset) -> AnyModel:
    """Fit a classifier to the one-hot columns of the training half."""
    train, _ = paper_split(dataset)
    return model.fit(dataset.one_hot[train], dataset.target[train])


def paper_model(dataset: Dataset) -> LogisticRegression:
    """Fit the paper's logistic regression to the one-hot columns of the training half."""
    return _fit(LogisticRegression(solver="liblinear", C=10, random_state=0), dataset)


def paper_network(dataset: Dataset) -> MLPClassifier:
    """Train a network of the paper's shape on the one-hot columns of the training half.

    The paper publishes no training parameters. The number of epochs and the penalty on large weights are one
    choice for all data sets, with which the accuracies come out near the published ones.
    """
    hidden = HIDDEN_LAYERS[dataset.name.removesuffix("-published")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is the stopping rule
        return _fit(MLPClassifier(hidden, alpha=1.0, max_iter=EPOCHS, random_state=0), dataset)


def _torch(dataset: Dataset) -> AnyModel:
    import torch

    train, _ = paper_split(dataset)
    inputs = torch.tensor(dataset.one_hot[train], dtype=torch.float32)
    target = torch.tensor(dataset.target[train], dtype=torch.float32)[:, None]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        first, second, last = (torch.nn.Linear(*sizes) for sizes in pairwise((inputs.shape[1], 20, 20, 1)))
        model = torch.nn.Sequential(first, torch.nn.ReLU(), second, torch.nn.ReLU(), last)
    loss = torch.nn.BCEWithLogitsLoss()
    descent = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(EPOCHS):
        descent.zero_grad()
        loss(model(inputs), target).backward()
        descent.step()
    return model.eval()


def _pipeline(dataset: Dataset) -> AnyModel:
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


def _on_columns(title: str, source: str, **options: object) -> ModelKind:
    """A class of a module, in the manner of scikit-learn, fitted to one-hot columns."""
    module, _, name = source.rpartition(".")

    def fit(dataset: Dataset) -> AnyModel:
        return _fit(getattr(import_module(module), name)(**options), dataset)

    return ModelKind(title, fit, package=module.partition(".")[0])


SEED = {"random_state": 0}
FOREST = {"n_estimators": 100, "max_depth": 6, **SEED}
BOOSTED = {"n_estimators": 200, "n_jobs": 1, **SEED}
ENSEMBLE = "sklearn.ensemble."
MODEL_KINDS = {
    "lr": ModelKind("logistic regression", paper_model),
    "svm": _on_columns("linear support vector machine", "sklearn.svm.LinearSVC", **SEED),
    "naive-bayes": _on_columns("naive Bayes", "sklearn.naive_bayes.BernoulliNB"),
    "tree": _on_columns("decision tree, depth 6", "sklearn.tree.DecisionTreeClassifier", max_depth=6, **SEED),
    "forest": _on_columns("random forest, 100 trees, depth 6", f"{ENSEMBLE}RandomForestClassifier", **FOREST),
    "extra-trees": _on_columns(
        "extra trees, 100 trees, depth 6", f"{ENSEMBLE}ExtraTreesClassifier", **FOREST
    ),
    "gradient-boosting": _on_columns(
        "gradient boosting, 100 trees", f"{ENSEMBLE}GradientBoostingClassifier", **SEED
    ),
    "hist-gradient-boosting": _on_columns(
        "histogram gradient boosting", f"{ENSEMBLE}HistGradientBoostingClassifier", **SEED
    ),
    "nn": ModelKind("ReLU network of the paper", paper_network),
    "xgboost": _on_columns("XGBoost, 200 trees", "xgboost.XGBClassifier", **BOOSTED),
    "lightgbm": _on_columns("LightGBM, 200 trees", "lightgbm.LGBMClassifier", verbose=-1, **BOOSTED),
    "torch": ModelKind("PyTorch network, 20 x 2", _torch, "torch"),
    "pipeline": ModelKind("pipeline of scaler, one-hot encoder and logistic regression", _pipeline),
}


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set, a classifier fitted to its training half, and the engine's view of it."""

    dataset: Dataset  # the data
    classifier: Any  # fitted
    reading: Reading  # the classifier as the engine asks it, and its own verdict
    trained: dict[str, Any]  # what the tables say about both

    def problem(
        self, protocol: Protocol, rows: int, max_changes: int, immutable: Immutable = "none"
    ) -> ofm.Problem:
        """Ask about the protocol's first rows."""
        schema = self.dataset.schema
        rules = [ofm.Immutable(name) for name in schema.names[::2]] if immutable == "half" else []
        codes = self.dataset.codes[self.rows(protocol, rows)]
        allowed = allowed_moves(schema, rules) if rules else None
        return ofm.Problem(codes, schema.levels, self.reading.oracle, max_changes, allowed)

    def rows(self, protocol: Protocol, n: int) -> IntArray:
        """Row numbers of the protocol's first rows; "turned down" is judged at the threshold.

        Under "negatives", rows of the training half follow when those of the test half are too few.
        """
        train, rows = paper_split(self.dataset)
        if protocol == "negatives":
            rows = np.concatenate((rows, train))
            rows = rows[~self.reading.verdict(self.dataset.codes[rows])]
        if not 1 <= n <= len(rows):
            name = self.dataset.name
            raise ofm.InputError(f"{n} rows are asked for; {name} has 1 to {len(rows)} under {protocol!r}")
        return rows[:n]


def prepare(dataset: str, model: str, data_dir: Path | None = None, threshold: float = 0.5) -> Prepared:
    """Load a data set and fit a classifier; at a threshold of 0.5 its own ``predict`` decides."""
    check_names("model", [model], list(MODEL_KINDS))
    data = load(dataset, data_dir)
    classifier = MODEL_KINDS[model].fitted(data)
    as_predicted = reading = read_model(classifier, data.schema, frame=data.frame)
    if threshold != 0.5:
        reading = read_model(classifier, data.schema, threshold, frame=data.frame)
    _, test = paper_split(data)
    right = as_predicted.verdict(data.codes[test]) == (data.target[test] == 1)
    trained = {
        "instances": len(data.target),
        "features": len(data.schema.features),
        "columns": len(data.schema.one_hot_names),  # one-hot: the paper's extended features
        "accuracy": float(right.mean()),  # of the classifier's own ``predict``, on the test half
        "hidden": list(getattr(classifier, "hidden_layer_sizes", ())),  # widths of a network's layers
    }
    return Prepared(data, classifier, reading, trained)
