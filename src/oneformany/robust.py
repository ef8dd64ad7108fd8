"""Models that could have been: the user's own pipeline, fitted again on resampled rows and with new seeds.

Examples
--------
>>> import oneformany as ofm
>>> from sklearn.linear_model import LogisticRegression
>>> len(ofm.robust.refits(LogisticRegression(), [[0], [1], [0], [1]], [0, 1, 0, 1], n=2))
2
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import InputError

__all__ = ["refits"]

TRIES = 100  # to draw rows of every class
LARGEST_SEED = 2**31


def refits(
    model: AnyModel,
    X: AnyFrame,  # noqa: N803 (as scikit-learn calls it)
    y: AnyValue,
    n: int = 20,
    seed: int = 0,
    *,
    bootstrap: bool = True,
) -> list[Any]:
    """Fit copies of a model again, each on rows drawn with replacement and with seeds of its own.

    Give them as ``also=`` to be told only what holds under all of them, or under a share of them with
    ``at_least=``; or keep them, to see how often explanations hold that were found without them.

    Parameters
    ----------
    model : classifier or pipeline
        With the parameters to fit with, as ``sklearn.clone`` copies them; it need not be fitted.
    X, y : frame or array, and sequence
        What it was fitted on.
    n : int
        How many copies.
    seed : int
        The same seed makes the same copies, and different ones different copies.
    bootstrap : bool
        False: all are fitted on the rows as they are, so that only their seeds differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> frame = pd.DataFrame({"job": [0, 0, 1, 1, 0, 1], "rooms": [1, 2, 1, 2, 1, 2]})
    >>> models = refits(LogisticRegression(), frame, [0, 0, 0, 1, 0, 1], n=3)
    >>> len(models), models[0].classes_.tolist()
    (3, [0, 1])
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"n is {n!r}; it must be an integer of at least 1")
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != len(X):
        raise InputError(f"y has shape {labels.shape} for {len(X)} rows; give one label per row")
    if len(np.unique(labels)) < 2:
        raise InputError("y names a single class; a classifier is fitted on two")
    fitted = []
    for number in range(n):
        random = np.random.default_rng([seed, number])
        rows = _drawn(labels, random) if bootstrap else np.arange(len(labels))
        copy = clone(model)
        seeds = [name for name in copy.get_params(deep=True) if name.split("__")[-1] == "random_state"]
        copy.set_params(**{name: int(random.integers(LARGEST_SEED)) for name in sorted(seeds)})
        fitted.append(copy.fit(_taken(X, rows), _taken(y, rows)))
    return fitted


def _drawn(labels: NDArray[Any], random: np.random.Generator) -> IntArray:
    """Draw as many rows as there are, with replacement, so that every class is among them."""
    classes = len(np.unique(labels))
    for _ in range(TRIES):
        rows = random.integers(len(labels), size=len(labels))
        if len(np.unique(labels[rows])) == classes:
            return rows
    raise InputError("a class has so few rows that draws miss it; give more rows, or bootstrap=False")


def _taken(data: AnyValue, rows: IntArray) -> AnyValue:
    """Some rows of a frame, a series, an array or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "take"):
        return data[rows]
    return [data[row] for row in rows.tolist()]
