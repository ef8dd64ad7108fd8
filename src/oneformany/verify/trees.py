"""The trees of a file: sums of leaves in exact integers, read so that no way down meets itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import BoolArray, IntArray, Json, Limits

LEAF = -1
LARGEST_SCORE = 2**61
MOST_NODES = 10**7
STEPS = 10**8  # through trees, between two looks at the clock
MOST_SUMS = 2**32  # numbers that the leaves of all trees add for one row: seconds without a look at the clock


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees whose leaves are added up, in exact integers.

    A point goes left at a node when its level of the node's feature is marked, until it is at a leaf.
    """

    nodes: IntArray  # (n, 5) the feature, where its levels begin in ``goes_left``, both children, the units
    goes_left: BoolArray
    roots: IntArray
    intercept: int
    limits: Limits

    def reach(self, codes: IntArray, free: BoolArray) -> IntArray:
        """Add up the greatest leaves that each row of codes may end in."""
        sums = [sums for _, sums in self._leaves(codes, np.broadcast_to(free, codes.shape))]
        return self.intercept + np.concatenate([np.zeros(0, dtype=np.int64), *sums])

    def keys(self, codes: IntArray) -> list[bytes]:
        """Tell points apart by the leaves that they meet."""
        batches = self._leaves(codes, np.zeros(codes.shape, dtype=np.bool_))
        return [sha256(met.tobytes()).digest() for leaves, _ in batches for met in leaves]

    def add_leaves(
        self,
        own: IntArray,
        after: IntArray,
        counts: IntArray,
        child: IntArray,
        start: IntArray,
        most: int,
        sums: IntArray,
    ) -> bool:
        """Add up what changes of one row add to its score, as the kernel of this name says."""
        from oneformany.verify.kernels import add_leaves

        arrays = self.nodes, self.goes_left, self.roots
        return bool(
            add_leaves(own, after, counts, *arrays, child, start, most, self.deepest, MOST_SUMS, sums)
        )

    @cached_property
    def deepest(self) -> int:
        """The splits on the longest way down."""
        from oneformany.verify.kernels import deepest_leaf

        waiting = np.zeros((2, len(self.nodes) + 1), dtype=np.int64)
        return int(deepest_leaf(self.nodes, self.roots, *waiting))

    def _leaves(self, codes: IntArray, free: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Find the greatest leaf of each tree that rows of codes may end in, and the sum, some at a time."""
        from oneformany.verify.kernels import greatest_leaves

        waiting = np.zeros(len(self.nodes), dtype=np.int64)
        step = max(1, STEPS // (len(self.nodes) + 100 * len(self.roots)))  # no row meets a node twice
        for first in range(0, len(codes), step):
            self.limits.check()
            some, opened = (np.ascontiguousarray(each[first : first + step]) for each in (codes, free))
            yield greatest_leaves(some, opened, self.nodes, self.goes_left, self.roots, waiting)


def read_trees(given: Json, levels: tuple[int, ...], intercept: int) -> Trees:
    """Read an ensemble; nodes that are not trees are refused, such as circles and shared branches."""
    if given["levels"].integers(1, max(levels), len(levels)) != levels:
        raise CertificateError(f"{given['levels'].path} are not those of the problem")
    feature = given["feature"].array(LEAF, len(levels) - 1)
    count = len(feature)
    if not 0 < count <= MOST_NODES:
        raise CertificateError(f"{given['feature'].path} names {count} nodes, not 1 to {MOST_NODES}")
    children = given["children"].matrix(LEAF, count - 1, 2, count)
    units = given["units"].array(-LARGEST_SCORE, LARGEST_SCORE, count)
    roots = np.array(given["roots"].distinct(count - 1), dtype=np.int64)
    if max(len(roots), 1) * int(np.abs(units).max()) > LARGEST_SCORE:
        raise CertificateError(f"{given['units'].path} give sums beyond {LARGEST_SCORE}")
    # No node has two parents and no root has one, so no way down from a root meets itself.
    path, below = given["children"].path, children[feature != LEAF]
    if (below < 0).any():
        raise CertificateError(f"{path} lead from a split to no node")
    for node in np.flatnonzero(np.bincount(np.append(below.ravel(), roots), minlength=count) > 1)[:1]:
        raise CertificateError(
            f"{path} lead to node {node} from two sides or in a circle: these are not trees"
        )
    begin, goes_left = (_by_runs if "runs" in given else _by_levels)(given, feature, levels)
    nodes = np.column_stack([feature, begin, children, units])
    return Trees(nodes, goes_left, roots, intercept, given.limits)


def _by_levels(given: Json, feature: IntArray, levels: tuple[int, ...]) -> tuple[IntArray, BoolArray]:
    """Read which levels go left at each split: where its own begin in the marks, and the marks of all."""
    width = np.where(feature == LEAF, 0, np.array(levels)[feature])
    given.limits.hold(int(width.sum()) + 64 * len(feature), "the trees")
    begin = np.cumsum(width) - width
    marks = np.zeros(int(width.sum()), dtype=np.bool_)  # at marks[begin[node] + level]
    for node, listed in enumerate(given["left"].entries(len(feature))):
        marked = listed.array(0, max(levels) - 1)  # a level that the feature does not have decides nothing
        marks[begin[node] + marked[marked < width[node]]] = True
    return begin, marks


def _by_runs(given: Json, feature: IntArray, levels: tuple[int, ...]) -> tuple[IntArray, BoolArray]:
    """Read the same from runs of levels; splits of a feature with the same runs share their marks."""
    n_runs = len(given["runs"].values()) // 2
    starts = given["run_starts"].array(0, n_runs, len(feature) + 1)
    ends = given["runs"].array(0, max(levels), 2 * n_runs).reshape(-1, 2)
    if (np.diff(starts) < 0).any() or starts[0] or starts[-1] != n_runs:
        raise CertificateError(f"{given['run_starts'].path} are not where the runs of each node begin")
    splits, known, first = np.flatnonzero(feature != LEAF), dict[bytes, int](), list[int]()
    begin = np.zeros(len(feature), dtype=np.int64)
    size = 0
    for node in splits.tolist():
        key = feature[node].tobytes() + ends[starts[node] : starts[node + 1]].tobytes()
        if key not in known:
            known[key] = size
            first.append(node)
            size += levels[feature[node]]
        begin[node] = known[key]
    given.limits.hold(size + 64 * len(feature), "the trees")
    marks = np.zeros(size, dtype=np.bool_)
    for node in first:
        own = marks[begin[node] : begin[node] + levels[feature[node]]]
        for low, high in ends[starts[node] : starts[node + 1]].tolist():
            own[low:high] = True
    return begin, marks
