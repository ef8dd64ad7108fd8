"""Compiled: from what is said of each action to what is said of each set of features."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import outer
from oneformany.oracles.protocol import NEAR, NEGATIVE, POSITIVE


@outer
def best_of_sets(judged: NDArray[np.int8], set_of: NDArray[np.int32], best: NDArray[np.int8]) -> None:
    """Keep the best that is said of any action of each set: positive, then near, then negative."""
    for action in range(len(judged)):
        said = judged[action]
        if said == POSITIVE or (said == NEAR and best[set_of[action]] == NEGATIVE):
            best[set_of[action]] = said


@outer
def cheapest_of_sets(
    judged: NDArray[np.int8],
    set_of: NDArray[np.int32],
    costs: IntArray,
    order: tuple[IntArray, IntArray],
    least: IntArray,
) -> None:
    """Keep the least that an action of each set costs which is not judged negative.

    Actions come in their order: few slots first, then by the first slot and so on.
    """
    after, begins = order
    n, most = len(costs), len(begins) - 2
    slot, paid = np.zeros((2, most + 1), dtype=np.int64)
    if judged[0] != NEGATIVE:
        least[set_of[0]] = 0
    for size in range(1, most + 1):
        at, depth = begins[size], 0
        slot[0] = 0
        while depth >= 0:
            first, spent = slot[depth], paid[depth]
            if depth == size - 1:
                for last in range(first, n):
                    if judged[at] != NEGATIVE:
                        least[set_of[at]] = min(least[set_of[at]], spent + costs[last])
                    at += 1
                depth -= 1
            elif first >= n:
                depth -= 1
            else:
                slot[depth] += 1
                depth += 1
                paid[depth], slot[depth] = spent + costs[first], after[first]
