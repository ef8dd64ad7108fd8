"""Fitted trees of any size as trees whose splits are runs of levels."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.oracles.trees.ensemble import LEAF
from oneformany.oracles.trees.runs import Runs, RunTrees, Splits
from oneformany.readers.trees.forest import Forest, Grown
from oneformany.schema.encoding import Encoding

ENTRIES_AT_ONCE = 1 << 24  # sets times levels that are looked at together: 16 MB


def run_trees(forest: Forest, encoding: Encoding, sign: int, intercept: float = 0.0) -> RunTrees:
    """Put trees on levels; each leaf is taken times ``sign``."""
    trees = forest.trees
    sizes = np.array([len(tree.column) for tree in trees], dtype=np.int64)
    roots = np.cumsum(sizes) - sizes
    column = np.concatenate([tree.column for tree in trees]).astype(np.int64)
    children = np.concatenate([tree.children + root for tree, root in zip(trees, roots, strict=True)])
    owner, inputs = _inputs(encoding)
    feature = np.where(column == LEAF, LEAF, owner[np.where(column == LEAF, 0, column)])
    number, found = np.zeros(len(column), dtype=np.int64), list[Runs]()
    count = 0
    for name in np.unique(column[column != LEAF]).tolist():
        nodes = np.flatnonzero(column == name)
        seen = inputs[name].astype(np.float32) if forest.single else inputs[name]
        which, sets = _sets(forest, seen, trees, nodes, roots)
        number[nodes] = count + which
        count += len(sets.rest)
        found.append(sets)
    runs = Runs.joined(found) if found else Runs.of(np.zeros((0, 1), dtype=np.bool_))
    value = sign * np.concatenate([tree.value for tree in trees])
    splits = Splits(feature, number, children.astype(np.int64), runs)
    return RunTrees.grown(encoding.levels, splits, value, roots, intercept)


def _inputs(encoding: Encoding) -> tuple[IntArray, list[FloatArray]]:
    """The feature that fills each input of the model, and what each of its levels puts there."""
    owner = np.zeros(encoding.width, dtype=np.int64)
    inputs = [np.full(encoding.levels[0], constant) for constant in encoding.constants]
    for feature, (columns, block) in enumerate(zip(encoding.columns, encoding.values, strict=True)):
        owner[columns] = feature
        for index, name in enumerate(columns.tolist()):
            inputs[name] = block[:, index]
    return owner, inputs


def _sets(
    forest: Forest, seen: NDArray[np.floating], trees: Sequence[Grown], nodes: IntArray, roots: IntArray
) -> tuple[IntArray, Runs]:
    """The levels that go left at some splits of one input: the number of each split's set, and the sets.

    Splits between the same neighbours are one set.
    """
    of = np.searchsorted(roots, nodes, side="right") - 1
    inside = nodes - roots[of]
    threshold, missing = np.empty(len(nodes)), np.empty(len(nodes), dtype=np.bool_)
    listed: dict[int, Sequence[int]] = {}
    for tree in np.unique(of).tolist():
        some = np.flatnonzero(of == tree)
        threshold[some] = trees[tree].threshold[inside[some]]
        missing[some] = np.asarray(trees[tree].missing_left)[inside[some]]
        categories: Mapping[int, Sequence[int]] = trees[tree].categories
        if categories:
            both = zip(some.tolist(), inside[some].tolist(), strict=True)
            listed |= {at: categories[node] for at, node in both if node in categories}
    gaps = np.isnan(seen)
    values, rank = np.unique(seen, return_inverse=True)
    rank = rank.ravel()
    cuts = values[~np.isnan(values)].astype(np.float64)
    below = np.searchsorted(cuts, threshold, side="left" if forest.strict else "right")
    keys = 2 * below + (missing & gaps.any())
    special = np.array(list(listed), dtype=np.int64)
    keys[special] = -1 - np.arange(len(special))
    distinct, which = np.unique(keys, return_inverse=True)
    step = max(1, ENTRIES_AT_ONCE // len(seen))
    parts = []
    for begin in range(0, len(distinct), step):
        some = distinct[begin : begin + step]
        left: BoolArray = rank < (some // 2)[:, None]
        left[:, gaps] = (some % 2 == 1)[:, None]
        for at in np.flatnonzero(some < 0).tolist():
            split = int(special[-1 - some[at]])
            left[at] = np.isin(np.trunc(seen), listed[split]) == forest.listed_left
            left[at, gaps] = missing[split]
        parts.append(Runs.of(left))
    return which.ravel(), Runs.joined(parts)
