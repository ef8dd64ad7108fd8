"""Trees walked down by many rows, compiled: loaded only for files that hold trees."""

import numpy as np
from numba import njit

from oneformany.verify.reading import BoolArray, IntArray


@njit(cache=True, no_cfunc_wrapper=True)
def greatest_leaves(
    codes: IntArray,
    free: BoolArray,
    nodes: IntArray,
    goes_left: BoolArray,
    roots: IntArray,
    waiting: IntArray,
) -> tuple[IntArray, IntArray]:
    """Find the greatest leaf of each tree that each row may end in, and their sum.

    At splits of free features rows go both ways. Of each node: the feature, where its levels begin in
    ``goes_left``, both children, and its units.
    """
    found, total = np.empty((len(codes), len(roots)), dtype=np.int64), np.zeros(len(codes), dtype=np.int64)
    for row in range(len(codes)):
        for tree in range(len(roots)):
            best = -1
            waiting[0] = roots[tree]
            left = 1
            while left > 0:
                left -= 1
                node = waiting[left]
                while nodes[node, 0] >= 0:
                    feature, start = nodes[node, 0], nodes[node, 1]
                    side = 2 if goes_left[start + codes[row, feature]] else 3
                    if free[row, feature]:
                        waiting[left] = nodes[node, 5 - side]
                        left += 1
                    node = nodes[node, side]
                if best < 0 or nodes[node, 4] > nodes[best, 4]:
                    best = node
            found[row, tree] = best
            total[row] += nodes[best, 4]
    return found, total
