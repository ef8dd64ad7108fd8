"""Tree ensembles as sets of leaves, and the compiled arithmetic on them.

For each feature and level, a bit set holds the leaves whose box allows that level. The leaves that a
partial assignment can still reach are then an intersection of bit sets. Leaves are numbered from the
largest value of their tree to the smallest, so the best of them is the lowest set bit.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import inner, lean, lowest, outer
from oneformany.oracles.trees.ensemble import LEAF, TreeEnsemble

WordArray: TypeAlias = NDArray[np.uint64]

WORD = 64
ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = ~ZERO


class LeafSets(NamedTuple):
    """The leaves of an ensemble as bits of 64-bit words; each tree begins a new word."""

    allowed: WordArray  # (p, max levels, words): leaves whose box contains a level
    first: IntArray  # (trees + 1,): first word of each tree, and the number of words
    units: IntArray  # (64 * words,): value of the leaf at each bit; falling within a tree


def leaf_sets(ensemble: TreeEnsemble) -> LeafSets:
    """Collect the leaves that each level of each feature allows."""
    blocks, values, counts = [], [], [0]
    for tree in ensemble.trees():
        leaves = np.flatnonzero(tree.feature == LEAF)
        leaves = leaves[np.argsort(-tree.value[leaves], kind="stable")]
        n_words = -(-len(leaves) // WORD)
        bits = np.zeros((len(ensemble.levels), ensemble.left.shape[1], n_words * WORD), dtype=np.bool_)
        bits[:, :, : len(leaves)] = np.moveaxis(tree.boxes(ensemble.levels)[leaves], 0, 2)
        blocks.append(np.packbits(bits, axis=2, bitorder="little").view("<u8"))
        values.append(np.zeros(n_words * WORD, dtype=np.int64))
        values[-1][: len(leaves)] = tree.value[leaves]
        counts.append(n_words)
    return LeafSets(np.concatenate(blocks, axis=2), np.cumsum(counts), np.concatenate(values))


@lean()
def totals(
    codes: IntArray,
    feature: IntArray,
    left: BoolArray,
    children: IntArray,
    units: IntArray,
    roots: IntArray,
    sums: IntArray,
) -> None:
    """Add to each sum the leaves that its row of codes falls into."""
    for row in range(len(codes)):
        for tree in range(len(roots)):
            node = roots[tree]
            while feature[node] >= 0:
                node = children[node, 0 if left[node, codes[row, feature[node]]] else 1]
            sums[row] += units[node]


@outer
def reachable(domain: BoolArray, allowed: WordArray) -> WordArray:
    """Leaves with a point inside the domain."""
    n_features, width, n_words = allowed.shape
    alive = np.full(n_words, ALL)
    union = np.empty(n_words, dtype=np.uint64)
    for feature in range(n_features):
        for w in range(n_words):
            union[w] = ZERO
        for level in range(width):
            if domain[feature, level]:
                for w in range(n_words):
                    union[w] |= allowed[feature, level, w]
        for w in range(n_words):
            alive[w] &= union[w]
    return alive


@lean()
def best_leaves(alive: WordArray, first: IntArray, origin: IntArray, units: IntArray) -> int:
    """Sum over trees of the best leaf alive, of which every tree has one.

    ``origin[w]`` is the word of the complete ensemble that word ``w`` of ``alive`` stands for.
    """
    total = 0
    for tree in range(len(first) - 1):
        w = first[tree]
        while alive[w] == ZERO:
            w += 1
        total += units[origin[w] * WORD + lowest(alive[w])]
    return total


@inner
def open_words(
    some: WordArray, first: IntArray, units: IntArray, words: IntArray, trees: IntArray
) -> tuple[int, int]:
    """Collect the words of trees with more than one leaf in a set; sum the leaves of the others."""
    settled, count = 0, 0
    for tree in range(len(first) - 1):
        begin = count
        several = False
        for w in range(first[tree], first[tree + 1]):
            if some[w] != ZERO:
                several = several or count > begin or some[w] & (some[w] - ONE) != ZERO
                words[count] = w
                trees[count] = tree
                count += 1
        if count > begin and not several:
            settled += units[words[begin] * WORD + lowest(some[words[begin]])]
            count = begin
    return settled, count
