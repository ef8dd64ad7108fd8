"""Compiled searches for good columns: greedy, swaps, and what lies near a row.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.compiled import lean
from oneformany.engine.cover.incidence import Incidence

# literals would compile what they are given to a second time
ROOT, IN, OUT = np.int64(0), np.int64(1), np.int64(-1)


def greedy(incidence: Incidence, weights: FloatArray) -> IntArray:
    """Take the column of greatest new weight until none brings anything; return the columns in that order."""
    m = incidence.n_columns
    chosen, columns = np.zeros((2, m), np.int64)
    gains, keys = np.zeros((2, m))
    covered = np.zeros(incidence.n_rows, np.bool_)
    found = _greedy(*incidence.arrays, weights, gains, keys, columns, covered, chosen)
    return chosen[:found].copy()


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


@lean()
def _greedy(starts, rows, row_starts, row_columns, weights, gains, keys, columns, covered, chosen):
    """A heap holds old gains; a column is weighed again when it comes up.

    (The library's own heap would take seconds to compile.)
    """
    size = np.int64(0)
    for j in range(len(starts) - 1):
        for e in range(starts[j], starts[j + 1]):
            gains[j] += weights[rows[e]]
        if gains[j] > 0:
            keys[size] = -gains[j]
            columns[size] = j
            size += 1
    for i in range(size // 2 - 1, -1, -1):
        _sink(keys, columns, size, i)
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
    return found


def without_superfluous(incidence: Incidence, chosen: IntArray) -> IntArray:
    """Drop columns whose rows the others cover as well, smallest first."""
    starts, keep = incidence.starts, np.ones(len(chosen), np.bool_)
    order = np.argsort(starts[chosen + 1] - starts[chosen], kind="stable")
    _drop(starts, incidence.rows, np.zeros(incidence.n_rows, np.int64), chosen, order, keep)
    return np.asarray(chosen[keep])


@lean()
def _drop(starts, rows, times, chosen, order, keep):
    for index in range(len(chosen)):
        for e in range(starts[chosen[index]], starts[chosen[index] + 1]):
            times[rows[e]] += 1
    for turn in range(len(order)):
        j = chosen[order[turn]]
        needed = False
        for e in range(starts[j], starts[j + 1]):
            if times[rows[e]] == 1:
                needed = True
                break
        if not needed:
            keep[order[turn]] = False
            for e in range(starts[j], starts[j + 1]):
                times[rows[e]] -= 1


def neighbourhood(incidence: Incidence, inside: BoolArray, row: int, size: int) -> IntArray:
    """Indices in use near a row, nearest first: at most so many."""
    m, n = incidence.n_columns, incidence.n_rows
    near, queue = np.zeros(size, np.int64), np.zeros(n, np.int64)
    seen, looked = np.zeros(n, np.bool_), np.zeros(m, np.bool_)
    count = _near(*incidence.arrays, inside, row, near, queue, seen, looked)
    return near[:count]


@lean()
def _near(starts, rows, row_starts, row_columns, inside, row, near, queue, seen, looked):
    queue[0] = row
    seen[row] = True
    count, head, tail = 0, 0, 1
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
                if count == len(near):
                    return count
            for e in range(starts[j], starts[j + 1]):
                if not seen[rows[e]]:
                    seen[rows[e]] = True
                    queue[tail] = rows[e]
                    tail += 1
    return count


def swap_columns(incidence: Incidence, people: IntArray, chosen: IntArray) -> int:
    """Exchange each column in turn for the best one in its stead; return the number of exchanges.

    ``chosen`` is changed in place.
    """
    times, gains = np.zeros(incidence.n_rows, np.int64), np.zeros(incidence.n_columns, np.int64)
    return int(_swap(*incidence.arrays, people, chosen, times, gains))


@lean()
def _swap(starts, rows, row_starts, row_columns, people, chosen, times, gains):
    """``gains[j]`` is what column j would add to what is covered."""
    for j in range(len(gains)):
        for e in range(starts[j], starts[j + 1]):
            gains[j] += people[rows[e]]
    for index in range(len(chosen)):
        _move(starts, rows, row_starts, row_columns, people, times, gains, chosen[index], IN)
    swaps = 0
    for index in range(len(chosen)):
        old = chosen[index]
        _move(starts, rows, row_starts, row_columns, people, times, gains, old, OUT)
        best = old
        for j in range(len(gains)):
            if gains[j] > gains[best]:
                best = j
        if best != old:
            swaps += 1
        chosen[index] = best
        _move(starts, rows, row_starts, row_columns, people, times, gains, best, IN)
    return swaps


@lean(inner=True)
def _move(starts, rows, row_starts, row_columns, people, times, gains, j, by):
    """Take a column in (``by`` 1) or out (-1); gains change where no other one covers a row."""
    for e in range(starts[j], starts[j + 1]):
        i = rows[e]
        times[i] += by
        if 2 * times[i] == 1 + by:
            for f in range(row_starts[i], row_starts[i + 1]):
                gains[row_columns[f]] -= by * people[i]
