"""Compiled loops of a listing: buckets of rows, who joins which targets, at which cost.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.compiled import lean
from oneformany.engine.listing.ground import FORBIDDEN

MOST = np.iinfo(np.int64).max


@lean(inner=True)
def _gain(tables, i, f, t):
    """What a row gains by going to a cell of a feature."""
    begin, own, units, home = tables[0], tables[1], tables[2], tables[7]
    if t == home[i, f]:
        return 0
    goal = units[begin[i, f] + t]
    return goal if goal == FORBIDDEN else goal - own[i, f]


@lean(inner=True)
def _price(tables, i, f, t):
    """What a row pays for going to a cell of a feature."""
    begin, price, home = tables[0], tables[3], tables[7]
    return 0 if t == home[i, f] else price[begin[i, f] + t]


@lean(inner=True)
def _accepts(tables, features, target, i):
    """Whether a row that goes to the targets gains what it lacks."""
    total = 0
    for j in range(len(features)):
        got = _gain(tables, i, features[j], target[j])
        if got == FORBIDDEN:
            return False
        total += got
    return total >= tables[4][i]


@lean()
def candidates(tables, f, members, n_members, costed, alive):
    """Leave only those targets of a feature that no other one makes superfluous for the first members."""
    for a in range(len(alive)):
        for b in range(len(alive)):
            if b == a or not alive[a] or not alive[b]:
                continue
            better = True
            for m in range(n_members):
                i = members[m]
                mine, other = _gain(tables, i, f, a), _gain(tables, i, f, b)
                if mine == FORBIDDEN:
                    continue
                if other < mine or (costed and _price(tables, i, f, b) > _price(tables, i, f, a)):
                    better = False
                    break
            alive[a] = not better


@lean()
def entry_costs(tables, features, starts, rows, targets, costs):
    """Add what each row of each group pays for going to the group's targets."""
    for g in range(len(starts) - 1):
        for index in range(starts[g], starts[g + 1]):
            for j in range(len(features)):
                costs[index] += _price(tables, rows[index], features[j], targets[g, j])


@lean(inner=True)
def _affordable_targets(tables, f, n_cells, members, n_members, weight, goals, burdens):
    """Write the targets of a feature that all members may go to, cheapest first, and what all of them pay.

    Returns how many there are.
    """
    for t in range(n_cells):
        burdens[t] = 0
    for m in range(n_members):
        i = members[m]
        for t in range(n_cells):
            if _gain(tables, i, f, t) == FORBIDDEN:
                burdens[t] = FORBIDDEN
            elif burdens[t] != FORBIDDEN:
                burdens[t] += weight[i] * _price(tables, i, f, t)
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
    return count


@lean(inner=True)
def _cheapen(tables, features, members, n_members, weight, target, room):
    """Replace a target by the cheapest that the same rows accept, if there is a cheaper one.

    Of the room to work in, the first lines belong to the caller.
    """
    deficit, offsets, potential = tables[4], tables[5], tables[6]
    wide, lines = room[1], room[2]
    k = len(features)
    goals, burdens = wide[1], wide[2]
    counts, rest, trial, digit, paid, lack = lines[3], lines[4], lines[5], lines[6], lines[7], lines[8]
    first = members[0]  # what it cannot accept, not all do
    rest[k] = 0
    lack[0] = deficit[first]
    for j in range(k):
        f = features[j]
        n_cells = offsets[f + 1] - offsets[f]
        counts[j] = _affordable_targets(tables, f, n_cells, members, n_members, weight, goals[j], burdens[j])
    for j in range(k - 1, -1, -1):
        rest[j] = rest[j + 1] + burdens[j, 0]
        lack[0] -= potential[first, features[j]]
    paid[0] = 0
    digit[0] = 0
    best = MOST
    j = 0
    while j >= 0:
        if j == k:
            every = True
            for m in range(n_members):
                if not _accepts(tables, features, trial, members[m]):
                    every = False
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
            f = features[j]
            lack[j + 1] = lack[j] + potential[first, f] - _gain(tables, first, f, trial[j])
            if lack[j + 1] <= 0:
                j += 1
                if j < k:
                    digit[j] = 0
        else:
            j -= 1


@lean()
def groups_by_gains(tables, weight, features, buckets, slots, least, costed, room, state, found):
    """Write groups of ``least`` or more rows of buckets, for one feature set.

    Targets are at ``slots``. With ``costed`` every one that is cheaper for some row is tried, otherwise only
    what helps coverage; then a group takes the cheapest targets that all its rows accept. ``room`` is there
    to work in. ``state`` holds the next bucket and the number of groups. Returns whether this was all:
    otherwise empty what was found and call again.
    """
    deficit, offsets, potential = tables[4], tables[5], tables[6]
    order, bounds = buckets
    marks, wide, lines, members, lacks = room
    able, near, joined = members[0], members[1], members[2]
    starts, rows, targets = found
    k = len(features)
    choice = wide[0]
    counts, digit, target = lines[0], lines[1], lines[2]
    last = k - 1
    n_near = n_groups = np.int64(0)
    for b in range(state[0], len(bounds) - 1):
        n_able = np.int64(0)
        for index in range(bounds[b], bounds[b + 1]):
            i = order[index]
            total = 0
            for j in range(k):
                total += potential[i, features[j]]
            if total >= deficit[i]:
                able[n_able] = i
                n_able += 1
        if n_able < least:
            continue
        for j in range(k):
            f = features[j]
            alive = marks[: offsets[f + 1] - offsets[f]]
            for t in range(len(alive)):
                alive[t] = slots[offsets[f] + t]
            candidates(tables, f, able, n_able, costed, alive)
            counts[j] = 0
            for t in range(len(alive)):
                if alive[t]:
                    choice[j, counts[j]] = t
                    counts[j] += 1
        fresh = more = True
        for j in range(k):
            more = more and counts[j] > 0
        while more:
            if n_groups == len(targets) or starts[n_groups] + n_able > len(rows):
                state[0], state[1] = b, n_groups
                return False
            for j in range(k):
                target[j] = choice[j, digit[j]]
            if fresh or digit[last] == 0:
                fresh = False
                n_near = np.int64(0)
                for index in range(n_able):
                    i = able[index]
                    lack = deficit[i]
                    for j in range(last):
                        got = _gain(tables, i, features[j], target[j])
                        if got == FORBIDDEN:
                            lack = MOST
                            break
                        lack -= got
                    if k == 0 or lack <= potential[i, features[last]]:
                        near[n_near] = i
                        lacks[n_near] = lack
                        n_near += 1
            n_joined = np.int64(0)
            for index in range(n_near):
                if k == 0 or _gain(tables, near[index], features[last], target[last]) >= lacks[index]:
                    joined[n_joined] = near[index]
                    n_joined += 1
            if n_joined >= least:
                if not costed:
                    _cheapen(tables, features, joined, n_joined, weight, target, room)
                used = starts[n_groups]
                for index in range(n_joined):
                    rows[used + index] = joined[index]
                for j in range(k):
                    targets[n_groups, j] = target[j]
                n_groups += 1
                starts[n_groups] = used + n_joined
            j = k - 1
            while j >= 0:
                digit[j] += 1
                if digit[j] < counts[j]:
                    break
                digit[j] = 0
                j -= 1
            more = j >= 0
    state[1] = n_groups
    return True


@lean(inner=True)
def _cheapest(tables, features, budget, i, target, reach, lines):
    """Cheapest way of one row to gain what it lacks by at most ``budget`` moves; -1 when there is none.

    Depth first over ``features``: each goes to a cell or stays. Writes the cells, -1 where it stays.
    """
    deficit, offsets, potential = tables[4], tables[5], tables[6]
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
            or _gain(tables, i, f, t) <= 0
            or (best >= 0 and paid[d] + _price(tables, i, f, t) >= best)
        ):
            t += 1
        if t < n_cells:
            gained[d + 1] = gained[d] + _gain(tables, i, f, t)
            paid[d + 1] = paid[d] + _price(tables, i, f, t)
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
def cheapest_each(tables, features, budget, members, targets, reach, lines, costs):
    """Write the cost of the cheapest way of each member by itself, -1 where there is none, and its cells.

    ``reach`` and ``lines`` are room to work in; the last line of ``reach`` is 0.
    """
    for m in range(len(members)):
        costs[m] = _cheapest(tables, features, budget, members[m], targets[m], reach, lines)


@lean()
def largest_groups(accepted, order, kept):
    """Write choices without those whose rows all accept one before; return how many are left.

    ``order`` begins with what most rows accept; ``accepted[row, choice]`` tells who accepts what.
    """
    n_kept = 0
    for turn in range(len(order)):
        inside = False
        for index in range(n_kept):
            inside = True
            for i in range(len(accepted)):
                if accepted[i, order[turn]] and not accepted[i, kept[index]]:
                    inside = False
                    break
            if inside:
                break
        if not inside:
            kept[n_kept] = order[turn]
            n_kept += 1
    return n_kept


@lean()
def number(points, words, slots, count, entries):
    """Write for each point, in words, its number among all ``words``; return how many there are."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(points)):
        code = np.uint64(0)
        for w in range(points.shape[1]):
            code = (code ^ np.uint64(points[i, w])) * np.uint64(0x9E3779B97F4A7C15)
            code ^= code >> np.uint64(32)
        slot = np.int64(code & mask)
        while True:
            entry = slots[slot]
            if entry < 0:
                slots[slot] = count
                for w in range(points.shape[1]):
                    words[count, w] = points[i, w]
                entries[i] = count
                count += 1
                break
            same = True
            for w in range(points.shape[1]):
                if words[entry, w] != points[i, w]:
                    same = False
                    break
            if same:
                entries[i] = entry
                break
            slot = (slot + 1) & (len(slots) - 1)
    return count


@lean()
def absorb(weight, row_keys, costed, distinct, found, store, slots, count):
    """Add groups to a store that has room for all of them; return how many columns it then holds.

    Of equal groups the cheapest stays (the total over all rows); with ``costed`` all that no other one with
    the same rows beats or equals in every row. With ``distinct`` none is compared.
    """
    new_starts, new_rows, new_costs, new_features, new_targets = found
    starts, rows, costs, features, targets = store
    for g in range(len(new_starts) - 1):
        begin, end = new_starts[g], new_starts[g + 1]
        code = np.uint64(0)
        for index in range(begin, end):
            code += row_keys[new_rows[index]]
        slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(len(slots) - 1))
        column = -1
        beaten = False
        while slots[slot] >= 0 and column < 0 and not beaten:
            c = slots[slot]
            slot = (slot + 1) & (len(slots) - 1)
            if distinct or starts[c + 1] - starts[c] != end - begin:
                continue
            shift = starts[c] - begin
            same = worse = better = True
            saved = 0
            for index in range(begin, end):
                if rows[index + shift] != new_rows[index]:
                    same = False
                    break
                difference = costs[index + shift] - new_costs[index]
                saved += weight[new_rows[index]] * difference
                worse = worse and difference <= 0
                better = better and difference >= 0
            if not same:
                continue
            beaten = worse if costed else saved <= 0
            if not beaten and (better or not costed):
                column = c
        if beaten:
            continue
        if column < 0:
            column = count
            count += 1
            slots[slot] = column
            starts[column + 1] = starts[column] + end - begin
        for j in range(features.shape[1]):
            features[column, j] = new_features[g, j]
            targets[column, j] = new_targets[g, j]
        for index in range(begin, end):
            rows[starts[column] + index - begin] = new_rows[index]
            costs[starts[column] + index - begin] = new_costs[index]
    return count
