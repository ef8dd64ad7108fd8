"""Tree ensembles in exact integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import JsonObject, check_integers
from oneformany.verify.limits import Limits

__all__ = ["Trees", "read_trees"]

LEAF = -1
LARGEST_UNIT = 2**61
MOST_NODES = 10**7
FINEST_DIGITS = 18
BATCH = 2**18

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Trees:
    """A point goes left at a node when its level of the node's feature is marked, until it is at a leaf.

    Attributes
    ----------
    feature : (nodes,) integer array
        The feature each node reads, ``LEAF`` for leaves.
    starts, left : integer and boolean array
        Level ``v`` goes left at node ``k`` when ``left[starts[k] + v]``.
    children : (nodes, 2) integer array
        Left and right child.
    units : (nodes,) integer array
        What each leaf adds to the score.
    roots : integer array
        Where the trees begin.
    needed, sure : int
        What the units have to sum up to, to be possibly and to be surely positive.
    threshold : float
        The same with the intercept, on the scale of the classifier.
    limits : Limits
        Deep trees and many roots take time.
    """

    feature: IntArray
    starts: IntArray
    left: BoolArray
    children: IntArray
    units: IntArray
    roots: IntArray
    needed: int
    sure: int
    threshold: float
    limits: Limits

    def judge(self, codes: IntArray) -> tuple[BoolArray, BoolArray]:
        """Tell which rows of codes are surely, and which are possibly positive."""
        totals = np.zeros(len(codes), dtype=np.int64)
        step = max(1, BATCH // max(1, len(codes)))
        for first in range(0, len(self.roots), step):
            totals += self._units(codes, self.roots[first : first + step])
        return totals >= self.sure, totals >= self.needed

    def _units(self, codes: IntArray, roots: IntArray) -> IntArray:
        at = np.tile(roots, len(codes))
        row = np.repeat(np.arange(len(codes)), len(roots))
        inside = np.flatnonzero(self.feature[at] != LEAF)
        while inside.size:
            self.limits.check()
            here = at[inside]
            left = self.left[self.starts[here] + codes[row[inside], self.feature[here]]]
            at[inside] = self.children[here, np.where(left, 0, 1)]
            inside = inside[self.feature[at[inside]] != LEAF]
        self.limits.check()
        return np.asarray(self.units[at].reshape(len(codes), len(roots)).sum(axis=1))


def read_trees(fields: JsonObject, levels: tuple[int, ...], limits: Limits) -> Trees:
    """Read an ensemble; nodes that are not trees are refused, such as circles and shared branches."""
    names = ("digits", "levels", "feature", "left", "children", "units", "roots", "intercept", "threshold")
    fields.only("kind", *names, optional=("sure", "ties"))
    if fields.integers("levels", 1, max(levels), len(levels)) != levels:
        raise CertificateError(f"{fields.path('levels')} are not those of the problem")
    feature = np.array(fields.integers("feature", LEAF, len(levels) - 1), dtype=np.int64)
    count = len(feature)
    if not 0 < count <= MOST_NODES:
        raise CertificateError(f"{fields.path('feature')} names {count} nodes, not 1 to {MOST_NODES}")
    children = np.array(
        [
            check_integers(pair, f"{fields.path('children')}[{node}]", LEAF, count - 1, 2)
            for node, pair in enumerate(fields.entries("children", count))
        ],
        dtype=np.int64,
    )
    units = fields.integers("units", -LARGEST_UNIT, LARGEST_UNIT, count)
    roots = np.array(fields.distinct("roots", count - 1), dtype=np.int64)
    if max(len(roots), 1) * max(map(abs, units)) > LARGEST_UNIT:
        raise CertificateError(f"{fields.path('units')} give sums beyond {LARGEST_UNIT}")
    _check_structure(feature, children, roots, fields.path("children"))
    starts, left = _left(fields, feature, levels, limits)
    threshold = fields.integer("threshold", -LARGEST_UNIT, LARGEST_UNIT)
    sure = fields.integer("sure", threshold, LARGEST_UNIT) if "sure" in fields else threshold
    intercept = fields.integer("intercept", -LARGEST_UNIT, LARGEST_UNIT)
    return Trees(
        feature=feature,
        starts=starts,
        left=left,
        children=children,
        units=np.array(units, dtype=np.int64),
        roots=roots,
        needed=threshold - intercept,
        sure=sure - intercept,
        threshold=threshold / 10 ** fields.integer("digits", 0, FINEST_DIGITS),
        limits=limits,
    )


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


def _left(
    fields: JsonObject, feature: IntArray, levels: tuple[int, ...], limits: Limits
) -> tuple[IntArray, BoolArray]:
    width = np.where(feature == LEAF, 0, np.array(levels)[feature])
    limits.hold(int(width.sum()) + 64 * len(feature), "the trees")
    starts = np.cumsum(width) - width
    left = np.zeros(int(width.sum()), dtype=np.bool_)
    path, most = fields.path("left"), max(levels) - 1
    for node, listed in enumerate(fields.entries("left", len(feature))):
        chosen = check_integers(listed, f"{path}[{node}]", 0, most)
        for level in chosen:
            if level < width[node]:  # a level that the feature does not have decides nothing
                left[starts[node] + level] = True
    return starts, left
