"""Tree ensembles in exact integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.json_value import Json
from oneformany.verify.limits import Limits

LEAF = -1
LARGEST_UNIT = 2**61
MOST_NODES = 10**7
BATCH = 2**18


@dataclass(frozen=True, eq=False)
class Trees:
    """A point goes left at a node when its level of the node's feature is marked, until it is at a leaf."""

    feature: IntArray  # (nodes,) what each node reads; LEAF: nothing
    starts: IntArray  # (nodes,) level v goes left at node k when left[starts[k] + v]
    left: BoolArray
    children: IntArray  # (nodes, 2) left and right
    units: IntArray  # (nodes,) what each leaf adds to the score
    roots: IntArray
    limits: Limits

    def scores(self, codes: IntArray) -> IntArray:
        """Add up the leaves of each row of codes."""
        totals = np.zeros(len(codes), dtype=np.int64)
        step = max(1, BATCH // max(1, len(codes)))
        for first in range(0, len(self.roots), step):
            totals += self._units(codes, self.roots[first : first + step])
        return totals

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


def read_trees(fields: Json, levels: tuple[int, ...], limits: Limits) -> Trees:
    """Read an ensemble; nodes that are not trees are refused, such as circles and shared branches."""
    parts = ("levels", "feature", "left", "children", "units", "roots")
    fields.only("kind", "digits", *parts, "intercept", "threshold", optional=("sure", "ties", "rejected"))
    if fields["levels"].integers(1, max(levels), len(levels)) != levels:
        raise CertificateError(f"{fields['levels'].path} are not those of the problem")
    feature = np.array(fields["feature"].integers(LEAF, len(levels) - 1), dtype=np.int64)
    count = len(feature)
    if not 0 < count <= MOST_NODES:
        raise CertificateError(f"{fields['feature'].path} names {count} nodes, not 1 to {MOST_NODES}")
    children = fields["children"].matrix(LEAF, count - 1, 2, count)
    units = fields["units"].integers(-LARGEST_UNIT, LARGEST_UNIT, count)
    roots = np.array(fields["roots"].distinct(count - 1), dtype=np.int64)
    if max(len(roots), 1) * max(map(abs, units)) > LARGEST_UNIT:
        raise CertificateError(f"{fields['units'].path} give sums beyond {LARGEST_UNIT}")
    _check_structure(feature, children, roots, fields["children"].path)
    starts, left = _left(fields["left"], feature, levels, limits)
    return Trees(feature, starts, left, children, np.array(units, dtype=np.int64), roots, limits)


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
    lists: Json, feature: IntArray, levels: tuple[int, ...], limits: Limits
) -> tuple[IntArray, BoolArray]:
    width = np.where(feature == LEAF, 0, np.array(levels)[feature])
    limits.hold(int(width.sum()) + 64 * len(feature), "the trees")
    starts = np.cumsum(width) - width
    left = np.zeros(int(width.sum()), dtype=np.bool_)
    for node, listed in enumerate(lists.entries(len(feature))):
        for level in listed.integers(0, max(levels) - 1):
            if level < width[node]:  # a level that the feature does not have decides nothing
                left[starts[node] + level] = True
    return starts, left
