"""Which points are positive: the classifier of a file, evaluated without the code that solved.

There are two predicates. A point is *surely* positive when its score reaches the threshold whatever the
rounding of floating point does, and *possibly* positive unless its score surely stays below. The points of
an explanation have to be surely positive; a bound may exclude only what is not even possibly positive. What
fails with the points that are possibly positive is wrong if it fails with those that surely are, too.
Scores of additive tables and of trees are sums of integers, which leave no doubt. A file may leave some of
its own: scores from its threshold on are possibly positive, scores from ``sure`` on surely, and between them
the model itself accepted the points that the file lists as ``ties``, and turned down those ``rejected``. A
library adds up leaves in one order, so of trees it says the same of all points that meet the same leaves.

Several classifiers are one of the kind ``all``: a point is surely positive when all of them, or at least so
many, surely accept it, and possibly positive when so many possibly do. Each of them has its own kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import BoolArray, FloatArray, IntArray, Json
from oneformany.verify.trees import LARGEST_SCORE, Trees, read_trees

ALL = "all"
MOST_MEMBERS = 1_000
DEEPEST_MEMBERS = 8  # classifiers inside classifiers
ROUNDOFF = 2.0**-53
UNDERFLOW = 1e-290  # what products below the smallest normal number lose is far less
FINEST_DIGITS = 18

Scores = Callable[[IntArray], tuple[NDArray[Any], NDArray[Any]]]
"""The score of each row of codes, and how far it is from the score in exact arithmetic at most."""
Keys = Callable[[IntArray], list[bytes]]
"""The same key for points of which a model says the same even where rounding decides."""
Reach = Callable[[IntArray, BoolArray], IntArray]
"""A score that no row of codes exceeds, whatever it has in the features that are free, of each or of all."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Positive points are among those with ``tables[0][x_0] + tables[1][x_1] + ... >= needed``.

    Where it is not ``summed`` the tables only bound the classifier: "no such group" proved with them still
    holds, a group found with them may not exist.
    """

    kind: str  # as the file names it
    tables: IntArray  # what each level adds to the score, all features one after the other
    starts: IntArray  # (p,) where the levels of each feature begin
    needed: int = 0
    margin: int = 0  # from so much above ``needed`` on, sums of an additive score are surely positive
    cutoff: float | None = None  # the threshold on the classifier's own scale, if the file tells it
    scores: Scores | None = None  # None if the file does not hold the classifier
    threshold: float = 0
    sure: float = 0
    ties: frozenset[bytes] = frozenset()  # keys
    rejected: frozenset[bytes] = frozenset()
    keys: Keys | None = None
    reach: Reach | None = None
    lenient: bool = True  # whether what is possibly positive is accepted, or what surely is
    members: tuple["Classifier", ...] = ()  # of the kind ``all``
    at_least: int = 0  # so many of them have to accept a point
    trees: Trees | None = None  # whose leaves are the score
    network: "Network | None" = None  # whose logit is the score

    @property
    def summed(self) -> bool:
        """Whether the score is the sum of the tables."""
        return self.kind == "additive"

    def lacking(self, codes: IntArray) -> IntArray:
        """Tell what the sum of each row of codes lacks; at most 0 for positive points."""
        return np.asarray(self.needed - self.tables[self.starts + codes].sum(axis=1))

    @property
    def told(self) -> str:
        """What to call it."""
        if not self.members:
            return f"the {self.kind} classifier"
        of = f"{self.at_least} of the " if self.at_least < len(self.members) else "all "
        return f"{of}{len(self.members)} classifiers"

    @property
    def missing(self) -> str:
        """The kind of classifier that the file does not hold; empty where it says all of every point."""
        if self.members:
            return next((kind for member in self.members if (kind := member.missing)), "")
        return "" if self.scores is not None else self.kind

    @property
    def doubt(self) -> str:
        """Why a point may be possibly, but not surely positive; empty if there is none."""
        if self.members:
            return next((doubt for member in self.members if (doubt := member.doubt)), "")
        if self.missing:
            return f"the file does not hold the {self.missing} classifier"
        exact = self.kind != "network" and self.threshold == self.sure
        unsaid = "the file does not name the point; a threshold= a little off avoids that"
        return "" if exact else f"rounding decides under the {self.kind} classifier, and {unsaid}"

    def accepts(self, codes: IntArray) -> BoolArray:
        """Tell which rows of codes are positive, possibly or surely as it was asked for."""
        surely, possibly = self.judge(codes)
        return possibly if self.lenient else surely

    def judge(self, codes: IntArray) -> tuple[BoolArray, BoolArray]:
        """Tell whether each row of codes is surely, and whether it is possibly positive."""
        if self.members:
            return self._judge_all(codes)
        if self.scores is None or self.keys is None:
            return np.zeros(len(codes), dtype=np.bool_), np.ones(len(codes), dtype=np.bool_)
        with np.errstate(over="ignore", invalid="ignore"):
            scores, errors = self.scores(codes)
            surely, possibly = scores - errors >= self.sure, ~(scores + errors < self.threshold)
        if self.ties or self.rejected:
            open_rows = np.flatnonzero(possibly & ~surely)
            for row, key in zip(open_rows, self.keys(codes[open_rows]), strict=True):
                surely[row], possibly[row] = key in self.ties, key not in self.rejected
        return surely, possibly

    def _judge_all(self, codes: IntArray) -> tuple[BoolArray, BoolArray]:
        """Count the members that surely, and that possibly accept each row of codes, while it matters."""
        surely, possibly = np.zeros((2, len(codes)), dtype=np.int64)
        for number, member in enumerate(self.members):
            open_rows = np.flatnonzero(possibly + (len(self.members) - number) >= self.at_least)
            sure, possible = member.judge(codes[open_rows])
            surely[open_rows] += sure
            possibly[open_rows] += possible
        return surely >= self.at_least, possibly >= self.at_least


def read_classifier(given: Json, levels: tuple[int, ...], depth: int = 0) -> Classifier:
    """Read the classifier of a file; one of an unknown kind has no scores."""
    if given["kind"].text() == ALL:
        return _read_all(given, levels, depth)
    return _read_one(given, levels)


def _read_all(given: Json, levels: tuple[int, ...], depth: int) -> Classifier:
    """Read classifiers that all, or at least so many of which, have to accept a point.

    Where all have to, the tables of one that is additive bound them all.
    """
    if depth >= DEEPEST_MEMBERS:
        given.fail(f"has classifiers inside classifiers, more than {DEEPEST_MEMBERS} deep")
    count = len(given["members"].values())
    if not 1 <= count <= MOST_MEMBERS:
        given["members"].fail(f"names {count} classifiers, not 1 to {MOST_MEMBERS}")
    members = tuple(read_classifier(member, levels, depth + 1) for member in given["members"].entries())
    at_least = given["at_least"].integer(1, count) if "at_least" in given else count
    bound = next((m for m in members if m.tables.any()), members[0]) if at_least == count else None
    nothing = np.zeros(sum(levels), dtype=np.int64)
    return Classifier(
        ALL,
        nothing if bound is None else bound.tables,
        members[0].starts,
        0 if bound is None else bound.needed,
        cutoff=0.0,  # the score is the least margin by which a member that is needed accepts
        reach=None if all(m.reach is None for m in members) else partial(_least_reach, members, at_least),
        members=members,
        at_least=at_least,
    )


def _least_reach(
    members: tuple[Classifier, ...], at_least: int, codes: IntArray, free: BoolArray
) -> IntArray:
    """How far above its threshold the score of each member can get; of those that are needed, the least."""
    above = [
        np.full(len(codes), LARGEST_SCORE) if m.reach is None else m.reach(codes, free) - int(m.threshold)
        for m in members
    ]
    return np.asarray(np.sort(np.stack(above), axis=0)[len(members) - at_least])


def _read_one(given: Json, levels: tuple[int, ...]) -> Classifier:
    """Read a classifier that has no members."""
    kind, starts = given["kind"].text(), np.cumsum([0, *levels])[:-1]
    tables, needed, margin = np.zeros(sum(levels), dtype=np.int64), 0, 0
    reach: Reach | None = None
    keys: Keys = _bytes
    trees: Trees | None = None
    network: Network | None = None
    if kind not in {"additive", "trees", "network"}:
        given.allow()
        cutoff = given["threshold"].number() if given.has("threshold") else None
        return Classifier(given["kind"].printable(40), tables, starts, cutoff=cutoff)
    if kind == "network":
        network = read_network(given, levels)
        threshold, sure = network.threshold, network.sure
        scores: Scores = network.scores
        cutoff = threshold
    else:
        threshold = given["threshold"].integer(-LARGEST_SCORE, LARGEST_SCORE)
        sure = given["sure"].integer(threshold, LARGEST_SCORE) if "sure" in given else threshold
        intercept = given["intercept"].integer(-LARGEST_SCORE, LARGEST_SCORE)
        cutoff = threshold / 10 ** given["digits"].integer(0, FINEST_DIGITS)
        if kind == "additive":
            tables = _tables(given["tables"], levels, abs(intercept) + max(abs(threshold), abs(sure)))
            needed, margin = threshold - intercept, sure - threshold
            total: Reach = partial(_added, tables, starts, intercept)
        else:
            trees = read_trees(given, levels, intercept)
            total, keys = trees.reach, trees.keys
        reach, scores = total, partial(_exactly, total)
    ties, rejected = (
        frozenset(keys(given[name].codes(levels))) if name in given else frozenset()
        for name in ("ties", "rejected")
    )
    if ties & rejected:
        raise CertificateError(f"{given['rejected'].path} names a point that is also among the ties")
    return Classifier(
        kind,
        tables,
        starts,
        needed,
        margin,
        cutoff,
        scores,
        threshold,
        sure,
        ties,
        rejected,
        keys,
        reach,
        trees=trees,
        network=network,
    )


def _added(tables: IntArray, starts: IntArray, intercept: int, codes: IntArray, free: BoolArray) -> IntArray:
    most = np.maximum.reduceat(tables, starts)
    return np.asarray(intercept + np.where(free, most, tables[starts + codes]).sum(axis=1))


def _exactly(reach: Reach, codes: IntArray) -> tuple[IntArray, IntArray]:
    return reach(codes, np.zeros(codes.shape[1], dtype=np.bool_)), np.zeros(1, dtype=np.int64)


def _bytes(codes: IntArray) -> list[bytes]:
    return [point.tobytes() for point in codes]


def _tables(given: Json, levels: tuple[int, ...], beside: int) -> IntArray:
    pairs = zip(given.entries(len(levels)), levels, strict=True)
    tables = [table.integers(-LARGEST_SCORE, LARGEST_SCORE, n) for table, n in pairs]
    if beside + sum(max(map(abs, table)) for table in tables) > LARGEST_SCORE:
        raise CertificateError(f"{given.path} give scores beyond {LARGEST_SCORE}")
    return np.array([number for table in tables for number in table], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Network:
    """What each level adds to the first sums, then layers up to one logit, each behind a ReLU."""

    tables: list[FloatArray]
    bias: FloatArray
    layers: list[tuple[FloatArray, FloatArray]]
    threshold: float
    sure: float

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
        for weight, shift in self.layers:
            active = np.maximum(values, 0.0)
            values = active @ weight + shift
            errors = _carried(weight, shift, active, errors)
        return values[:, 0], self._compared(np.abs(values[:, 0]), errors[:, 0])

    def scores_after(
        self, own: IntArray, there: list[IntArray], moves: IntArray, size: int
    ) -> tuple[FloatArray, float]:
        """Score a row after each of some actions, with one bound on the error for all of them.

        ``there`` are the values that its features may move to, and ``moves`` ``(m, size)`` the indices of the
        moves of each action, all features one after the other; one beyond the last moves nothing.
        """
        pairs = [(table, table[value]) for table, value in zip(self.tables, own.tolist(), strict=True)]
        first = self.bias + sum((here for _, here in pairs), np.zeros(len(self.bias)))
        changes = [table[to] - here for (table, here), to in zip(pairs, there, strict=True)]
        steps = np.concatenate([*changes, np.zeros((1, len(first)))])
        values = np.tile(first, (len(moves), 1))
        for index in range(size):
            values += steps[moves[:, index]]
        sizes = np.abs(self.bias)
        for (table, here), to in zip(pairs, there, strict=True):
            sizes = sizes + 2 * np.abs(here) + np.abs(table[to]).max(axis=0, initial=0.0)
        errors = 2 * (len(self.tables) + 2 * size + 4) * ROUNDOFF * sizes + UNDERFLOW
        for weight, shift in self.layers:
            values = np.maximum(values, 0.0) @ weight + shift
            errors = _carried(weight, shift, sizes, errors)  # no sum is larger than its sizes
            sizes = sizes @ np.abs(weight) + np.abs(shift)
        return values[:, 0], float(self._compared(sizes, errors)[0])

    def _compared(self, values: FloatArray, errors: FloatArray) -> FloatArray:
        """How far a score may be from the exact one, with what comparing it loses."""
        return np.asarray(2 * errors + 2 * ROUNDOFF * (values + abs(self.threshold) + abs(self.sure)))


def _carried(weight: FloatArray, shift: FloatArray, active: FloatArray, errors: FloatArray) -> FloatArray:
    """Tell how far the sums of the next layer may be from the exact ones."""
    factor = 2 * (len(weight) + 2) * ROUNDOFF
    sizes = (active + errors) @ np.abs(weight) + np.abs(shift)
    return np.asarray((1 + factor) * (errors @ np.abs(weight)) + factor * sizes + UNDERFLOW)


def read_network(given: Json, levels: tuple[int, ...]) -> Network:
    """Read a network whose layers fit together."""
    given.allow("rounding")
    bias = given["bias"].numbers()
    biases = [layer["bias"].numbers() for layer in given["layers"].entries()]
    widths = [len(bias), *map(len, biases)]
    pairs = zip(given["tables"].entries(len(levels)), levels, strict=True)
    tables = [_matrix(table, n, len(bias)) for table, n in pairs]
    shapes = zip(given["layers"].entries(), pairwise(widths), strict=True)
    weights = [_matrix(layer["weights"], *shape) for layer, shape in shapes]
    if widths[-1] != 1 or not given.has("threshold"):
        raise CertificateError(f"{given['layers'].path} must end in one number, with a threshold for it")
    threshold = given["threshold"].number()
    sure = given["sure"].number() if given.has("sure") else threshold
    if sure < threshold:
        raise CertificateError(f"{given['sure'].path} is below the threshold")
    return Network(tables, bias, list(zip(weights, biases, strict=True)), threshold, sure)


def _matrix(table: Json, rows: int, columns: int) -> FloatArray:
    lines = [line.numbers(columns) for line in table.entries(rows)]
    return np.array(lines, dtype=np.float64).reshape(rows, columns)
