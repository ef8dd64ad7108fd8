"""Compiled moves of the local search for covers: one column out, one column in."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import inner, outer

__all__ = ["BEST", "walk"]

# indices into the scalars of a search
BARE, SIZE, BEST, STEP, TABU, RANDOM = range(6)


@inner
def _move(starts, rows, row_starts, row_columns, score, times, owner, weight, touched, bare, where, sc, j, by):
    """Take column ``j`` into use (``by`` 1) or out of use (-1); keep scores and the list of bare rows."""
    before = score[j]
    for e in range(starts[j], starts[j + 1]):
        row = rows[e]
        touched[row] = sc[STEP]
        times[row] += by
        owner[row] ^= j
        if by == 1 and times[row] == 1:
            sc[BARE] -= 1
            last = bare[sc[BARE]]
            bare[where[row]] = last
            where[last] = where[row]
        elif times[row] == 0:
            bare[sc[BARE]] = row
            where[row] = sc[BARE]
            sc[BARE] += 1
        elif by == 1 and times[row] == 2:
            score[owner[row] ^ j] += weight[row]
            continue
        else:
            if times[row] == 1:
                score[owner[row]] -= weight[row]
            continue
        change = -by * weight[row]
        for f in range(row_starts[row], row_starts[row + 1]):
            score[row_columns[f]] += change
    score[j] = -before


@inner
def _least_needed(score, moved, chosen, size, tabu):
    found = -1
    for i in range(size):
        j = chosen[i]
        if j == tabu:
            continue
        if found < 0 or score[j] > score[found] or (score[j] == score[found] and moved[j] < moved[found]):
            found = j
    return found


@inner
def _most_wanted(starts, rows, row_starts, row_columns, score, moved, out, touched, row):
    """The best column for a row among those around which something has moved since they were taken out."""
    found = -1
    for f in range(row_starts[row], row_starts[row + 1]):
        j = row_columns[f]
        if found >= 0 and (score[j] < score[found] or (score[j] == score[found] and moved[j] >= moved[found])):
            continue
        changed = out[j] < 0
        e = starts[j]
        while not changed and e < starts[j + 1]:
            changed = touched[rows[e]] > out[j]
            e += 1
        if changed:
            found = j
    return found


@outer
def walk(
    starts,
    rows,
    row_starts,
    row_columns,
    score,
    position,
    moved,
    out,
    chosen,
    best,
    times,
    owner,
    weight,
    touched,
    bare,
    where,
    sc,
    goal,
    steps,
):
    """Take so many steps, or stop at a cover by ``goal`` columns.

    Per column: ``score``, the weight of the bare rows it has, or, in use, less the weight of the rows that
    only it has; ``position`` in ``chosen``, which begins with the ``sc[SIZE]`` columns in use; the step at
    which it ``moved`` last, and at which it was last taken ``out``, -1: never. ``best`` begins with the
    ``sc[BEST]`` columns of the best cover. Per row: how many ``times`` it is covered, by which columns (all
    of them by exclusive or, so the ``owner`` where it is one), its ``weight``, the step at which one of its
    columns moved (``touched``), and ``where`` it stands in ``bare``, which begins with the rows that no
    column in use has.
    """
    for _ in range(steps):
        sc[STEP] += 1
        tabu = sc[TABU]
        while True:
            if sc[BARE] == 0:
                if sc[SIZE] < sc[BEST]:
                    sc[BEST] = sc[SIZE]
                    best[: sc[SIZE]] = chosen[: sc[SIZE]]
                if sc[BEST] <= goal:
                    return
                tabu = -1
            full = sc[BARE] == 0
            j = _least_needed(score, moved, chosen, sc[SIZE], tabu)
            if j >= 0:
                _move(starts, rows, row_starts, row_columns, score, times, owner, weight, touched, bare, where, sc, j, -1)  # noqa: E501
                moved[j] = sc[STEP]
                out[j] = sc[STEP]
                sc[SIZE] -= 1
                last = chosen[sc[SIZE]]
                chosen[position[j]] = last
                position[last] = position[j]
            tabu = sc[TABU]
            if not full and sc[BARE] > 0:
                break
        x = np.uint64(sc[RANDOM])
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        sc[RANDOM] = np.int64(x)
        row = bare[np.int64(x % np.uint64(sc[BARE]))]
        j = _most_wanted(starts, rows, row_starts, row_columns, score, moved, out, touched, row)
        if j < 0:
            some = (x >> np.uint64(20)) % np.uint64(row_starts[row + 1] - row_starts[row])
            j = row_columns[row_starts[row] + np.int64(some)]
        _move(starts, rows, row_starts, row_columns, score, times, owner, weight, touched, bare, where, sc, j, 1)
        moved[j] = sc[STEP]
        chosen[sc[SIZE]] = j
        position[j] = sc[SIZE]
        sc[SIZE] += 1
        sc[TABU] = j
        for i in range(sc[BARE]):
            row = bare[i]
            weight[row] += 1
            for f in range(row_starts[row], row_starts[row + 1]):
                score[row_columns[f]] += 1
