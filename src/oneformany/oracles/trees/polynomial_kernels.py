"""The compiled arithmetic of a row's polynomial: numbers of moves, pairs and triples, then all sums."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import inner, lowest, outer
from oneformany.oracles.actions import MOVES
from oneformany.oracles.dense_kernels import sum_up
from oneformany.oracles.trees.kernels import ONE, WORD, ZERO, WordArray


@inner
def _open_leaves(sat, open_features, most, met, alive):
    """Leaves whose unmet conditions are at most so many, all of open features; those with none unmet."""
    for w in range(sat.shape[1]):
        one, two, three, four, dead = ZERO, ZERO, ZERO, ZERO, ZERO
        for f in range(len(sat)):
            unmet = ~sat[f, w]
            if not open_features[f]:
                dead |= unmet
            else:
                four |= three & unmet
                three |= two & unmet
                two |= one & unmet
                one |= unmet
        dead |= one if most == 0 else two if most == 1 else three if most == 2 else four
        alive[w] = ~dead
        met[w] = ~(dead | one)


@inner
def _changes(leaf, sat, starts, features, slot_allowed, range_of, may, feature_unmet, counts, changing):
    """The features of a leaf's path that moves can change: how many, and how many of them are not met.

    Their changing slots go into ``changing``. Minus one: a condition that is not met cannot be.
    """
    w, bit = leaf // WORD, ONE << np.uint64(leaf % WORD)
    found = unmet = 0
    for at in range(starts[leaf], starts[leaf + 1]):
        f = features[at]
        met = sat[f, w] & bit
        count = 0
        for slot in range(range_of[f, 0], range_of[f, 1]):
            if may[slot] == MOVES and (slot_allowed[slot, w] & bit) != met:
                changing[found, count] = slot
                count += 1
        if count:
            feature_unmet[found] = met == ZERO
            unmet += met == ZERO
            counts[found] = count
            found += 1
        elif met == ZERO:
            return 0, -1
    return found, unmet


@inner
def add_leaf(value, found, unmet, most, feature_unmet, counts, changing, single, pair, triple, steps):
    """Add a leaf to the numbers of all sets of moves that change it."""
    first, second, after = steps
    for a in range(found):
        lack_a = unmet - feature_unmet[a]
        if lack_a > most - 1:
            continue
        one = value if feature_unmet[a] else -value
        if lack_a == 0:
            for i in range(counts[a]):
                single[changing[a, i]] += one
        for b in range(a + 1, found if most > 1 else 0):
            lack_b = lack_a - feature_unmet[b]
            if lack_b > most - 2:
                continue
            two = one if feature_unmet[b] else -one
            if lack_b == 0:
                for i in range(counts[a]):
                    for j in range(counts[b]):
                        pair[changing[a, i], changing[b, j]] += two
            for c in range(b + 1, found if most > 2 else 0):
                if lack_b != feature_unmet[c]:
                    continue
                three = two if feature_unmet[c] else -two
                for i in range(counts[a]):
                    for j in range(counts[b]):
                        slot = changing[b, j]
                        begin = first[changing[a, i]] - second[slot] - after[slot]
                        for k in range(counts[c]):
                            triple[begin + changing[c, k]] += three


@inner
def reserve(slots, p, may, start, most):
    """Room for the numbers of moves, pairs and triples, all zero, and where they stand.

    Of features: where their slots begin and end, from ``start`` on, whether some move can be made, and the
    most slots that one has. Of slots i, j, k the triple is at ``first[i] - second[j] - after[j] + k``.
    """
    owner, after, ways = slots
    n, widest = len(owner), 1
    range_of = np.zeros((p, 2), dtype=np.int64)
    open_features = np.zeros(p, dtype=np.bool_)
    for slot in range(start, n):
        f = owner[slot]
        if range_of[f, 1] == 0:
            range_of[f, 0] = slot
        range_of[f, 1] = slot + 1
        open_features[f] |= may[slot] == MOVES
        widest = max(widest, slot + 1 - range_of[f, 0])
    single = np.zeros(n, dtype=np.int64)
    pair = np.zeros((n, n), dtype=np.int64)
    triple = np.zeros(ways[3, start] if most > 2 else 0, dtype=np.int64)
    first, second = np.zeros((2, n), dtype=np.int64)
    if most > 2:
        for slot in range(start, n):
            first[slot] = ways[3, start] - ways[3, slot] + ways[2, after[slot]]
            second[slot] = ways[2, slot]
    return range_of, open_features, widest, single, pair, triple, (first, second, after)


@outer
def judge_row(
    values: IntArray,
    may: NDArray[np.int8],
    start: int,
    most: int,
    slots: tuple[IntArray, IntArray, IntArray],
    allowed: WordArray,
    paths: tuple[IntArray, IntArray, WordArray, IntArray],
    needed: tuple[int, int],
    judged: NDArray[np.int8],
) -> None:
    """Judge all actions of at most ``most`` slots, up to three, from a slot on; smaller ones come first."""
    starts, features, slot_allowed, units = paths
    p, n_words = allowed.shape[0], allowed.shape[2]
    sat = np.empty((p, n_words), dtype=np.uint64)
    range_of, open_features, widest, single, pair, triple, steps = reserve(slots, p, may, start, most)
    for f in range(p):
        sat[f] = allowed[f, values[f]]
    met, alive = np.empty((2, n_words), dtype=np.uint64)
    _open_leaves(sat, open_features, most, met, alive)
    feature_unmet, counts = np.zeros((2, p), dtype=np.int64)
    changing = np.empty((p, widest), dtype=np.int64)
    base = 0
    for w in range(n_words):
        rest = alive[w]
        while rest != ZERO:
            bit = lowest(rest)
            leaf = w * WORD + bit
            rest &= rest - ONE
            value = units[leaf]
            if value == 0:
                continue
            if (met[w] >> np.uint64(bit)) & ONE:
                base += value
            found, unmet = _changes(
                leaf, sat, starts, features, slot_allowed, range_of, may, feature_unmet, counts, changing
            )
            if unmet >= 0:
                add_leaf(
                    *(value, found, unmet, most, feature_unmet, counts, changing),
                    *(single, pair, triple, steps),
                )
    sum_up(base, may, start, most, slots[1], single, pair, triple, needed, judged)
