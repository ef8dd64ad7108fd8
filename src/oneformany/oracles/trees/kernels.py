"""Tree ensembles as sets of leaves, and the compiled arithmetic on them.

For each feature and level, a bit set holds the leaves whose box allows that level. The leaves that a
partial assignment can still reach are then an intersection of bit sets. Leaves are numbered from the
largest value of their tree to the smallest, so the best of them is the lowest set bit.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import inner, lean, lowest, outer
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
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
def best_leaves(alive: WordArray, first: IntArray, units: IntArray) -> int:
    """Sum over trees of the best leaf alive, of which every tree has one."""
    total = 0
    for tree in range(len(first) - 1):
        w = first[tree]
        while alive[w] == ZERO:
            w += 1
        total += units[w * WORD + lowest(alive[w])]
    return total


@outer
def bound_total(
    domain: BoolArray,
    inside: IntArray,
    free: BoolArray,
    extra: int,
    best: IntArray,
    home: IntArray,
    least: int,
    sets: LeafSets,
    gains: FloatArray,
) -> float:
    """Bound the totals of a part by that of a point ``home``, which is returned, plus ``gains``, still zero.

    ``home`` begins as the anchor; where features are free it becomes what is nearest to ``best``. Those
    ``inside`` are the open features, with several levels.

    A leaf that is better than a tree's leaf at home needs some features to move; its gain is shared evenly
    among them, and a move gains the largest share of any leaf. Leaves that need more changes than there are
    do not count. Minus infinity: the best leaves of all trees stay below ``least``.
    """
    allowed, first, units = sets.allowed, sets.first, sets.units
    n_features, width, _ = allowed.shape
    for f in range(n_features):
        if free[f]:
            home[f] = best[f] if domain[f, best[f]] else np.argmax(domain[f])
    alive = reachable(domain, allowed)
    if best_leaves(alive, first, units) < least:
        return -np.inf
    total = 0
    shares = np.zeros((n_features, width), dtype=np.int64)
    needs, paid, share = np.zeros((3, WORD), dtype=np.int64)
    for tree in range(len(first) - 1):
        here, present = first[tree] - 1, ZERO
        while present == ZERO:
            here += 1
            present = alive[here]
            for f in inside:
                present &= allowed[f, home[f], here]
        value = units[here * WORD + lowest(present)]
        total += value
        for w in range(first[tree], here + 1):
            better = alive[w] if w < here else alive[w] & (present - ONE)
            for f in inside:
                rest = better & ~allowed[f, home[f], w]
                while rest != ZERO:
                    needs[lowest(rest)] += 1
                    paid[lowest(rest)] += not free[f]
                    rest &= rest - ONE
            rest = better
            while rest != ZERO:
                bit = lowest(rest)
                if paid[bit] > extra:
                    better ^= rest & (~rest + ONE)
                    alive[w] ^= rest & (~rest + ONE)
                share[bit] = -((value - units[w * WORD + bit]) // needs[bit])
                needs[bit] = paid[bit] = 0
                rest &= rest - ONE
            for f in inside:
                missing = better & ~allowed[f, home[f], w]
                for level in range(width if missing != ZERO else 0):
                    rest = missing & allowed[f, level, w]
                    while domain[f, level] and rest != ZERO:
                        shares[f, level] = max(shares[f, level], share[lowest(rest)])
                        rest &= rest - ONE
        gains += shares
        shares[:] = 0
    return float(total)


@inner
def _open_words(
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


@inner
def _best(
    one: WordArray, other: WordArray, words: IntArray, trees: IntArray, count: int, units: IntArray
) -> int:
    """Sum over trees of the best leaf that is in both sets; a tree without one counts nothing."""
    total = 0
    last = -1
    for a in range(count):
        both = one[a] & other[a]
        if both != ZERO and trees[a] != last:
            last = trees[a]
            total += units[words[a] * WORD + lowest(both)]
    return total


@outer
def judge_moves(
    values: IntArray,
    features: IntArray,
    goals: NDArray[np.int32],
    choices: IntArray,
    allowed: WordArray,
    first: IntArray,
    units: IntArray,
    least: int,
    sure: int,
    judged: NDArray[np.int8],
) -> None:
    """Judge every row after every choice; see :meth:`TreeOracle.judge_moves`.

    Only trees in which the targets make a difference to the row are looked at. For each feature the leaves
    are kept that the targets chosen so far allow; what their best ones cannot reach is not looked into.
    """
    k = len(features)
    n_words = allowed.shape[2]
    words, trees = np.empty(n_words, dtype=np.int64), np.empty(n_words, dtype=np.int64)
    some, union = np.empty(n_words, dtype=np.uint64), np.empty(n_words, dtype=np.uint64)
    alive = np.empty((k + 1, n_words), dtype=np.uint64)
    sets = np.empty((k, goals.shape[2], n_words), dtype=np.uint64)
    moved = np.zeros(allowed.shape[0], dtype=np.bool_)
    for feature in features:
        moved[feature] = True
    for i in range(len(values)):
        some[:] = ALL
        for feature in range(allowed.shape[0]):
            if not moved[feature]:
                some &= allowed[feature, values[i, feature]]
        for j in range(k):
            union[:] = ZERO
            for goal in goals[i, j]:
                if goal >= 0:
                    union |= allowed[features[j], goal]
            some &= union
        settled, count = _open_words(some, first, units, words, trees)
        for a in range(count):
            alive[0, a] = some[words[a]]
            for j in range(k):
                for cell in range(goals.shape[2]):
                    if goals[i, j, cell] >= 0:
                        sets[j, cell, a] = allowed[features[j], goals[i, j, cell], words[a]]
        total = settled + _best(alive[0], alive[0], words, trees, count, units)
        good = 0  # how many of the sets belong to the choice before
        dead = 0 if total < least else k + 1  # choices that begin like the one before so far are negative too
        for c in range(len(choices)):
            same = 0
            while c > 0 and same < k and choices[c, same] == choices[c - 1, same]:
                same += 1
            judged[i, c] = NEGATIVE
            if same >= dead:
                continue
            good, dead = min(good, same), k + 1
            for j in range(good, k):
                if goals[i, j, choices[c, j]] >= 0:
                    leaves = sets[j, choices[c, j]]
                    for a in range(count if j < k - 1 else 0):
                        alive[j + 1, a] = alive[j, a] & leaves[a]
                    total = settled + _best(alive[j], leaves, words, trees, count, units)
                    good = j + 1
                if goals[i, j, choices[c, j]] < 0 or total < least:
                    dead = j + 1
                    break
            if dead > k:
                judged[i, c] = POSITIVE if total >= sure else NEAR
