"""Models made by hand, functions of frames and scorecards, and any classifier as a function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier

from oneformany.anything import AnyModel
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError, OneForManyError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.oracles.blackbox import LARGEST_BOX, BlackBoxOracle, check_probabilities
from oneformany.readers.columns import Rows, as_fitted
from oneformany.readers.registry import first_step, is_function
from oneformany.readers.verdict import (
    Reading,
    Verdict,
    both_classes,
    class_index,
    class_number,
    classes_of,
    is_detector,
    said,
)
from oneformany.schema.feature import listed, plain_value
from oneformany.schema.schema import Schema

ALMOST = 1 - 2**-20
MOST_NAMED = 10  # columns of a row, in a message


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
    rows: Rows,
    threshold: float | None,
    positive: object,
) -> Reading:
    """Read a function from frames to probabilities.

    The positive class is a number, or its label when the function is the ``predict_proba`` of a classifier.
    """
    box = model if isinstance(model, BlackBox) else BlackBox(model)
    index = _index(model, positive)
    ask = _Changed(box.function, index)
    oracle = BlackBoxOracle(
        ask,
        rows.schema.levels,
        0.5 if threshold is None else threshold,
        rows=rows.frame,
        positive=index,
        max_calls=box.max_calls,
        largest_box=box.largest_box,
    )
    # One row, so that a function which cannot be used is refused before the work begins
    shape = np.shape(ask(rows.frame(np.zeros((1, len(rows.schema.levels)), np.int64))))
    if threshold is None and len(shape) == 2 and shape[1] > 2:
        raise InputError(f"the function knows {shape[1]} classes; name the least probability as threshold")
    decide = decision(box, threshold, positive)
    return Reading(oracle, lambda codes: decide(rows.frame(codes)))


@dataclass(frozen=True)
class _Changed:
    """A function that is asked about changed rows; what it does not answer is told with a row."""

    function: Callable[[pd.DataFrame], ArrayLike]
    index: int  # of the positive class

    def __call__(self, frame: pd.DataFrame) -> ArrayLike:
        """Answer as the function does."""
        try:
            output = self.function(frame)
            check_probabilities(output, len(frame), self.index)
        except MemoryError:
            raise
        except Exception as error:
            known = isinstance(error, OneForManyError)
            kind = type(error) if known else InputError
            told = str(error) if known else f"the function fails: {type(error).__name__} {error}"
            raise kind(f"{told}{self._of_which_row(frame)}") from error
        return output

    def _of_which_row(self, frame: pd.DataFrame) -> str:
        """Find a row that the function does not answer about alone."""
        while len(frame) > 1:
            half = frame.iloc[: len(frame) // 2]
            frame = frame.iloc[len(half) :] if self._answers(half) else half
        if self._answers(frame):
            return ""
        values = frame.to_dict("records")[0]
        told = ", ".join(f"{name}={plain_value(values[name])!r}" for name in list(values)[:MOST_NAMED])
        more = f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else ""
        return (
            f"; it must answer about every combination of values that changes lead to, such as {told}{more}"
        )

    def _answers(self, frame: pd.DataFrame) -> bool:
        try:
            check_probabilities(self.function(frame), len(frame), self.index)
        except Exception:  # noqa: BLE001 (of a function of the user, which may raise anything)
            return False
        return True


def decision(
    model: AnyModel, threshold: float | None = None, positive: object = 1
) -> Callable[[pd.DataFrame], BoolArray]:
    """Ask a classifier that reads frames, or a function, for its own decision about rows of a frame."""
    if not is_function(type(model)):
        return Verdict(model, partial(as_fitted, model), threshold, positive)
    function: Any = getattr(model, "function", model)
    index, least = _index(model, positive), 0.5 if threshold is None else threshold
    ask = partial(said, function, "__call__")
    return lambda frame: np.asarray(check_probabilities(ask(frame), len(frame), index) >= least)


def _index(model: AnyModel, positive: object) -> int:
    owner = getattr(getattr(model, "function", model), "__self__", None)  # of a method
    known = hasattr(owner, "classes_")
    return class_index(owner, positive) if known else class_number(positive, "a function")


def as_black_box(model: AnyModel, threshold: float | None, positive: object) -> BlackBox | None:
    """Wrap a fitted classifier as a function of frames: positive, from 0.5 on, is what it accepts itself.

    ``None``: it has no ``predict``, or does not know its classes.
    """
    if not hasattr(model, "predict") or classes_of(model) is None:
        return None
    class_index(model, positive)
    return BlackBox(_Asked(model, threshold, positive).score)


@dataclass(frozen=True)
class _Asked:
    """A classifier's decisions as numbers; its probabilities only tell a search where to look."""

    model: Any
    threshold: float | None
    positive: object

    def score(self, frame: pd.DataFrame) -> FloatArray:
        """At least 0.5 where the classifier accepts a row, and more the surer it is."""
        data, index = as_fitted(first_step(self.model), frame), class_index(self.model, self.positive)
        known = classes_of(self.model)
        chances = np.zeros((len(data), 0 if known is None else len(known)))
        if hasattr(self.model, "predict_proba"):
            chances = said(self.model, "predict_proba", data)
        elif is_detector(self.model):
            chances = both_classes(expit(said(self.model, "decision_function", data)))
        own = getattr(type(self.model), "predict", None)
        if self.threshold is None and own is RandomForestClassifier.predict:
            accepted = chances.argmax(axis=1) == index  # which is what a forest does, and takes half the time
        else:
            accepted = Verdict(self.model, lambda rows: rows, self.threshold, self.positive)(data)
        return np.asarray((accepted + np.clip(chances[:, index], 0, ALMOST)) / 2)


def read_scorecard(
    points: Mapping[str, Mapping[str, float]], schema: Schema, threshold: float | None, positive: object
) -> Reading:
    """Read a scorecard: a row is positive when its points sum to at least the threshold, exactly.

    A feature that is left out gives no points; a feature that is there needs all its levels.
    """
    if threshold is None:
        raise InputError("a scorecard needs a threshold: the points that make a row positive")
    if positive != 1:
        raise InputError(f"a scorecard has no class {positive!r}; to ask for few points, negate them")
    for name, given in points.items():
        feature = schema.features[schema.index(name)]
        if stray := [label for label in given if label not in feature.levels]:
            known = listed(feature.levels)
            raise InputError(f"the scorecard names {stray[0]!r} of {name!r}, whose levels are {known}")
        for label in feature.levels:
            if label not in given:
                raise InputError(f"the scorecard has no points for {label!r} of {name!r}; add them")
            if not isinstance(given[label], Real):
                raise InputError(
                    f"the scorecard gives {given[label]!r} for {label!r} of {name!r}; points are numbers"
                )
    none: dict[str, float] = {}
    shares = [[points.get(f.name, none).get(label, 0) for label in f.levels] for f in schema.features]
    oracle = AdditiveOracle(shares, threshold=threshold)
    # In decimals, in which points are written down, 0.1 + 0.2 is 0.3
    exact, least = [[Decimal(str(p)) for p in share] for share in shares], Decimal(str(threshold))

    def verdict(codes: IntArray) -> BoolArray:
        totals = [sum(own[code] for own, code in zip(exact, row, strict=True)) for row in codes.tolist()]
        return np.array([total >= least for total in totals], dtype=np.bool_)

    return Reading(oracle, verdict)
