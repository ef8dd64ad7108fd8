"""Compiled searches for good covers: greedy, and what lies near a row."""

from __future__ import annotations

import heapq

import numpy as np

from oneformany.compiled import outer

__all__ = ["greedy", "needed_columns", "neighbourhood"]


@outer
def greedy(starts, rows, row_starts, row_columns, weights, scores, most):
    """Take the column of greatest score times new weight, again and again; return the columns in that order.

    Ends after ``most`` columns, or when no column brings anything. A heap holds old gains; a column is
    weighed again when it comes up.
    """
    m = len(starts) - 1
    gains = np.zeros(m)
    heap = [(0.0, 0) for _ in range(0)]
    for j in range(m):
        for e in range(starts[j], starts[j + 1]):
            gains[j] += weights[rows[e]]
        if gains[j] > 0:
            heap.append((-gains[j] * scores[j], j))
    heapq.heapify(heap)
    covered = np.zeros(len(row_starts) - 1, dtype=np.bool_)
    chosen = [0 for _ in range(0)]
    while len(heap) > 0 and len(chosen) < most:
        top = heapq.heappop(heap)
        key = top[0]
        j = top[1]
        now = -gains[j] * scores[j]
        if gains[j] <= 1e-12:
            continue
        if now > key:
            heapq.heappush(heap, (now, j))
            continue
        chosen.append(j)
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            if not covered[i]:
                covered[i] = True
                for f in range(row_starts[i], row_starts[i + 1]):
                    gains[row_columns[f]] -= weights[i]
    found = np.zeros(len(chosen), dtype=np.int64)
    for index in range(len(chosen)):
        found[index] = chosen[index]
    return found


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
