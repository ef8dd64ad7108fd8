"""Classifiers that can only be asked: exhaustive where few points are in question, searched otherwise."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.actions import Actions
from oneformany.oracles.asked import AskingJudge
from oneformany.oracles.box import anchored
from oneformany.oracles.protocol import Answer, Question
from oneformany.oracles.scored import ScoredOracle
from oneformany.oracles.search import POINTS_JUDGED, climb, search
from oneformany.stop import Stop

LARGEST_BOX = 10_000  # points that are listed to settle a question
MOST_KNOWN = 1 << 21  # how many answers are remembered, in some 300 MB, before it begins anew
MOST_SHOWN = 60  # letters of what a function returns, in a message
FIRST_BATCH = 64  # points that are asked about before it is known how long an answer takes
LOOKS = 0.1  # of the time left, between two looks at the clock
SLACK = 1e-6  # of a probability, that counts as the threshold itself
ROUNDING = 2.0**-21  # of float32, twice over


class BlackBoxOracle(ScoredOracle):
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
    seconds : float
        What these answers took.
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
        super().__init__(tuple(int(n) for n in levels), float(threshold))
        self.function = function
        self.max_calls = max_calls
        self.largest_box = largest_box
        self.asked = self.batches = self.unanswered = 0
        self.seconds = 0.0
        self._rows = rows
        self._positive = positive
        self._known: dict[bytes, float] = {}
        self._timed = 0.0, 0  # seconds that answers took, and how many, as far as somebody looked at a clock

    def doubtful(self, codes: IntArray) -> BoolArray:
        """Whether each row of codes is so near the threshold that a function may round either way."""
        return np.abs(self._sums(codes) - self.threshold) <= ROUNDING

    def upper_bound(self, domain: BoolArray) -> float:
        """Infinity, as nobody knows what was not asked about; minus infinity when there is no point."""
        return np.inf if domain.any(axis=1).all() else -np.inf

    def reach(self, question: Question) -> Answer:
        """Find a positive point, ask about all points to exclude one, or end "unknown"."""
        whole = anchored(question)
        if whole is None:
            return Answer.none()

        def scores(points: IntArray, *, some: bool = False) -> FloatArray:
            """Score points as long as the searches may ask; ``some`` of them where time is short."""
            new = {key for point in points if (key := point.tobytes()) not in self._known}
            spent = self.max_calls is not None and new and self.asked + len(new) > self.max_calls
            if spent or (whole.stop is not None and whole.stop.expired()):
                raise _SpentError
            if whole.stop is None or math.isinf(whole.stop.remaining()):
                return self._sums(points)
            return self._in_time(points, whole.stop, some=some)

        try:
            point = whole.first_point
            if climb(whole, partial(scores, some=True), self.threshold, point) >= self.threshold:
                return Answer(point)
            answer = search(
                whole,
                None,
                lambda points: scores(points) >= self.threshold,
                self.positive,
                few=self.largest_box,
            )
        except _SpentError:
            answer = Answer.unknown()
        self.unanswered += not answer.proved_none and answer.point is None
        return answer

    def action_judge(self, actions: Actions) -> AskingJudge:
        """Ask about a row after each action; see :class:`~oneformany.oracles.actions.JudgesActions`."""
        return AskingJudge(actions, self.judge)

    def relaxation(self) -> None:
        """Nothing: what a black box says about one point says nothing about others."""

    def describe(self) -> dict[str, Any]:
        """What is known of it: the threshold, and how often it was asked."""
        return {
            "kind": "black box",
            "threshold": self.threshold,
            "asked": self.asked,
            "unanswered": self.unanswered,
        }

    def _in_time(self, points: IntArray, stop: Stop, *, some: bool) -> FloatArray:
        """Score points as long as there is time; if one is positive by then, others count as nothing.

        With ``some`` half of the time is spent, on points drawn from all, and the others count as nothing.
        """
        until = stop.part(stop.remaining() / 2) if some else stop
        order = np.random.default_rng(0).permutation(len(points)) if some else np.arange(len(points))
        found, begin = np.full(len(points), -np.inf), 0
        while begin < len(points):
            if begin and until.expired():
                if found.max() >= self.threshold or not stop.expired():
                    break
                raise _SpentError
            seconds, points_timed = self._timed
            affordable = LOOKS * until.remaining() * points_timed / max(seconds, 1e-9)
            end = begin + int(min(len(points), max(FIRST_BATCH, affordable)))
            before, start = self.asked, stop.elapsed()
            asked = order[begin:end]
            found[asked] = self._sums(points[asked])
            self._timed = seconds + stop.elapsed() - start, points_timed + self.asked - before
            begin = end
        return found

    def _sums(self, codes: IntArray) -> FloatArray:
        points = np.ascontiguousarray(np.atleast_2d(codes), dtype=np.int64)
        if self.max_calls is None and len(self._known) > MOST_KNOWN:
            self._known.clear()
        keys = [point.tobytes() for point in points]
        new = {key: index for index, key in enumerate(keys) if key not in self._known}
        indices = list(new.values())
        for start in range(0, len(indices), POINTS_JUDGED):
            batch = points[indices[start : start + POINTS_JUDGED]]
            self.asked += len(batch)
            self.batches += 1
            began = perf_counter()
            output = self.function(batch if self._rows is None else self._rows(batch))
            self.seconds += perf_counter() - began
            chances = check_probabilities(output, len(batch), self._positive)
            self._known.update(zip(map(np.ndarray.tobytes, batch), chances.tolist(), strict=True))
        return np.array([self._known[key] for key in keys])


class _SpentError(Exception):
    """The searches have asked as often, or as long, as they may."""


def check_probabilities(output: ArrayLike, rows: int, positive: int = 1) -> FloatArray:
    """Take the probabilities of the positive class from what a function returned."""
    array = np.asarray(output)
    if array.dtype.kind == "b":  # decisions, as surely as can be
        array = array.astype(np.float64)
    if array.dtype.kind != "f":
        shown = repr(array.ravel().tolist()[0])[:MOST_SHOWN] if array.size else "nothing"
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
        raise UnsupportedModelError(
            f"the function returns {wrong:g}; a probability lies between 0 and 1, as predict_proba gives it"
        )
    n_classes = 2 if chances.ndim == 1 else chances.shape[1]
    if isinstance(positive, bool) or positive not in range(n_classes):
        raise InputError(f"positive is {positive!r}; the function's classes are 0 to {n_classes - 1}")
    if chances.ndim == 1:
        return chances if positive == 1 else 1 - chances
    return np.asarray(chances[:, positive])
