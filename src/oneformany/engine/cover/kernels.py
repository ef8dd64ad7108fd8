"""Compiled passes over a table of columns: primal-dual steps, feasible duals, violated cuts, local search.

Python makes the arrays: a kernel that does so itself takes twice as long to compile. A ``table`` holds the
arrays of an :class:`~oneformany.engine.cover.incidence.Incidence`.

In the local search one column goes out, one comes in. There ``columns`` holds, per column, its score (the
weight of the bare rows it has; in use, less the weight of the rows that only it has), its position in the
list of columns in use, the step at which it moved last, and at which it was last taken out (-1: never); then
the columns in use, and those of the best cover. ``state`` holds, per row, how many columns in use have it,
which (all of them by exclusive or: the owner where it is one), its weight, the step at which one of its
columns moved last, the list of bare rows, and where a bare row stands there. Arrays are unpacked before
loops: reaching into tuples inside is slow.
"""

import numpy as np

from oneformany.compiled import lean

# indices into the scalars of a search
BARE, SIZE, BEST, STEP, TABU, RANDOM = range(6)
# literals would compile what they are given to a second time
IN, OUT, NONE = np.int64(1), np.int64(-1), np.int64(-1)


@lean(inner=True)
def _weigh(starts, rows, duals, loads):
    """Add up the duals of each column."""
    for j in range(len(loads)):
        load = 0.0
        for e in range(starts[j], starts[j + 1]):
            load += duals[rows[e]]
        loads[j] = load


@lean()
def primal_dual_steps(table, worth, limits, multipliers, balance, values, duals, sums, work, steps):
    """Take steps towards the optimum of a covering program.

    The program is ``min sum price x + sum dear worth s`` with ``A x + s >= 1``, and the ``multipliers`` are
    the price of a column and how dear it is to leave a row uncovered. Where the sum of ``x``, or that of
    ``worth s``, has a limit of at least 0, the multiplier is found that keeps it. Every column and row has a
    step length of its own, one over its size (Pock and Chambolle, 2011), and ``balance`` weighs the two
    sides. ``values`` and ``duals`` are moved in place, ``sums`` collect both; ``work`` is room.
    """
    starts, rows, row_starts, row_columns = table
    value_sum, dual_sum = sums
    moved, lengths, wished, widths = work
    for j in range(len(values)):
        lengths[j] = balance / max(1, starts[j + 1] - starts[j])
    for i in range(len(duals)):
        widths[i] = balance * (row_starts[i + 1] - row_starts[i]) * worth[i] * worth[i]
    for _ in range(steps):
        _weigh(starts, rows, duals, moved)
        for j in range(len(values)):
            moved[j] += values[j] / lengths[j]
        if limits[0] >= 0:
            multipliers[0] = _level(moved, lengths, limits[0], multipliers[0])
        for j in range(len(values)):
            new = lengths[j] * max(0.0, moved[j] - multipliers[0])
            moved[j] = 2.0 * new - values[j]
            values[j] = new
            value_sum[j] += new
        for i in range(len(duals)):
            degree = row_starts[i + 1] - row_starts[i]
            if degree == 0:
                continue
            cover = 0.0
            for e in range(row_starts[i], row_starts[i + 1]):
                cover += moved[row_columns[e]]
            duals[i] = max(0.0, duals[i] + (1.0 - cover) / (balance * degree))
            if limits[1] >= 0:
                wished[i] = duals[i] / worth[i]
        if limits[1] >= 0:
            multipliers[1] = _level(wished, widths, limits[1], multipliers[1])
        for i in range(len(duals)):
            if row_starts[i] < row_starts[i + 1]:
                duals[i] = min(duals[i], multipliers[1] * worth[i])
            dual_sum[i] += duals[i]


@lean(inner=True)
def _level(heights, widths, limit, level):
    """Find where so much stands out: the sum of ``width * max(0, height - level)``, by Newton steps."""
    for _ in range(50):
        total = 0.0
        width = 0.0
        for j in range(len(heights)):
            if heights[j] > level:
                total += widths[j] * (heights[j] - level)
                width += widths[j]
        if width == 0.0 and level == 0.0:
            break
        if width == 0.0:  # above all; from below, these steps on a convex function never go too far
            level = 0.0
            continue
        step = (total - limit) / width
        level += step
        if abs(step) <= 1e-9 * max(1.0, abs(level)):
            break
    return max(level, 0.0)


@lean()
def make_feasible(table, upper, capacity, duals, worst, loads):
    """Divide each dual by the worst excess among its columns: that is enough for all of them at once.

    Then raise them where there is room; ``worst`` begins with ones.
    """
    starts, rows, row_starts, row_columns = table
    _weigh(starts, rows, duals, loads)
    for j in range(len(loads)):
        for e in range(starts[j], starts[j + 1]):
            worst[rows[e]] = max(worst[rows[e]], loads[j] / capacity)
    for i in range(len(duals)):
        duals[i] /= worst[i]
    _weigh(starts, rows, duals, loads)
    for i in range(len(duals)):
        if row_starts[i + 1] == row_starts[i]:
            duals[i] = upper[i]
            continue
        room = upper[i] - duals[i]
        for e in range(row_starts[i], row_starts[i + 1]):
            room = min(room, capacity - loads[row_columns[e]])
        if room > 0.0:
            duals[i] += room
            for e in range(row_starts[i], row_starts[i + 1]):
                loads[row_columns[e]] += room


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


@lean(inner=True)
def _change(table, score, state, sc, j, by):
    """Take column ``j`` into use (``IN``) or out of use (``OUT``); keep scores and the list of bare rows."""
    starts, rows, row_starts, row_columns = table
    times, owner, weight, touched, bare, where = state
    before = score[j]
    for e in range(starts[j], starts[j + 1]):
        row = rows[e]
        others = times[row] - (by == OUT)
        touched[row] = sc[STEP]
        times[row] += by
        owner[row] ^= j
        if others == 1:
            other = owner[row] if by == OUT else owner[row] ^ j
            score[other] += by * weight[row]
        if others > 0:
            continue
        if by == IN:
            sc[BARE] -= 1
            last = bare[sc[BARE]]
            bare[where[row]] = last
            where[last] = where[row]
        else:
            bare[sc[BARE]] = row
            where[row] = sc[BARE]
            sc[BARE] += 1
        for f in range(row_starts[row], row_starts[row + 1]):
            score[row_columns[f]] -= by * weight[row]
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
