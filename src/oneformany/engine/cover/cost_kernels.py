"""Compiled passes over a table with costs: rows by cost level, and the bound that prices give."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import outer

__all__ = ["cheapest", "column_savings", "level_columns"]


@outer
def column_savings(starts, rows, costs, people, prices, scale):
    """What each column saves against the prices: sum of ``people * max(0, price - scale * cost)``."""
    savings = np.zeros(len(starts) - 1, dtype=np.int64)
    for j in range(len(savings)):
        total = 0
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            gain = prices[i] - scale * costs[e]
            if gain > 0:
                total += people[i] * gain
        savings[j] = total
    return savings


@outer
def cheapest(starts, rows, costs, chosen, n_rows):
    """For each row the cheapest of the chosen columns (its index in ``chosen``, -1: none) and its cost."""
    owner = np.full(n_rows, -1, dtype=np.int64)
    least = np.zeros(n_rows, dtype=np.int64)
    for index in range(len(chosen)):
        j = chosen[index]
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            if owner[i] < 0 or costs[e] < least[i]:
                owner[i] = index
                least[i] = costs[e]
    return owner, least


@outer
def level_columns(starts, rows, entry_levels, first, n_levels):
    """The same columns over pairs of row and level: a column has all levels from its cost on."""
    m = len(starts) - 1
    new_starts = np.zeros(m + 1, dtype=np.int64)
    for j in range(m):
        size = 0
        for e in range(starts[j], starts[j + 1]):
            size += n_levels[rows[e]] - entry_levels[e]
        new_starts[j + 1] = new_starts[j] + size
    new_rows = np.zeros(new_starts[m], dtype=np.int32)
    at = 0
    for j in range(m):
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            for level in range(entry_levels[e], n_levels[i]):
                new_rows[at] = first[i] + level
                at += 1
    return new_starts, new_rows
