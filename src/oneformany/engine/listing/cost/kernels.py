"""Compiled loops over what moves gain and cost.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.compiled import lean
from oneformany.engine.listing.ground import FORBIDDEN

MOST = np.iinfo(np.int64).max


@lean(inner=True)
def accepts(gain, deficit, offsets, features, target, i):
    """Whether a row that goes to the targets gains what it lacks."""
    total = 0
    for j in range(len(features)):
        got = gain[i, offsets[features[j]] + target[j]]
        if got == FORBIDDEN:
            return False
        total += got
    return total >= deficit[i]


@lean()
def entry_costs(price, offsets, features, starts, rows, targets, costs):
    """Add what each row of each group pays for going to the group's targets."""
    for g in range(len(starts) - 1):
        for index in range(starts[g], starts[g + 1]):
            for j in range(len(features)):
                costs[index] += price[rows[index], offsets[features[j]] + targets[g, j]]


@lean(inner=True)
def _affordable_targets(gain, price, offset, n_cells, members, n_members, weight, simple, goals, burdens):
    """Write the targets of one feature that all members may go to, cheapest first, and what all of them pay.

    With ``simple`` the members agree on which target is better, and only better ones may cost more.
    Returns how many there are.
    """
    for t in range(n_cells):
        burdens[t] = 0
    for m in range(n_members):
        i = members[m]
        for t in range(n_cells):
            if not simple and gain[i, offset + t] == FORBIDDEN:
                burdens[t] = FORBIDDEN
            elif burdens[t] != FORBIDDEN:
                burdens[t] += weight[i] * price[i, offset + t]
    count = 0
    for t in range(n_cells):
        burden = burdens[t]
        if burden == FORBIDDEN:
            continue
        index = count
        while index > 0 and burdens[index - 1] > burden:
            goals[index] = goals[index - 1]
            burdens[index] = burdens[index - 1]
            index -= 1
        goals[index] = t
        burdens[index] = burden
        count += 1
    if not simple:
        return count
    kept = 0
    for index in range(count):
        if kept == 0 or gain[members[0], offset + goals[index]] > gain[members[0], offset + goals[kept - 1]]:
            goals[kept] = goals[index]
            burdens[kept] = burdens[index]
            kept += 1
    return kept


@lean(inner=True)
def cheapen(tables, features, members, n_members, weight, simple, target, room):
    """Replace a target by the cheapest that the same rows accept, if there is a cheaper one.

    Of the room to work in, the first lines belong to the caller.
    """
    gain, price, deficit, offsets = tables
    _, wide, lines = room
    k = len(features)
    goals, burdens = wide[1], wide[2]
    counts, rest, trial, digit, paid = lines[3], lines[4], lines[5], lines[6], lines[7]
    rest[k] = 0
    for j in range(k):
        f = features[j]
        n_cells = offsets[f + 1] - offsets[f]
        counts[j] = _affordable_targets(
            gain, price, offsets[f], n_cells, members, n_members, weight, simple, goals[j], burdens[j]
        )
    for j in range(k - 1, -1, -1):
        rest[j] = rest[j + 1] + burdens[j, 0]
    paid[0] = 0
    digit[0] = 0
    best = MOST
    j = 0
    while j >= 0:
        if j == k:
            every = True
            for m in range(n_members):
                if not accepts(gain, deficit, offsets, features, trial, members[m]):
                    every = False
                    break
                if simple:
                    break
            if every:
                best = paid[k]
                for e in range(k):
                    target[e] = trial[e]
            j -= 1
        elif digit[j] < counts[j] and paid[j] + burdens[j, digit[j]] + rest[j + 1] < best:
            trial[j] = goals[j, digit[j]]
            paid[j + 1] = paid[j] + burdens[j, digit[j]]
            digit[j] += 1
            j += 1
            if j < k:
                digit[j] = 0
        else:
            j -= 1


@lean(inner=True)
def _cheapest(tables, potential, features, budget, i, target, reach, lines):
    """Cheapest way of one row to gain what it lacks by at most ``budget`` moves; -1 when there is none.

    Depth first over ``features``: each goes to a cell or stays. Writes the cells, -1 where it stays.
    """
    gain, price, deficit, offsets = tables
    p = len(features)
    ranked, cell, gained, paid, left = lines[0], lines[1], lines[2], lines[3], lines[4]
    for d in range(p):
        index = d
        while index > 0 and potential[i, ranked[index - 1]] < potential[i, features[d]]:
            ranked[index] = ranked[index - 1]
            index -= 1
        ranked[index] = features[d]
    for d in range(p - 1, -1, -1):
        for moves in range(1, budget + 1):
            reach[d, moves] = max(reach[d + 1, moves], reach[d + 1, moves - 1] + potential[i, ranked[d]])
    if reach[0, budget] < deficit[i]:
        return -1
    best = -1
    for d in range(p + 1):
        cell[d] = -1
    gained[0] = 0
    paid[0] = 0
    left[0] = budget
    d = 0
    while d >= 0:
        hopeless = gained[d] + reach[d, left[d]] < deficit[i] or (best >= 0 and paid[d] >= best)
        if hopeless or d == p or (cell[d] < 0 and gained[d] >= deficit[i]):
            if not hopeless:
                best = paid[d]
                for e in range(p):
                    f = ranked[e]
                    target[f] = -1
                    if e < d and cell[e] - 1 < offsets[f + 1] - offsets[f]:
                        target[f] = cell[e] - 1
            cell[d] = -1
            d -= 1
            continue
        f = ranked[d]
        n_cells = offsets[f + 1] - offsets[f]
        t = max(cell[d], 0)
        while t < n_cells and (
            left[d] == 0
            or gain[i, offsets[f] + t] == FORBIDDEN
            or gain[i, offsets[f] + t] <= 0
            or (best >= 0 and paid[d] + price[i, offsets[f] + t] >= best)
        ):
            t += 1
        if t < n_cells:
            gained[d + 1] = gained[d] + gain[i, offsets[f] + t]
            paid[d + 1] = paid[d] + price[i, offsets[f] + t]
            left[d + 1] = left[d] - 1
            cell[d] = t + 1
            d += 1
        elif t == n_cells and cell[d] <= n_cells:
            gained[d + 1] = gained[d]
            paid[d + 1] = paid[d]
            left[d + 1] = left[d]
            cell[d] = n_cells + 1
            d += 1
        else:
            cell[d] = -1
            d -= 1
    return best


@lean()
def cheapest_each(tables, potential, features, budget, members, targets, reach, lines, costs):
    """Write the cost of the cheapest way of each member by itself, -1 where there is none, and its cells.

    ``reach`` and ``lines`` are room to work in: a line of the first, and an entry of each line of the
    second, per feature and one more; the last line of ``reach`` is 0.
    """
    for m in range(len(members)):
        costs[m] = _cheapest(tables, potential, features, budget, members[m], targets[m], reach, lines)
