"""Many moves of many rows at once: sets of leaves that are kept from one choice of targets to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import inner, lowest, outer
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.oracles.trees.kernels import ALL, WORD, ZERO, WordArray, open_words


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
    are kept that the targets chosen so far allow. What the best leaves cannot reach is not looked into: with
    ``rest[j]``, those that any targets of the features from j on allow.
    """
    k = len(features)
    n_words = allowed.shape[2]
    n_cells = goals.shape[2]
    some = np.empty(n_words, dtype=np.uint64)
    union = np.empty(n_words, dtype=np.uint64)
    words = np.empty(n_words, dtype=np.int64)
    trees = np.empty(n_words, dtype=np.int64)
    alive = np.empty((k + 1, n_words), dtype=np.uint64)
    rest = np.empty((k + 1, n_words), dtype=np.uint64)
    sets = np.empty((k, n_cells, n_words), dtype=np.uint64)
    moved = np.zeros(allowed.shape[0], dtype=np.bool_)
    for feature in features:
        moved[feature] = True
    for i in range(len(values)):
        for w in range(n_words):
            some[w] = ALL
        for feature in range(allowed.shape[0]):
            if not moved[feature]:
                for w in range(n_words):
                    some[w] &= allowed[feature, values[i, feature], w]
        for j in range(k):
            for w in range(n_words):
                union[w] = ZERO
            for goal in goals[i, j]:
                if goal >= 0:
                    for w in range(n_words):
                        union[w] |= allowed[features[j], goal, w]
            for w in range(n_words):
                some[w] &= union[w]
        settled, count = open_words(some, first, units, words, trees)
        for a in range(count):
            alive[0, a] = some[words[a]]
            rest[k, a] = ALL
        if settled + _best(alive[0], rest[k], words, trees, count, units) < least:
            for c in range(len(choices)):
                judged[i, c] = NEGATIVE
            continue
        for j in range(k - 1, -1, -1):
            for a in range(count):
                union[a] = ZERO
            for cell in range(n_cells):
                if goals[i, j, cell] >= 0:
                    for a in range(count):
                        sets[j, cell, a] = allowed[features[j], goals[i, j, cell], words[a]]
                        union[a] |= sets[j, cell, a]
            for a in range(count):
                rest[j, a] = rest[j + 1, a] & union[a]
        good = 0  # levels whose sets belong to the choice before
        dead = k + 1  # choices that share so many targets with the one before are negative as well
        for c in range(len(choices)):
            same = 0
            if c > 0:
                while same < k and choices[c, same] == choices[c - 1, same]:
                    same += 1
                if same >= dead:
                    judged[i, c] = NEGATIVE
                    continue
            good = min(good, same)
            dead = k + 1
            total = settled
            for j in range(good, k):
                cell = choices[c, j]
                if goals[i, j, cell] < 0:
                    dead = j + 1
                    break
                if j == k - 1:
                    total = settled + _best(alive[j], sets[j, cell], words, trees, count, units)
                    break
                for a in range(count):
                    alive[j + 1, a] = alive[j, a] & sets[j, cell, a]
                good = j + 1
                if settled + _best(alive[j + 1], rest[j + 1], words, trees, count, units) < least:
                    dead = j + 1
                    break
            if k == 0:
                total = settled + _best(alive[0], rest[0], words, trees, count, units)
            if dead <= k:
                judged[i, c] = NEGATIVE
            elif total >= sure:
                judged[i, c] = POSITIVE
            else:
                judged[i, c] = NEAR if total >= least else NEGATIVE
