"""One neutral form for all tree ensembles: every split is a set of levels, every leaf an exact integer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.scored import finest_digits

LEAF = -1
LARGEST_UNITS = 2**50  # units up to this size survive the way through a float and back


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree as a reader sees it; its root is node 0.

    Attributes
    ----------
    feature : (nodes,) integer array
        The feature each node splits on, ``LEAF`` for leaves.
    left : (nodes, max levels) boolean array
        Levels that go to the left child.
    children : (nodes, 2) integer array
        Left and right child; ignored for leaves.
    value : (nodes,) array
        What each leaf adds to the score; ignored for other nodes.

    Examples
    --------
    >>> import numpy as np
    >>> leaf = Tree(np.array([-1]), np.ones((1, 2), dtype=bool), np.full((1, 2), -1), np.array([0.5]))
    >>> leaf.value.tolist()
    [0.5]
    """

    feature: IntArray
    left: BoolArray
    children: IntArray
    value: FloatArray

    def boxes(self, levels: Sequence[int]) -> BoolArray:
        """Levels of each feature with which a point can come to each node: ``(nodes, p, max levels)``."""
        exists = np.arange(self.left.shape[1]) < np.array(levels)[:, None]
        boxes = np.zeros((len(self.feature), *exists.shape), dtype=np.bool_)
        boxes[0] = exists
        nodes = np.zeros(1, dtype=np.int64)
        while len(nodes := nodes[self.feature[nodes] != LEAF]):
            for side in (0, 1):
                child = self.children[nodes, side]
                boxes[child] = boxes[nodes]
                boxes[child, self.feature[nodes]] &= self.left[nodes] == (side == 0)
            nodes = self.children[nodes].ravel()
        return boxes


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """A score that is an intercept plus one leaf per tree, in units of ``10**-digits``.

    Leaf values are rounded once to a decimal grid (``10**-12`` unless the scores are huge), so that
    sums are exact integers, independent of their order. Build it with :meth:`from_trees`.

    Attributes
    ----------
    levels : tuple of int
        Number of levels of each feature.
    feature, left, children : arrays
        The nodes of all trees, as in :class:`Tree`; children are indices in these arrays.
    units : (nodes,) integer array
        What each leaf adds to the score; 0 for other nodes.
    roots : (trees,) integer array
        The root of each tree, which is the first of its nodes.
    intercept : int
        Added to every score, in units.
    digits : int
        Decimal digits of the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from oneformany.oracles import Tree
    >>> left = np.array([[True, False], [True, True], [True, True]])
    >>> children = np.array([[1, 2], [-1, -1], [-1, -1]])
    >>> tree = Tree(np.array([0, -1, -1]), left, children, np.array([0, -1.0, 1.0]))
    >>> ensemble = TreeEnsemble.from_trees((2,), [tree])
    """

    levels: tuple[int, ...]
    feature: IntArray
    left: BoolArray
    children: IntArray
    units: IntArray
    roots: IntArray
    intercept: int
    digits: int

    def __post_init__(self) -> None:
        for array in self.nodes:
            array.flags.writeable = False

    @classmethod
    def from_trees(cls, levels: Sequence[int], trees: Sequence[Tree], intercept: float = 0.0) -> Self:
        """Join the trees, and put their leaf values on a grid."""
        if not trees:
            raise InputError("a tree ensemble needs at least one tree")
        if not np.isfinite(intercept):
            raise InputError(f"the intercept of the trees is {intercept}; it must be a finite number")
        for number, tree in enumerate(trees):
            for wrong in tree.value[(tree.feature == LEAF) & ~np.isfinite(tree.value)]:
                raise InputError(f"tree {number} has a leaf of value {wrong}; refit the model")
        feature = np.concatenate([tree.feature for tree in trees])
        leaf = feature == LEAF
        value = np.where(leaf, np.concatenate([tree.value for tree in trees]), 0.0)
        roots = np.cumsum([0, *(len(tree.feature) for tree in trees)])[:-1]
        own = [np.where(tree.feature[:, None] == LEAF, 0, tree.children) for tree in trees]
        largest = abs(intercept) + float(np.maximum.reduceat(np.abs(value), roots).sum())
        digits = finest_digits(largest, LARGEST_UNITS, "leaf values")
        return cls(
            levels=tuple(int(n) for n in levels),
            feature=feature,
            left=np.concatenate([tree.left for tree in trees]) & ~leaf[:, None],
            children=np.concatenate([nodes + root for nodes, root in zip(own, roots, strict=True)]),
            units=np.rint(value * 10**digits).astype(np.int64),
            roots=roots,
            intercept=round(intercept * 10**digits),
            digits=digits,
        )

    @property
    def nodes(self) -> tuple[IntArray, BoolArray, IntArray, IntArray, IntArray]:
        """The arrays that make up the trees: feature, left, children, units and roots."""
        return self.feature, self.left, self.children, self.units, self.roots

    def trees(self) -> list[Tree]:
        """Take the ensemble apart; leaf values are in units."""
        ends, values = [*self.roots[1:], len(self.feature)], self.units.astype(np.float64)
        return [
            Tree(self.feature[at], self.left[at], self.children[at] - at.start, values[at])
            for at in map(slice, self.roots, ends)
        ]

    def tables(self) -> IntArray | None:
        """Units per feature and level whose sum is the sum of all leaves, if no tree reads two features.

        Levels that do not exist get 0, trees without a split go to the first feature.
        """
        tables = np.zeros((len(self.levels), self.left.shape[1]), dtype=np.int64)
        for tree in self.trees():
            leaf = tree.feature == LEAF
            features = np.unique(tree.feature[~leaf])
            if len(features) > 1:
                return None
            feature = features[0] if len(features) else 0
            allowed = tree.boxes(self.levels)[leaf, feature]
            tables[feature] += allowed.T @ tree.value[leaf].astype(np.int64)
        return tables

    def to_dict(self) -> dict[str, Any]:
        """Plain data: nodes as lists, each split as the list of levels that come to it and go left."""
        left: list[list[int]] = []
        for tree in self.trees():
            come = tree.boxes(self.levels)[np.arange(len(tree.left)), tree.feature]
            node, level = np.nonzero(tree.left & come)
            ends = np.cumsum(np.bincount(node, minlength=len(tree.left))).tolist()
            listed = level.tolist()
            left += [listed[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        plain = {name: np.asarray(value).tolist() for name, value in vars(self).items()}
        return {**plain, "left": left}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        left = np.zeros((len(data["left"]), max(data["levels"])), dtype=np.bool_)
        for node, listed in enumerate(data["left"]):
            left[node, listed] = True
        children = np.array(data["children"], dtype=np.int64).reshape(-1, 2)
        feature, units, roots = (np.array(data[name], np.int64) for name in ("feature", "units", "roots"))
        intercept, digits = int(data["intercept"]), int(data["digits"])
        return cls(tuple(data["levels"]), feature, left, children, units, roots, intercept, digits)
