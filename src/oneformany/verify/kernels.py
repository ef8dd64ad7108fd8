"""Trees walked down by many rows, compiled: loaded only for files that hold trees."""

from numba import njit

from oneformany.verify.reading import BoolArray, IntArray


@njit(cache=True, no_cfunc_wrapper=True)
def add_leaves(
    codes: IntArray,
    free: BoolArray,
    nodes: IntArray,
    goes_left: BoolArray,
    roots: IntArray,
    waiting: IntArray,
    total: IntArray,
) -> None:
    """Add the greatest leaf of each tree that each row may end in; at splits of free features both ways.

    Of each node: the feature, where its levels begin in ``goes_left``, both children, and its units.
    """
    for row in range(len(codes)):
        for root in roots:
            best = -(2**62)
            waiting[0] = root
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
                best = max(best, nodes[node, 4])
            total[row] += best
