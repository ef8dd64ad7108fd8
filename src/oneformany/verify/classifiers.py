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
from oneformany.verify.arrays import BoolArray, FloatArray, IntArray
from oneformany.verify.limits import Limits
from oneformany.verify.reading import Json

Judge = Callable[[IntArray], tuple[BoolArray, BoolArray]]
"""Whether each row of codes is surely, and whether it is possibly positive."""

LEAF = -1
LARGEST_SCORE = 2**61
MOST_NODES = 10**7
BATCH = 2**18
ROUNDOFF = 2.0**-53
UNDERFLOW = 1e-290  # what products below the smallest normal number lose is far less
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
    needed: int = 0
    additive: bool = False  # whether all those points are surely positive
    cutoff: float | None = None  # the threshold on the classifier's own scale, if the file tells it
    judge: Judge | None = None  # None if the file does not hold the classifier
    margin: int = 0  # from so much above ``needed`` on, sums of an additive score are surely positive

    def lacking(self, codes: IntArray) -> IntArray:
        """Tell what the sum of each row of codes lacks; at most 0 for positive points."""
        return np.asarray(self.needed - self.tables[self.starts + codes].sum(axis=1))


def read_classifier(fields: Json, levels: tuple[int, ...], limits: Limits) -> Classifier:
    """Read the classifier of a file; one of an unknown kind has no judge."""
    kind = fields["kind"].text()
    starts = np.cumsum([0, *levels])[:-1]
    bounded = Classifier(kind, np.zeros(sum(levels), dtype=np.int64), starts)
    if kind == "additive":
        classifier = _additive(fields, levels, starts)
    elif kind == "trees":
        cuts, scores = _Cuts.read(fields), _read_trees(fields, levels, limits)
        classifier = replace(bounded, cutoff=cuts.shown, judge=cuts.judge(scores))
    elif kind == "network":
        network = read_network(fields, levels)
        classifier = replace(bounded, cutoff=network.threshold, judge=network.judge)
    else:
        fields.allow()
        cutoff = fields["threshold"].number() if fields.has("threshold") else None
        return replace(bounded, kind=fields["kind"].printable(40), cutoff=cutoff)
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
    by_score = classifier.judge
    if by_score is None:
        return classifier
    ties, rejected = (
        {tuple(tie) for tie in fields[name].codes(levels).tolist()} if name in fields else set()
        for name in ("ties", "rejected")
    )
    if ties & rejected:
        raise CertificateError(f"{fields['rejected'].path} names a point that is also among the ties")

    def judge(codes: IntArray) -> tuple[BoolArray, BoolArray]:
        surely, possibly = by_score(codes)
        surely, possibly = surely.copy(), possibly.copy()
        for row in np.flatnonzero(possibly & ~surely):
            point = tuple(codes[row].tolist())
            surely[row], possibly[row] = point in ties, point not in rejected
        return surely, possibly

    return replace(classifier, judge=judge)


def _read_trees(fields: Json, levels: tuple[int, ...], limits: Limits) -> Callable[[IntArray], IntArray]:
    """Read an ensemble as a function that adds up the leaves of each row of codes, in exact integers.

    A point goes left at a node when its level of the node's feature is marked, until it is at a leaf. Nodes
    that are not trees are refused, such as circles and shared branches.
    """
    if fields["levels"].integers(1, max(levels), len(levels)) != levels:
        raise CertificateError(f"{fields['levels'].path} are not those of the problem")
    feature = np.array(fields["feature"].integers(LEAF, len(levels) - 1), dtype=np.int64)
    count = len(feature)
    if not 0 < count <= MOST_NODES:
        raise CertificateError(f"{fields['feature'].path} names {count} nodes, not 1 to {MOST_NODES}")
    children = fields["children"].matrix(LEAF, count - 1, 2, count)
    units = np.array(fields["units"].integers(-LARGEST_SCORE, LARGEST_SCORE, count), dtype=np.int64)
    roots = np.array(fields["roots"].distinct(count - 1), dtype=np.int64)
    if max(len(roots), 1) * int(np.abs(units).max()) > LARGEST_SCORE:
        raise CertificateError(f"{fields['units'].path} give sums beyond {LARGEST_SCORE}")
    _check_structure(feature, children, roots, fields["children"].path)
    width = np.where(feature == LEAF, 0, np.array(levels)[feature])
    limits.hold(int(width.sum()) + 64 * count, "the trees")
    starts = np.cumsum(width) - width
    goes_left = np.zeros(int(width.sum()), dtype=np.bool_)  # at goes_left[starts[node] + level]
    for node, listed in enumerate(fields["left"].entries(count)):
        for level in listed.integers(0, max(levels) - 1):
            if level < width[node]:  # a level that the feature does not have decides nothing
                goes_left[starts[node] + level] = True

    def leaves(codes: IntArray, some: IntArray) -> IntArray:
        at, row = np.tile(some, len(codes)), np.repeat(np.arange(len(codes)), len(some))
        inside = np.flatnonzero(feature[at] != LEAF)
        while inside.size:
            limits.check()
            here = at[inside]
            left = goes_left[starts[here] + codes[row[inside], feature[here]]]
            at[inside] = children[here, np.where(left, 0, 1)]
            inside = inside[feature[at[inside]] != LEAF]
        limits.check()
        return np.asarray(units[at].reshape(len(codes), len(some)).sum(axis=1))

    def scores(codes: IntArray) -> IntArray:
        step = max(1, BATCH // max(1, len(codes)))
        parts = (leaves(codes, roots[first : first + step]) for first in range(0, len(roots), step))
        return sum(parts, np.zeros(len(codes), dtype=np.int64))

    return scores


def _check_structure(feature: IntArray, children: IntArray, roots: IntArray, path: str) -> None:
    """No node has two parents and no root has one, so no way down from a root meets itself."""
    below = children[feature != LEAF]
    if (below < 0).any():
        raise CertificateError(f"{path} lead from a split to no node")
    parents = np.bincount(below.ravel(), minlength=len(feature))
    parents[roots] += 1
    if (parents > 1).any():
        node = int(np.argmax(parents > 1))
        raise CertificateError(
            f"{path} lead to node {node} from two sides or in a circle: these are not trees"
        )


@dataclass(frozen=True, eq=False)
class Network:
    """Tables of first sums, then layers up to one logit."""

    tables: tuple[FloatArray, ...]  # (levels, width): what each level of a feature adds to the first sums
    bias: FloatArray  # (width,)
    layers: tuple[tuple[FloatArray, FloatArray], ...]  # weights and bias, each behind a ReLU
    threshold: float  # what the logit has to reach to be possibly positive
    sure: float  # and to be surely positive

    def judge(self, codes: IntArray) -> tuple[BoolArray, BoolArray]:
        """Tell which rows of codes are surely, and which are possibly positive."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores, errors = self.scores(codes)
            surely = scores - errors >= self.sure
            possibly = ~(scores + errors < self.threshold)
        return surely, possibly

    def scores(self, codes: IntArray) -> tuple[FloatArray, FloatArray]:
        """Score rows of codes, each with a bound on its distance from the score in exact arithmetic.

        A sum of n products, in any order, is wrong by at most (n + 1) u times the sum of their sizes, where
        u is half the distance from 1 to the next number. ReLU enlarges no error. The bound is made of the
        numbers met on the way to this very score; twice what theory says makes up for its own rounding.
        """
        values, sizes = np.tile(self.bias, (len(codes), 1)), np.tile(np.abs(self.bias), (len(codes), 1))
        for feature, table in enumerate(self.tables):
            values += table[codes[:, feature]]
            sizes += np.abs(table[codes[:, feature]])
        errors = 2 * (len(self.tables) + 2) * ROUNDOFF * sizes + UNDERFLOW
        for weights, bias in self.layers:
            active = np.maximum(values, 0.0)
            values = active @ weights + bias
            factor = 2 * (len(weights) + 2) * ROUNDOFF
            sizes = (active + errors) @ np.abs(weights) + np.abs(bias)
            errors = (1 + factor) * (errors @ np.abs(weights)) + factor * sizes + UNDERFLOW
        scores = values[:, 0]
        comparing = np.abs(scores) + abs(self.threshold) + abs(self.sure)
        return scores, 2 * errors[:, 0] + 2 * ROUNDOFF * comparing


def read_network(fields: Json, levels: tuple[int, ...]) -> Network:
    """Read a network and check that its layers fit together."""
    fields.allow("rounding")
    bias = np.array(fields["bias"].numbers())
    given = zip(fields["tables"].entries(len(levels)), levels, strict=True)
    tables = tuple(_matrix(table, n, len(bias)) for table, n in given)
    layers = []
    width = len(bias)
    for layer in fields["layers"].entries():
        shift = np.array(layer["bias"].numbers())
        layers.append((_matrix(layer["weights"], width, len(shift)), shift))
        width = len(shift)
    if width != 1 or not fields.has("threshold"):
        raise CertificateError(f"{fields['layers'].path} must end in one number, with a threshold for it")
    threshold = fields["threshold"].number()
    sure = fields["sure"].number() if fields.has("sure") else threshold
    if sure < threshold:
        raise CertificateError(f"{fields['sure'].path} is below the threshold")
    return Network(tables, bias, tuple(layers), threshold, sure)


def _matrix(table: Json, rows: int, columns: int) -> FloatArray:
    lines = [line.numbers(columns) for line in table.entries(rows)]
    return np.array(lines, dtype=np.float64).reshape(rows, columns)
