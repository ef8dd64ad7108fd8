"""The paper's experiments as far as data goes: its split and its two models."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from oneformany.arrays import IntArray
from oneformany.datasets.dataset import Dataset
from oneformany.exceptions import InputError

__all__ = ["HIDDEN_LAYERS", "paper_model", "paper_network", "paper_split"]

HIDDEN_LAYERS = {"compas": (10, 10), "german": (20, 20), "students": (14, 14, 14)}
"""Width of each hidden layer, by data set."""

EPOCHS = 100
PENALTY = 1.0


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

    Raises
    ------
    InputError
        The paper has no network for this data set.
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
