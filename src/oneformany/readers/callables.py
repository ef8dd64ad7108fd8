"""Functions from frames to probabilities as models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneformany.anything import AnyValue
from oneformany.arrays import BoolArray
from oneformany.exceptions import InputError
from oneformany.oracles.blackbox import LARGEST_BOX, BlackBoxOracle, check_probabilities
from oneformany.readers.rows import own_rows
from oneformany.readers.verdict import FrameVerdict, Reading, class_index
from oneformany.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class BlackBox:
    """A function as a model, where the defaults do not fit.

    Parameters
    ----------
    function : callable
        Takes a frame and returns probabilities: one per row, or one column per class.
    max_calls : int or None
        How many points searches may ask about in all.
    largest_box : int
        Questions with at most so many points are settled by asking about all of them, which is a proof.

    Examples
    --------
    >>> from oneformany import OneForMany
    >>> box = BlackBox(lambda frame: (frame["a"] > 0).astype(float), max_calls=1_000)
    >>> OneForMany(box).model.max_calls
    1000
    """

    function: Callable[[pd.DataFrame], ArrayLike]
    max_calls: int | None = None
    largest_box: int = LARGEST_BOX


def read_function(
    model: BlackBox | Callable[[pd.DataFrame], ArrayLike],
    schema: Schema | None = None,
    frame: pd.DataFrame | None = None,
    threshold: float | None = None,
    positive: object = 1,
) -> Reading:
    """Read a function from frames, with the columns of the schema or of the frame, to probabilities.

    The positive class is a number, or its label when the function is the ``predict_proba`` of a classifier.
    """
    box = model if isinstance(model, BlackBox) else BlackBox(model)
    owner = getattr(box.function, "__self__", None)
    rows = own_rows(owner, schema, frame)
    index = _index(owner, positive)
    oracle = BlackBoxOracle(
        box.function,
        rows.schema.levels,
        0.5 if threshold is None else threshold,
        rows=rows.frame,
        positive=index,
        max_calls=box.max_calls,
        largest_box=box.largest_box,
    )
    _check_output(box, rows.frame(np.zeros((1, len(rows.schema.levels)), np.int64)), threshold, index)
    return Reading(oracle, FrameVerdict(rows, decision(model, threshold, positive)))


def decision(
    model: BlackBox | Callable[[pd.DataFrame], ArrayLike],
    threshold: float | None = None,
    positive: object = 1,
) -> Callable[[pd.DataFrame], BoolArray]:
    """Make the function's own decision about rows of a frame; see :func:`read_function`."""
    box = model if isinstance(model, BlackBox) else BlackBox(model)
    index = _index(getattr(box.function, "__self__", None), positive)
    least = 0.5 if threshold is None else threshold

    def decide(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(check_probabilities(box.function(frame), len(frame), index) >= least)

    return decide


def _index(owner: AnyValue, positive: object) -> int:
    if hasattr(owner, "classes_"):
        return class_index(owner, positive)
    if isinstance(positive, bool) or not isinstance(positive, (int, np.integer)):
        raise InputError(f"positive is {positive!r}; the classes of a function are numbered from 0")
    return int(positive)


def _check_output(box: BlackBox, row: pd.DataFrame, threshold: float | None, index: int) -> None:
    """Ask about one row, so that a function which cannot be used is refused before the work begins."""
    output = box.function(row)
    check_probabilities(output, 1, index)
    shape = np.shape(output)
    if threshold is None and len(shape) == 2 and shape[1] > 2:
        raise InputError(f"the function knows {shape[1]} classes; name the least probability as threshold")
