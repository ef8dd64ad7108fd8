"""Classifiers that can only be asked: exhaustive where few points are in question, searched otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.box import BATCH, climb, count_points, list_points, look_through
from oneformany.oracles.protocol import Answer, Question, Relaxation

LARGEST_BOX = 10_000
MOST_KNOWN = 1 << 21  # how many answers are remembered, in some 300 MB, before it begins anew
RESTARTS = 3
SLACK = 1e-6
ROUNDING = 2.0**-21


class BlackBoxOracle:
    """Any function from rows to probabilities, asked in batches; answers are remembered.

    A "no" is proved when all points of a question were asked about, which is done when they are few
    enough. Otherwise local search looks for a positive point, and if it finds none the answer is
    "unknown": the engine then reports what it found as feasible, not as optimal. The function must always
    give the same answer to the same row.

    Parameters
    ----------
    function : callable
        Takes what ``rows`` gives and returns one probability of the positive class per row, or one
        column of probabilities per class.
    levels : sequence of int
        Number of levels of each feature.
    threshold : float
        A point is positive when its probability is at least this.
    rows : callable, optional
        Turns an ``(n, p)`` array of codes into what the function takes; by default it takes the codes.
    positive : int
        Column of the positive class; where the function returns a single column, 1 for its probability and
        0 for that of the opposite.
    max_calls : int or None
        How many points searches may ask about in all; then they end "unknown".
    largest_box : int
        Questions with at most so many points are settled by asking about all of them.

    Attributes
    ----------
    asked : int
        Points that the function was asked about so far.
    batches : int
        How often it was called for that.
    unanswered : int
        Questions that ended "unknown".

    Examples
    --------
    >>> oracle = BlackBoxOracle(lambda rows: (rows.sum(axis=1) > 1).astype(float), levels=(2, 2))
    >>> oracle.positive([[0, 1], [1, 1]]).tolist()
    [False, True]
    """

    def __init__(
        self,
        function: Callable[[Any], ArrayLike],
        levels: Sequence[int],
        threshold: float = 0.5,
        *,
        rows: Callable[[IntArray], Any] | None = None,
        positive: int = 1,
        max_calls: int | None = None,
        largest_box: int = LARGEST_BOX,
    ) -> None:
        if not callable(function):
            raise UnsupportedModelError(f"a black box is a function, not a {type(function).__name__}")
        if not 0 < threshold < 1:
            raise InputError(f"the threshold is {threshold}; it is a probability, strictly between 0 and 1")
        for name, number in (("max_calls", max_calls), ("largest_box", largest_box)):
            if number is not None and (isinstance(number, bool) or number != int(number) or number < 0):
                raise InputError(f"{name} is {number!r}; it must be an integer, not negative")
        self.function = function
        self.max_calls = max_calls
        self.largest_box = largest_box
        self.asked = self.batches = self.unanswered = 0
        self._levels = tuple(int(n) for n in levels)
        self._threshold = float(threshold)
        self._rows = rows
        self._positive = positive
        self._known: dict[bytes, float] = {}

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of levels of each feature."""
        return self._levels

    @property
    def threshold(self) -> float:
        """A point is positive when its score is at least this."""
        return self._threshold

    def score(self, codes: IntArray) -> FloatArray:
        """Probability of each row of an ``(n, p)`` array of codes."""
        points = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        if self.max_calls is None and len(self._known) > MOST_KNOWN:
            self._known.clear()
        keys = [point.tobytes() for point in points]
        new = {key: index for index, key in enumerate(keys) if key not in self._known}
        indices = list(new.values())
        for start in range(0, len(indices), BATCH):
            batch = points[indices[start : start + BATCH]]
            for point, chance in zip(batch, self._ask(batch).tolist(), strict=True):
                self._known[point.tobytes()] = chance
        return np.array([self._known[key] for key in keys])

    def positive(self, codes: IntArray) -> BoolArray:
        """Whether each row of an ``(n, p)`` array of codes is positive."""
        return np.asarray(self.score(codes) >= self._threshold)

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether each row's probability is so near the threshold that rounding in the function could decide.

        It may round in single precision, and otherwise for one row than for many.
        """
        return np.abs(self.score(codes) - self._threshold) <= ROUNDING

    def upper_bound(self, domain: BoolArray) -> float:
        """Largest score inside ``domain`` where all its points have been asked about, otherwise infinity."""
        if not domain.any(axis=1).all():
            return -np.inf
        p = len(self._levels)
        question = Question(domain.argmax(axis=1), np.ones(p, dtype=np.bool_), 0, domain)
        if count_points(question) > self.largest_box:
            return np.inf
        return max(self._known.get(point.tobytes(), np.inf) for point in list_points(question))

    def reach(self, question: Question) -> Answer:
        """Find a positive point, ask about all points to exclude one, or end "unknown"."""
        size = count_points(question)
        if size == 0:
            return Answer.none()
        few = size <= self.largest_box

        def score(points: IntArray) -> FloatArray:
            if question.stop is not None and question.stop.expired():
                raise _SpentError
            return self._searched(points)

        try:
            rng = np.random.default_rng(question.anchor)
            point = climb(question, score, self._threshold, rng, 0 if few else RESTARTS)
            if point is not None:
                return Answer(point)
            if few:
                return look_through(question, lambda points: score(points) >= self._threshold)
        except _SpentError:
            pass
        self.unanswered += 1
        return Answer.unknown()

    def relaxation(self) -> Relaxation | None:
        """Nothing: what a black box says about one point says nothing about others."""
        return None

    def describe(self) -> dict[str, Any]:
        """What is known of it: the threshold, and how often it was asked."""
        return {
            "kind": "black box",
            "threshold": self._threshold,
            "asked": self.asked,
            "unanswered": self.unanswered,
        }

    def _searched(self, points: IntArray) -> FloatArray:
        """Score points as long as the searches may ask."""
        if self.max_calls is not None:
            new = {key for point in points if (key := point.tobytes()) not in self._known}
            if new and self.asked + len(new) > self.max_calls:
                raise _SpentError
        return self.score(points)

    def _ask(self, points: IntArray) -> FloatArray:
        self.asked += len(points)
        self.batches += 1
        output = self.function(points if self._rows is None else self._rows(points))
        return check_probabilities(output, len(points), self._positive)


class _SpentError(Exception):
    """The searches have asked as often, or as long, as they may."""


def check_probabilities(output: ArrayLike, rows: int, positive: int = 1) -> FloatArray:
    """Take the probabilities of the positive class from what a function returned."""
    array = np.asarray(output)
    if array.dtype.kind != "f":
        shown = repr(array.ravel().tolist()[0]) if array.size else "nothing"
        raise UnsupportedModelError(
            f"the function returns {shown} ({array.dtype}), which is not a probability; return "
            "probabilities as decimal numbers, as predict_proba does, not labels"
        )
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or len(array) != rows:
        raise UnsupportedModelError(
            f"the function returns an array of shape {array.shape} for {rows} rows; it must return one "
            "probability per row, or one column of them per class"
        )
    if np.isnan(array).any():
        row = int(np.argwhere(np.isnan(array))[0, 0])
        raise UnsupportedModelError(f"the function returns NaN for row {row} of {rows}, not a probability")
    chances = array.astype(np.float64)
    if chances.min() < -SLACK or chances.max() > 1 + SLACK:
        wrong = chances[(chances < -SLACK) | (chances > 1 + SLACK)][0]
        raise UnsupportedModelError(f"the function returns {wrong:g}; a probability lies between 0 and 1")
    n_classes = 2 if chances.ndim == 1 else chances.shape[1]
    if isinstance(positive, bool) or positive not in range(n_classes):
        raise InputError(f"positive is {positive!r}; the function's classes are 0 to {n_classes - 1}")
    if chances.ndim == 1:
        return chances if positive == 1 else 1 - chances
    return np.asarray(chances[:, positive])
