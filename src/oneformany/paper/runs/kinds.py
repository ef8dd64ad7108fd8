"""Kinds of classifiers that benchmarks train: each on the training half, with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from oneformany.datasets import Dataset
from oneformany.exceptions import InputError
from oneformany.paper.data.split import paper_model, paper_split

__all__ = ["KINDS", "Kind", "kind_named"]

TREES = 200
FOREST = 100
DEPTH = 6
HIDDEN = (20, 20)
EPOCHS = 100


@dataclass(frozen=True)
class Kind:
    """A kind of classifier.

    Attributes
    ----------
    name : str
        To choose it by.
    title : str
        What it is.
    train : callable
        Fits one to the training half of a data set.
    package : str
        What has to be installed for it.
    """

    name: str
    title: str
    train: Callable[[Dataset], Any]
    package: str = "sklearn"

    @property
    def installed(self) -> bool:
        """Whether its library is there."""
        return find_spec(self.package) is not None

    def fitted(self, dataset: Dataset) -> Any:
        """Fit one, in a single thread: on a busy machine threads that wait for each other take minutes.

        Parameters
        ----------
        dataset : Dataset
            What to fit it to.
        """
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        with threadpool_limits(1):
            return self.train(dataset)


def kind_named(name: str) -> Kind:
    """Find a kind by its name.

    Parameters
    ----------
    name : str
        Of the kind.

    Raises
    ------
    InputError
        There is none of that name, or its library is not installed.
    """
    for kind in KINDS:
        if kind.name == name:
            if not kind.installed:
                raise InputError(f"the model {name!r} needs {kind.package}: pip install {kind.package}")
            return kind
    known = ", ".join(kind.name for kind in KINDS)
    raise InputError(f"the benchmark cannot train the model {name!r}; it can train {known}")


def _fitted(model: Any, dataset: Dataset) -> Any:
    train, _ = paper_split(dataset)
    return model.fit(dataset.one_hot[train], dataset.target[train])


def _linear_svm(dataset: Dataset) -> object:
    from sklearn.svm import LinearSVC

    return _fitted(LinearSVC(random_state=0), dataset)


def _naive_bayes(dataset: Dataset) -> object:
    from sklearn.naive_bayes import BernoulliNB

    return _fitted(BernoulliNB(), dataset)


def _tree(dataset: Dataset) -> object:
    from sklearn.tree import DecisionTreeClassifier

    return _fitted(DecisionTreeClassifier(max_depth=DEPTH, random_state=0), dataset)


def _forest(dataset: Dataset) -> object:
    from sklearn.ensemble import RandomForestClassifier

    return _fitted(RandomForestClassifier(FOREST, max_depth=DEPTH, random_state=0), dataset)


def _extra_trees(dataset: Dataset) -> object:
    from sklearn.ensemble import ExtraTreesClassifier

    return _fitted(ExtraTreesClassifier(FOREST, max_depth=DEPTH, random_state=0), dataset)


def _gradient_boosting(dataset: Dataset) -> object:
    from sklearn.ensemble import GradientBoostingClassifier

    return _fitted(GradientBoostingClassifier(random_state=0), dataset)


def _hist_gradient_boosting(dataset: Dataset) -> object:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return _fitted(HistGradientBoostingClassifier(random_state=0), dataset)


def _network(dataset: Dataset) -> object:
    from oneformany.paper.data.networks import paper_network

    return paper_network(dataset)


def _xgboost(dataset: Dataset) -> object:
    from xgboost import XGBClassifier

    return _fitted(XGBClassifier(n_estimators=TREES, random_state=0, n_jobs=1), dataset)


def _lightgbm(dataset: Dataset) -> object:
    from lightgbm import LGBMClassifier

    return _fitted(LGBMClassifier(n_estimators=TREES, random_state=0, n_jobs=1, verbose=-1), dataset)


def _torch(dataset: Dataset) -> object:
    import torch

    train, _ = paper_split(dataset)
    columns = torch.tensor(dataset.one_hot[train], dtype=torch.float32)
    target = torch.tensor(dataset.target[train], dtype=torch.float32)[:, None]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        widths = (columns.shape[1], *HIDDEN)
        layers: list[torch.nn.Module] = []
        for inputs, outputs in pairwise(widths):
            layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        model = torch.nn.Sequential(*layers, torch.nn.Linear(HIDDEN[-1], 1))
    loss = torch.nn.BCEWithLogitsLoss()
    descent = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(EPOCHS):
        descent.zero_grad()
        loss(model(columns), target).backward()
        descent.step()
    return model.eval()


def _pipeline(dataset: Dataset) -> object:
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    train, _ = paper_split(dataset)
    numbers = [feature.name for feature in dataset.schema.features if feature.binned]
    labels = [name for name in dataset.schema.names if name not in numbers]
    columns = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), labels)
    )
    model = make_pipeline(columns, LogisticRegression(C=10, max_iter=1000))
    return model.fit(dataset.frame.iloc[train], dataset.target[train])


KINDS = (
    Kind("lr", "logistic regression", paper_model),
    Kind("svm", "linear support vector machine", _linear_svm),
    Kind("naive-bayes", "naive Bayes", _naive_bayes),
    Kind("tree", f"decision tree, depth {DEPTH}", _tree),
    Kind("forest", f"random forest, {FOREST} trees, depth {DEPTH}", _forest),
    Kind("extra-trees", f"extra trees, {FOREST} trees, depth {DEPTH}", _extra_trees),
    Kind("gradient-boosting", "gradient boosting, 100 trees", _gradient_boosting),
    Kind("hist-gradient-boosting", "histogram gradient boosting", _hist_gradient_boosting),
    Kind("nn", "ReLU network of the paper", _network),
    Kind("xgboost", f"XGBoost, {TREES} trees", _xgboost, "xgboost"),
    Kind("lightgbm", f"LightGBM, {TREES} trees", _lightgbm, "lightgbm"),
    Kind("torch", "PyTorch network, 20 x 2", _torch, "torch"),
    Kind("pipeline", "pipeline of scaler, one-hot encoder and logistic regression", _pipeline),
)
