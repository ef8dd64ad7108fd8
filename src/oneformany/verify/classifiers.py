"""Which points are positive: the classifier of a file, evaluated without the code that solved.

There are two predicates. A point is *surely* positive when its score reaches the threshold whatever the
rounding of floating point does, and *possibly* positive unless its score surely stays below. The points of
an explanation have to be surely positive; a bound may exclude only what is not even possibly positive.
Scores of additive tables and of trees are sums of integers, which leave no doubt. A file may leave some of
its own: scores from its threshold on are possibly positive, scores from ``sure`` on surely, and between them
the model itself accepted the points that the file lists as ``ties``, and turned down those ``rejected``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.json_value import Json
from oneformany.verify.limits import Limits
from oneformany.verify.networks import read_network
from oneformany.verify.trees import read_trees

Judge = Callable[[IntArray], tuple[BoolArray, BoolArray]]
"""Whether each row of codes is surely, and whether it is possibly positive."""

LARGEST_SCORE = 2**61
FINEST_DIGITS = 18


@dataclass(frozen=True, eq=False)
class Classifier:
    """Positive points are among those with ``tables[0][x_0] + tables[1][x_1] + ... >= needed``.

    Where it is not ``additive`` the tables only bound the classifier: "no such group" proved with them still
    holds, a group found with them may not exist.
    """

    kind: str  # as the file names it
    tables: IntArray  # what each level adds to the score, all features one after the other
    starts: IntArray  # (p,) where the levels of each feature begin
    needed: int
    additive: bool  # whether all those points are surely positive
    cutoff: float | None  # the threshold on the classifier's own scale, if the file tells it
    judge: Judge | None  # None if the file does not hold the classifier
    margin: int = 0  # from so much above ``needed`` on, sums of an additive score are surely positive

    def lacking(self, codes: IntArray) -> IntArray:
        """Tell what the sum of each row of codes lacks; at most 0 for positive points."""
        return np.asarray(self.needed - self.tables[self.starts + codes].sum(axis=1))


def read_classifier(fields: Json, levels: tuple[int, ...], limits: Limits) -> Classifier:
    """Read the classifier of a file; one of an unknown kind has no judge."""
    kind = fields["kind"].text()
    starts = np.cumsum([0, *levels])[:-1]
    nothing = np.zeros(sum(levels), dtype=np.int64)
    if kind == "additive":
        classifier = _additive(fields, levels, starts)
    elif kind == "trees":
        cuts, trees = _Cuts.read(fields), read_trees(fields, levels, limits)
        classifier = Classifier(kind, nothing, starts, 0, False, cuts.shown, cuts.judge(trees.scores))
    elif kind == "network":
        network = read_network(fields, levels)
        classifier = Classifier(kind, nothing, starts, 0, False, network.threshold, network.judge)
    else:
        cutoff = fields["threshold"].number() if fields.has("threshold") else None
        return Classifier(fields["kind"].printable(40), nothing, starts, 0, False, cutoff, None)
    return _with_ties(classifier, fields, levels)


class _Cuts(NamedTuple):
    """What an integer score has to reach, and what it begins with."""

    threshold: int
    sure: int
    intercept: int
    shown: float  # the threshold on the classifier's own scale

    @classmethod
    def read(cls, fields: Json) -> _Cuts:
        threshold = fields["threshold"].integer(-LARGEST_SCORE, LARGEST_SCORE)
        sure = fields["sure"].integer(threshold, LARGEST_SCORE) if "sure" in fields else threshold
        intercept = fields["intercept"].integer(-LARGEST_SCORE, LARGEST_SCORE)
        return cls(threshold, sure, intercept, threshold / 10 ** fields["digits"].integer(0, FINEST_DIGITS))

    def judge(self, scores: Callable[[IntArray], IntArray]) -> Judge:
        def judge(codes: IntArray) -> tuple[BoolArray, BoolArray]:
            total = self.intercept + scores(codes)
            return total >= self.sure, total >= self.threshold

        return judge


def _additive(fields: Json, levels: tuple[int, ...], starts: IntArray) -> Classifier:
    fields.only("kind", "digits", "tables", "intercept", "threshold", optional=("sure", "ties", "rejected"))
    cuts = _Cuts.read(fields)
    given = zip(fields["tables"].entries(len(levels)), levels, strict=True)
    read = [table.integers(-LARGEST_SCORE, LARGEST_SCORE, n) for table, n in given]
    largest = sum(max(map(abs, table)) for table in read)
    if abs(cuts.intercept) + max(abs(cuts.threshold), abs(cuts.sure)) + largest > LARGEST_SCORE:
        raise CertificateError(f"{fields['tables'].path} give scores beyond {LARGEST_SCORE}")
    tables = np.concatenate([np.array(table, dtype=np.int64) for table in read])
    judge = cuts.judge(lambda codes: tables[starts + codes].sum(axis=1))
    needed = cuts.threshold - cuts.intercept
    margin = cuts.sure - cuts.threshold
    return Classifier("additive", tables, starts, needed, margin == 0, cuts.shown, judge, margin)


def _with_ties(classifier: Classifier, fields: Json, levels: tuple[int, ...]) -> Classifier:
    """Let points that the model itself accepted be surely positive, if their scores possibly are.

    Those that it rejected are not even possibly positive, unless their scores surely are.
    """
    if classifier.judge is None:
        return classifier
    ties, rejected = (
        {tuple(tie) for tie in fields[name].codes(levels).tolist()} if name in fields else set()
        for name in ("ties", "rejected")
    )
    by_score = classifier.judge

    def judge(codes: IntArray) -> tuple[BoolArray, BoolArray]:
        surely, possibly = by_score(codes)
        surely, possibly = surely.copy(), possibly.copy()
        for row in np.flatnonzero(possibly & ~surely):
            point = tuple(codes[row].tolist())
            surely[row], possibly[row] = point in ties, point not in rejected
        return surely, possibly

    return replace(classifier, judge=judge)
