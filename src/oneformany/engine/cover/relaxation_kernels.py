"""Compiled search for violated cuts on three items."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import outer

__all__ = ["violated_triples"]


@outer
def violated_triples(inside, values, least, most):
    """Triples of items that a relaxation covers by more than ``least`` too little, and by how much.

    ``inside[item, column]`` stands over the columns of positive value. What covers two or three items of a
    triple counts once: the sum over the items, less that over the pairs, plus twice that over all three.
    """
    n, m = inside.shape
    cover = np.zeros(n)
    shared = np.zeros((n, n))
    for i in range(n):
        for c in range(m):
            if inside[i, c]:
                cover[i] += values[c]
                for j in range(i + 1, n):
                    if inside[j, c]:
                        shared[i, j] += values[c]
                        shared[j, i] += values[c]
    triples = np.zeros((most, 3), dtype=np.int64)
    lacks = np.zeros(most)
    found = 0
    for i in range(n - 2):
        for j in range(i + 1, n - 1):
            base = 2.0 - cover[i] - cover[j] + shared[i, j]
            for k in range(j + 1, n):
                lack = base - cover[k] + shared[i, k] + shared[j, k]
                if lack <= least:
                    continue
                for c in range(m):
                    if inside[i, c] and inside[j, c] and inside[k, c]:
                        lack -= 2.0 * values[c]
                if lack > least:
                    triples[found, 0] = i
                    triples[found, 1] = j
                    triples[found, 2] = k
                    lacks[found] = lack
                    found += 1
                    if found == most:
                        return triples, lacks
    return triples[:found], lacks[:found]
