"""Compiled searches for good columns: greedy, swaps, and what lies near a row."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import inner, lean, outer

__all__ = ["greedy", "needed_columns", "neighbourhood", "swap_columns"]

ROOT = np.int64(0)  # a literal would compile what it is given to a second time


@lean(inner=True)
def _sink(keys, columns, size, i):
    """Restore a heap whose entry ``i`` may be too large; of equal keys the first column leads."""
    while 2 * i + 1 < size:
        c = 2 * i + 1
        d = c + 1
        if d < size and (keys[d] < keys[c] or (keys[d] == keys[c] and columns[d] < columns[c])):
            c = d
        if keys[i] < keys[c] or (keys[i] == keys[c] and columns[i] < columns[c]):
            return
        key, column = keys[i], columns[i]
        keys[i], columns[i] = keys[c], columns[c]
        keys[c], columns[c] = key, column
        i = c


@outer
def greedy(starts, rows, row_starts, row_columns, weights):
    """Take the column of greatest new weight until none brings anything; return the columns in that order.

    A heap holds old gains; a column is weighed again when it comes up. (The library's own heap would take
    seconds to compile.)
    """
    m = len(starts) - 1
    gains = np.zeros(m)
    keys = np.zeros(m)
    columns = np.zeros(m, dtype=np.int64)
    size = 0
    for j in range(m):
        for e in range(starts[j], starts[j + 1]):
            gains[j] += weights[rows[e]]
        if gains[j] > 0:
            keys[size] = -gains[j]
            columns[size] = j
            size += 1
    for i in range(size // 2 - 1, -1, -1):
        _sink(keys, columns, size, i)
    covered = np.zeros(len(row_starts) - 1, dtype=np.bool_)
    chosen = np.zeros(m, dtype=np.int64)
    found = 0
    while size > 0:
        j = columns[0]
        if gains[j] > 1e-12 and -gains[j] > keys[0]:
            keys[0] = -gains[j]
            _sink(keys, columns, size, ROOT)
            continue
        size -= 1
        keys[0] = keys[size]
        columns[0] = columns[size]
        _sink(keys, columns, size, ROOT)
        if gains[j] <= 1e-12:
            continue
        chosen[found] = j
        found += 1
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            if not covered[i]:
                covered[i] = True
                for f in range(row_starts[i], row_starts[i + 1]):
                    gains[row_columns[f]] -= weights[i]
    return chosen[:found].copy()


@outer
def needed_columns(starts, rows, n_rows, chosen, order):
    """Drop columns whose rows the others cover as well, in this order; return which are left."""
    times = np.zeros(n_rows, dtype=np.int64)
    for j in chosen:
        for e in range(starts[j], starts[j + 1]):
            times[rows[e]] += 1
    keep = np.ones(len(chosen), dtype=np.bool_)
    for index in order:
        j = chosen[index]
        needed = False
        for e in range(starts[j], starts[j + 1]):
            if times[rows[e]] == 1:
                needed = True
                break
        if not needed:
            keep[index] = False
            for e in range(starts[j], starts[j + 1]):
                times[rows[e]] -= 1
    return keep


@outer
def neighbourhood(starts, rows, row_starts, row_columns, inside, row, size):
    """Columns in use near a row, nearest first: at most so many."""
    n = len(row_starts) - 1
    near = np.zeros(size, dtype=np.int64)
    count = 0
    seen = np.zeros(n, dtype=np.bool_)
    looked = np.zeros(len(starts) - 1, dtype=np.bool_)
    queue = np.zeros(n, dtype=np.int64)
    queue[0] = row
    seen[row] = True
    head = 0
    tail = 1
    while head < tail:
        i = queue[head]
        head += 1
        for f in range(row_starts[i], row_starts[i + 1]):
            j = row_columns[f]
            if looked[j]:
                continue
            looked[j] = True
            if inside[j]:
                near[count] = j
                count += 1
                if count == size:
                    return near
            for e in range(starts[j], starts[j + 1]):
                if not seen[rows[e]]:
                    seen[rows[e]] = True
                    queue[tail] = rows[e]
                    tail += 1
    return near[:count]


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
