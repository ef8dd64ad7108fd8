"""Many moves of many rows at once: sums of leaves that are kept from one choice of targets to the next."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE
from oneformany.oracles.trees.kernels import ALL, WORD, ZERO, WordArray, lowest

__all__ = ["judge_moves"]


@njit(cache=True, no_cpython_wrapper=True)
def _best(one: WordArray, other: WordArray, first: IntArray, units: IntArray) -> int:
    """Sum over trees of the best leaf that is in both sets; a tree without one counts nothing."""
    total = 0
    for tree in range(len(first) - 1):
        for w in range(first[tree], first[tree + 1]):
            both = one[w] & other[w]
            if both != ZERO:
                total += units[w * WORD + lowest(both)]
                break
    return total


@njit(cache=True, nogil=True)
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

    For each feature the leaves are kept that the targets chosen so far allow. What the best leaves cannot
    reach is not looked into: with ``rest[j]``, those that any targets of the features from j on allow.
    """
    k = len(features)
    n_words = allowed.shape[2]
    alive = np.empty((k + 1, n_words), dtype=np.uint64)
    rest = np.empty((k + 1, n_words), dtype=np.uint64)
    union = np.empty(n_words, dtype=np.uint64)
    moved = np.zeros(allowed.shape[0], dtype=np.bool_)
    for feature in features:
        moved[feature] = True
    for i in range(len(values)):
        for w in range(n_words):
            alive[0, w] = ALL
            rest[k, w] = ALL
        for feature in range(allowed.shape[0]):
            if not moved[feature]:
                for w in range(n_words):
                    alive[0, w] &= allowed[feature, values[i, feature], w]
        for j in range(k - 1, -1, -1):
            for w in range(n_words):
                union[w] = ZERO
            for goal in goals[i, j]:
                if goal >= 0:
                    for w in range(n_words):
                        union[w] |= allowed[features[j], goal, w]
            for w in range(n_words):
                rest[j, w] = rest[j + 1, w] & union[w]
        good = 0  # levels whose sets belong to the choice before
        dead = 0 if _best(alive[0], rest[0], first, units) < least else k + 1  # from this level on
        for c in range(len(choices)):
            if dead == 0:
                judged[i, c] = NEGATIVE
                continue
            same = 0
            if c > 0:
                while same < k and choices[c, same] == choices[c - 1, same]:
                    same += 1
            if same >= dead:
                judged[i, c] = NEGATIVE
                continue
            good = min(good, same)
            dead = k + 1
            total = 0
            for j in range(good, k):
                goal = goals[i, j, choices[c, j]]
                if goal < 0:
                    dead = j + 1
                    break
                for w in range(n_words):
                    alive[j + 1, w] = alive[j, w] & allowed[features[j], goal, w]
                total = _best(alive[j + 1], rest[j + 1], first, units)
                good = j + 1
                if total < least:
                    dead = j + 1
                    break
            if good == k and same == k:
                total = _best(alive[k], rest[k], first, units)
            if dead <= k:
                judged[i, c] = NEGATIVE
            elif total >= sure:
                judged[i, c] = POSITIVE
            else:
                judged[i, c] = NEAR if total >= least else NEGATIVE
