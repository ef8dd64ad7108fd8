"""The paper's experiments as far as data goes: its split, its logistic regression, its rows to explain."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from oneformany.arrays import IntArray
from oneformany.datasets.dataset import Dataset
from oneformany.exceptions import InputError

__all__ = ["PROTOCOLS", "accuracy_on_test", "paper_model", "paper_rows", "paper_split"]

PROTOCOLS = ("published", "negatives")


def paper_split(dataset: Dataset) -> tuple[IntArray, IntArray]:
    """Split the rows, in file order, into a training and a test half.

    Parameters
    ----------
    dataset : Dataset
        What to split.

    Returns
    -------
    train, test : arrays of int
        Numbers of the rows in ``dataset.frame``, in the paper's order.
    """
    train, test = train_test_split(np.arange(len(dataset.target)), test_size=0.5, random_state=0)
    return np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)


def paper_model(dataset: Dataset) -> LogisticRegression:
    """Fit the paper's logistic regression to the one-hot columns of the training half.

    Parameters
    ----------
    dataset : Dataset
        What to fit it to.
    """
    train, _ = paper_split(dataset)
    model = LogisticRegression(solver="liblinear", C=10, random_state=0)
    return model.fit(dataset.one_hot[train], dataset.target[train])


def accuracy_on_test(dataset: Dataset, model: Any) -> float:
    """Share of the test half that a model on the one-hot columns predicts correctly.

    Parameters
    ----------
    dataset : Dataset
        The data.
    model : object
        A fitted classifier.
    """
    _, test = paper_split(dataset)
    return float(np.mean(model.predict(dataset.one_hot[test]) == dataset.target[test]))


def paper_rows(dataset: Dataset, model: Any, protocol: str, n: int) -> IntArray:
    """Choose the rows to explain.

    Parameters
    ----------
    dataset : Dataset
        The data.
    model : object
        A fitted classifier on the one-hot columns; only asked under "negatives".
    protocol : {"published", "negatives"}
        The first ``n`` rows of the test half, as the published runs take them, or the first ``n`` of them
        that the model predicts negative, as the paper's text says.
    n : int
        How many.

    Returns
    -------
    array of int
        Numbers of the rows in ``dataset.frame``.
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"there is no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
    _, rows = paper_split(dataset)
    if protocol == "negatives":
        rows = rows[model.predict(dataset.one_hot[rows]) == 0]
    if not 1 <= n <= len(rows):
        raise InputError(f"{n} rows are asked for; {dataset.name} has 1 to {len(rows)} under {protocol!r}")
    return rows[:n]
