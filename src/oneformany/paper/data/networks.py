"""The paper's neural networks, trained again: widths and depths as published, weights our own."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from oneformany.datasets.dataset import Dataset
from oneformany.exceptions import InputError
from oneformany.paper.data.split import paper_split

__all__ = ["HIDDEN_LAYERS", "paper_network"]

HIDDEN_LAYERS = {"compas": (10, 10), "german": (20, 20), "students": (14, 14, 14)}
"""Width of each hidden layer, by data set."""

EPOCHS = 100
PENALTY = 1.0


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
