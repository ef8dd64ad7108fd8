"""Compiled separation of cuts on three items."""

from __future__ import annotations

from numba import njit

__all__ = ["violated_triples"]


@njit(cache=True, nogil=True)
def violated_triples(inside, values, cover, shared, least, triples, lacks):
    """Write triples of items that a relaxation covers by less than 2 - ``least``; return how many.

    ``inside[item, column]`` over the columns of positive value, ``cover`` how often each item is covered,
    ``shared`` how much of both is covered by the same columns. Stops when ``triples`` is full.
    """
    n = inside.shape[0]
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                pairs = shared[i, j] + shared[i, k] + shared[j, k]
                lack = 2.0 - cover[i] - cover[j] - cover[k] + pairs
                if lack <= least:
                    continue
                for c in range(inside.shape[1]):
                    if inside[i, c] and inside[j, c] and inside[k, c]:
                        lack -= 2.0 * values[c]
                if lack > least:
                    triples[count, 0] = i
                    triples[count, 1] = j
                    triples[count, 2] = k
                    lacks[count] = lack
                    count += 1
                    if count == len(lacks):
                        return count
    return count
