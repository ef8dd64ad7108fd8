"""Compiled moves of the local search for covers: one column out, one column in.

``table`` is an incidence: starts and rows, row starts and row columns. ``columns`` holds, per column, its
score (the weight of the bare rows it has; in use, less the weight of the rows that only it has), its
position in the list of columns in use, the step at which it moved last, and at which it was last taken out
(-1: never); then the columns in use, and those of the best cover. ``state`` holds, per row, how many
columns in use have it, which (all of them by exclusive or: the owner where it is one), its weight, the step
at which one of its columns moved last, the list of bare rows, and where a bare row stands there. Arrays are
unpacked before loops: reaching into tuples inside is slow.
"""

from __future__ import annotations

import numpy as np

from oneformany.compiled import lean

# indices into the scalars of a search
BARE, SIZE, BEST, STEP, TABU, RANDOM = range(6)
# literals would compile what they are given to a second time
IN, OUT, NONE = np.int64(1), np.int64(-1), np.int64(-1)


@lean(inner=True)
def _change(table, score, state, sc, j, by):
    """Take column ``j`` into use (``by`` 1) or out of use (-1); keep scores and the list of bare rows."""
    starts, rows, row_starts, row_columns = table
    times, owner, weight, touched, bare, where = state
    before = score[j]
    for e in range(starts[j], starts[j + 1]):
        row = rows[e]
        touched[row] = sc[STEP]
        times[row] += by
        owner[row] ^= j
        covered = times[row]
        if by == 1 and covered == 2:
            score[owner[row] ^ j] += weight[row]
        elif by == -1 and covered == 1:
            score[owner[row]] -= weight[row]
        if covered > 1 or (by == -1 and covered == 1):
            continue
        if by == 1:
            sc[BARE] -= 1
            last = bare[sc[BARE]]
            bare[where[row]] = last
            where[last] = where[row]
        else:
            bare[sc[BARE]] = row
            where[row] = sc[BARE]
            sc[BARE] += 1
        change = by * weight[row]
        for f in range(row_starts[row], row_starts[row + 1]):
            score[row_columns[f]] -= change
    score[j] = -before


@lean(inner=True)
def _take_out(table, columns, state, sc, tabu):
    """Take the column that is needed least out of use."""
    score, position, moved, out, chosen, _ = columns
    found = NONE
    for i in range(sc[SIZE]):
        j = chosen[i]
        if j == tabu:
            continue
        if found < 0 or score[j] > score[found] or (score[j] == score[found] and moved[j] < moved[found]):
            found = j
    if found < 0:
        return
    _change(table, score, state, sc, found, OUT)
    moved[found] = sc[STEP]
    out[found] = sc[STEP]
    sc[SIZE] -= 1
    last = chosen[sc[SIZE]]
    chosen[position[found]] = last
    position[last] = position[found]


@lean(inner=True)
def _take_in(table, columns, state, sc, row, random):
    """Take in the best column of a row around which something has moved since it was taken out."""
    starts, rows, row_starts, row_columns = table
    score, position, moved, out, chosen, _ = columns
    touched = state[3]
    found = np.int64(-1)
    for f in range(row_starts[row], row_starts[row + 1]):
        j = np.int64(row_columns[f])
        worse = found >= 0 and score[j] < score[found]
        if worse or (found >= 0 and score[j] == score[found] and moved[j] >= moved[found]):
            continue
        changed = out[j] < 0
        e = starts[j]
        while not changed and e < starts[j + 1]:
            changed = touched[rows[e]] > out[j]
            e += 1
        if changed:
            found = j
    if found < 0:
        count = np.uint64(row_starts[row + 1] - row_starts[row])
        found = np.int64(row_columns[row_starts[row] + np.int64((random >> np.uint64(20)) % count)])
    _change(table, score, state, sc, found, IN)
    moved[found] = sc[STEP]
    chosen[sc[SIZE]] = found
    position[found] = sc[SIZE]
    sc[SIZE] += 1
    sc[TABU] = found


@lean()
def walk(table, columns, state, sc, goal, steps):
    """Take so many steps, or stop at a cover by ``goal`` columns."""
    row_starts, row_columns = table[2], table[3]
    score, chosen, best = columns[0], columns[4], columns[5]
    weight, bare = state[2], state[4]
    for _ in range(steps):
        sc[STEP] += 1
        while sc[BARE] == 0:
            if sc[SIZE] < sc[BEST]:
                sc[BEST] = sc[SIZE]
                for i in range(sc[SIZE]):
                    best[i] = chosen[i]
            if sc[BEST] <= goal:
                return
            _take_out(table, columns, state, sc, NONE)
        _take_out(table, columns, state, sc, sc[TABU])
        x = np.uint64(sc[RANDOM])
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        sc[RANDOM] = np.int64(x)
        _take_in(table, columns, state, sc, bare[np.int64(x % np.uint64(sc[BARE]))], x)
        for i in range(sc[BARE]):
            row = bare[i]
            weight[row] += 1
            for f in range(row_starts[row], row_starts[row + 1]):
                score[row_columns[f]] += 1
