"""Compiled search for violated cuts on three items."""

from __future__ import annotations

from oneformany.compiled import lean


@lean()
def violated_triples(inside, values, least, shared, triples, lacks):
    """Write down triples of items that a relaxation covers by more than ``least`` too little, and how much.

    ``inside[item, column]`` stands over the columns of positive value. What covers two or three items of a
    triple counts once: the sum over the items, less that over the pairs, plus twice that over all three.
    ``shared`` is room for the sums over pairs, and over single items, zero at first. Returns how many triples
    were found, at most as many as there is room for.
    """
    n, m = inside.shape
    for i in range(n):
        for c in range(m):
            if inside[i, c]:
                for j in range(i, n):
                    if inside[j, c]:
                        shared[i, j] += values[c]
    found = 0
    for i in range(n - 2):
        for j in range(i + 1, n - 1):
            base = 2.0 - shared[i, i] - shared[j, j] + shared[i, j]
            for k in range(j + 1, n):
                lack = base - shared[k, k] + shared[i, k] + shared[j, k]
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
                    if found == len(lacks):
                        return found
    return found
