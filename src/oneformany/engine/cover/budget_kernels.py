"""Compiled swaps for the best use of a budget of columns."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import inner, outer

__all__ = ["swap_columns"]


@outer
def swap_columns(starts, rows, row_starts, row_columns, people, chosen):
    """Exchange each column in turn for the best one in its stead; return the number of exchanges.

    ``chosen`` is changed in place. ``gains[j]`` is what column j would add to what is covered.
    """
    m = len(starts) - 1
    n = len(row_starts) - 1
    times = np.zeros(n, dtype=np.int64)
    gains = np.zeros(m, dtype=np.int64)
    for j in range(m):
        for e in range(starts[j], starts[j + 1]):
            gains[j] += people[rows[e]]
    for index in range(len(chosen)):
        _enter(starts, rows, row_starts, row_columns, people, times, gains, chosen[index])
    swaps = 0
    for index in range(len(chosen)):
        old = chosen[index]
        _leave(starts, rows, row_starts, row_columns, people, times, gains, old)
        best = old
        for j in range(m):
            if gains[j] > gains[best]:
                best = j
        if best != old:
            swaps += 1
        chosen[index] = best
        _enter(starts, rows, row_starts, row_columns, people, times, gains, best)
    return swaps


@inner
def _enter(starts, rows, row_starts, row_columns, people, times, gains, j):
    for e in range(starts[j], starts[j + 1]):
        i = rows[e]
        times[i] += 1
        if times[i] == 1:
            for f in range(row_starts[i], row_starts[i + 1]):
                gains[row_columns[f]] -= people[i]


@inner
def _leave(starts, rows, row_starts, row_columns, people, times, gains, j):
    for e in range(starts[j], starts[j + 1]):
        i = rows[e]
        times[i] -= 1
        if times[i] == 0:
            for f in range(row_starts[i], row_starts[i + 1]):
                gains[row_columns[f]] += people[i]
