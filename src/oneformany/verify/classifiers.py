"""Which points are positive: the classifier of a file, evaluated without the code that solved.

There are two predicates. A point is *surely* positive when its score reaches the threshold whatever the
rounding of floating point does, and *possibly* positive unless its score surely stays below. The points of
an explanation have to be surely positive; a bound may exclude only what is not even possibly positive.
Scores of additive tables and of trees are sums of integers, which leave no doubt. A file may leave some of
its own: scores from its threshold on are possibly positive, scores from ``sure`` on surely, and between them
the model itself accepted the points that the file lists as ``ties``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.codes import read_codes
from oneformany.verify.json_object import JsonObject, check_integers
from oneformany.verify.limits import Limits
from oneformany.verify.networks import read_network
from oneformany.verify.trees import read_trees

__all__ = ["Classifier", "Judge", "read_classifier"]

Judge = Callable[[NDArray[np.int64]], tuple[NDArray[np.bool_], NDArray[np.bool_]]]

LARGEST_SCORE = 2**61
FINEST_DIGITS = 18


@dataclass(frozen=True, eq=False)
class Classifier:
    """Positive points are among those with ``tables[0][x_0] + tables[1][x_1] + ... >= needed``.

    Attributes
    ----------
    kind : str
        The kind of classifier the file names.
    tables : integer array
        What each level of each feature adds to the score, all features one after the other.
    starts : (p,) integer array
        Where the levels of each feature begin.
    needed : int
        What the sum has to reach.
    additive : bool
        Whether all those points are surely positive. Otherwise the tables only bound the classifier: "no such
        group" proved with them still holds, a group found with them may not exist.
    cutoff : float or None
        The threshold on the classifier's own scale, if the file tells it.
    judge : callable or None
        Whether each row of codes is surely, and whether it is possibly positive; ``None`` if the file does
        not hold the classifier.
    """

    kind: str
    tables: NDArray[np.int64]
    starts: NDArray[np.int64]
    needed: int
    additive: bool
    cutoff: float | None
    judge: Judge | None

    def lacking(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tell what the sum of each row of codes lacks; at most 0 for positive points."""
        return np.asarray(self.needed - self.tables[self.starts + codes].sum(axis=1))


def read_classifier(fields: JsonObject, levels: tuple[int, ...], limits: Limits) -> Classifier:
    """Read the classifier of a file; one of an unknown kind has no judge."""
    kind = fields.text("kind")
    starts = np.cumsum([0, *levels])[:-1]
    nothing = np.zeros(sum(levels), dtype=np.int64)
    if kind == "additive":
        classifier = _additive(fields, levels, starts)
    elif kind in {"network", "trees"}:
        model = read_network(fields, levels) if kind == "network" else read_trees(fields, levels, limits)
        classifier = Classifier(kind, nothing, starts, 0, False, model.threshold, model.judge)
    else:
        return Classifier(kind[:40], nothing, starts, 0, False, fields.number("threshold"), None)
    return _with_ties(classifier, fields, levels)


def _with_ties(classifier: Classifier, fields: JsonObject, levels: tuple[int, ...]) -> Classifier:
    """Let points that the model itself accepted be surely positive, if their scores possibly are."""
    if "ties" not in fields or classifier.judge is None:
        return classifier
    ties = {tuple(tie) for tie in read_codes(fields.entries("ties"), fields.path("ties"), levels).tolist()}
    by_score = classifier.judge

    def judge(codes: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        surely, possibly = by_score(codes)
        surely = surely.copy()
        for row in np.flatnonzero(possibly & ~surely):
            surely[row] = tuple(codes[row].tolist()) in ties
        return surely, possibly

    return replace(classifier, judge=judge)


def _additive(fields: JsonObject, levels: tuple[int, ...], starts: NDArray[np.int64]) -> Classifier:
    fields.only("kind", "digits", "tables", "intercept", "threshold", optional=("sure", "ties"))
    threshold = fields.integer("threshold", -LARGEST_SCORE, LARGEST_SCORE)
    sure = fields.integer("sure", threshold, LARGEST_SCORE) if "sure" in fields else threshold
    intercept = fields.integer("intercept", -LARGEST_SCORE, LARGEST_SCORE)
    path = fields.path("tables")
    read = [
        check_integers(table, f"{path}[{feature}]", -LARGEST_SCORE, LARGEST_SCORE, n)
        for feature, (table, n) in enumerate(zip(fields.entries("tables", len(levels)), levels, strict=True))
    ]
    largest = sum(max(abs(number) for number in table) for table in read)
    if abs(intercept) + max(abs(threshold), abs(sure)) + largest > LARGEST_SCORE:
        raise CertificateError(f"{path} give scores beyond {LARGEST_SCORE}")
    tables = np.concatenate([np.array(table, dtype=np.int64) for table in read])
    needed = threshold - intercept
    cutoff = threshold / 10 ** fields.integer("digits", 0, FINEST_DIGITS)

    def judge(codes: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        total = tables[starts + codes].sum(axis=1)
        return total >= sure - intercept, total >= needed

    return Classifier("additive", tables, starts, needed, sure == threshold, cutoff, judge)
