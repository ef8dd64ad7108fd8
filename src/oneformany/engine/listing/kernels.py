"""Compiled loops of a listing: buckets of rows, who joins which targets, at which cost, what was met before.

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


@lean()
def fill_buckets(cells, keys, row_codes, offsets, features, outside, slots, codes, numbers, starts, order):
    """Group rows by their cells outside ``features``; keep only groups of two or more rows.

    ``keys`` holds a random number per slot, ``row_codes`` their sum per row. Where sums are equal, cells are
    compared. ``numbers`` is room for the bucket of each row, and for the first row, the size and the end of
    each bucket. Writes where buckets start, and their rows in order; returns how many buckets there are.
    """
    n, p = cells.shape
    bucket, first, count, ends = numbers[0], numbers[1], numbers[2], numbers[3]
    n_buckets = 0
    for i in range(n):
        code = row_codes[i]
        for j in range(len(features)):
            code -= keys[offsets[features[j]] + cells[i, features[j]]]
        codes[i] = code
        slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(len(slots) - 1))
        while True:
            b = slots[slot]
            if b < 0:
                slots[slot] = n_buckets
                first[n_buckets] = i
                bucket[i] = n_buckets
                count[n_buckets] = 1
                n_buckets += 1
                break
            other = first[b]
            same = codes[other] == code
            if same:
                for f in range(p):
                    if outside[f] and cells[other, f] != cells[i, f]:
                        same = False
                        break
            if same:
                bucket[i] = b
                count[b] += 1
                break
            slot = (slot + 1) & (len(slots) - 1)
    kept = 0
    starts[0] = 0
    for b in range(n_buckets):
        if count[b] >= 2:
            ends[b] = starts[kept]
            starts[kept + 1] = starts[kept] + count[b]
            kept += 1
    for i in range(n):
        b = bucket[i]
        if count[b] >= 2:
            order[ends[b]] = i
            ends[b] += 1
    return kept


@lean()
def candidates(gain, price, offset, n_cells, members, n_members, costed, alive):
    """Mark the targets of one feature that no other target makes superfluous for the first members."""
    for a in range(n_cells):
        alive[a] = False
        for m in range(n_members):
            if gain[members[m], offset + a] != FORBIDDEN:
                alive[a] = True
                break
    for a in range(n_cells):
        if not alive[a]:
            continue
        for b in range(n_cells):
            if b == a or not alive[b]:
                continue
            better = True
            for m in range(n_members):
                i = members[m]
                mine = gain[i, offset + a]
                if mine == FORBIDDEN:
                    continue
                if gain[i, offset + b] < mine or (costed and price[i, offset + b] > price[i, offset + a]):
                    better = False
                    break
            if better:
                alive[a] = False
                break


@lean(inner=True)
def _append(found, n_groups, members, n_members, target):
    """Write a group behind the others."""
    starts, rows, targets = found
    used = starts[n_groups]
    for index in range(n_members):
        rows[used + index] = members[index]
    for j in range(targets.shape[1]):
        targets[n_groups, j] = target[j]
    starts[n_groups + 1] = used + n_members


@lean()
def point_groups(
    tables, potential, weight, features, order, bounds, simple, costed, room, able, joined, state, found
):
    """Write groups of two or more rows in the buckets of one feature set: starts, rows, targets of each.

    With ``costed`` every target that is cheaper for some row is tried, otherwise only what helps coverage;
    then a group takes the cheapest targets that all of its rows accept. ``room``, ``able`` and ``joined`` are
    there to work in. ``state`` holds the next bucket and the number of groups. Returns whether this was all:
    otherwise empty what was found and call again.
    """
    gain, price, deficit, offsets = tables
    alive, wide, lines = room
    starts, rows, targets = found
    k = len(features)
    choice = wide[0]
    counts, digit, target = lines[0], lines[1], lines[2]
    n_groups = np.int64(0)
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
        if n_able < 2:
            continue
        for j in range(k):
            f = features[j]
            n_cells = offsets[f + 1] - offsets[f]
            if simple and not costed:
                choice[j, 0] = 0
                counts[j] = 1
                for t in range(1, n_cells):
                    if gain[able[0], offsets[f] + t] > gain[able[0], offsets[f] + choice[j, 0]]:
                        choice[j, 0] = t
                continue
            counts[j] = 0
            candidates(gain, price, offsets[f], n_cells, able, n_able, costed, alive[j])
            for t in range(n_cells):
                if alive[j, t]:
                    choice[j, counts[j]] = t
                    counts[j] += 1
        while True:
            if n_groups == len(targets) or starts[n_groups] + n_able > len(rows):
                state[0], state[1] = b, n_groups
                return False
            for j in range(k):
                target[j] = choice[j, digit[j]]
            n_joined = np.int64(0)
            for index in range(n_able):
                # Where it is simple, the first answers for all.
                if (simple and n_joined > 0) or accepts(
                    gain, deficit, offsets, features, target, able[index]
                ):
                    joined[n_joined] = able[index]
                    n_joined += 1
                elif simple:
                    break
            if n_joined >= 2:
                if not costed:
                    cheapen(tables, features, joined, n_joined, weight, simple, target, room)
                _append(found, n_groups, joined, n_joined, target)
                n_groups += 1
            j = k - 1
            while j >= 0:
                digit[j] += 1
                if digit[j] < counts[j]:
                    break
                digit[j] = 0
                j -= 1
            if j < 0:
                break
    state[1] = n_groups
    return True


@lean()
def action_groups(tables, gains, weight, features, choices, costed, needed, room, joined, found):
    """Write groups of actions on one feature set: starts, rows, targets of each; return how many.

    ``gains`` is the table of gains with one line per slot, ``choices`` one line of targets per action. With
    ``costed`` actions are left out that cost less and help the same rows without one of the features;
    otherwise a group takes the cheapest targets that all of its rows accept.
    """
    _, _, deficit, offsets = tables
    k = len(features)
    target = room[2][2]
    n_groups = np.int64(0)
    for a in range(len(choices)):
        for j in range(k):
            needed[j] = False
        n_joined = np.int64(0)
        for i in range(len(deficit)):
            total = 0
            for j in range(k):
                got = gains[offsets[features[j]] + choices[a, j], i]
                if got == FORBIDDEN:
                    total = FORBIDDEN
                    break
                total += got
            if total == FORBIDDEN or total < deficit[i]:
                continue
            joined[n_joined] = i
            n_joined += 1
            for j in range(k):
                if total - gains[offsets[features[j]] + choices[a, j], i] < deficit[i]:
                    needed[j] = True
        superfluous = n_joined == 0
        for j in range(k):
            target[j] = choices[a, j]
            superfluous = superfluous or (costed and not needed[j])
        if superfluous:
            continue
        if not costed:
            cheapen(tables, features, joined, n_joined, weight, np.bool_(False), target, room)
        _append(found, n_groups, joined, n_joined, target)
        n_groups += 1
    return n_groups


@lean()
def groups_of(accepted, order, bounds, choices, least, joined, found):
    """Write groups of ``least`` or more rows from acceptance: per bucket and choice the rows that accept it.

    ``accepted[index, choice]`` belongs to the row ``order[index]``; buckets are ranges of indices. Returns
    how many groups there are.
    """
    n_groups = np.int64(0)
    for b in range(len(bounds) - 1):
        for c in range(len(choices)):
            count = np.int64(0)
            for index in range(bounds[b], bounds[b + 1]):
                if accepted[index, c]:
                    joined[count] = order[index]
                    count += 1
            if count >= least:
                _append(found, n_groups, joined, count, choices[c])
                n_groups += 1
    return n_groups


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
def absorb(weight, row_keys, costed, found, features, store, store_features, codes, totals, slots, count):
    """Add groups to a store that has room for all of them; return how many columns it then holds.

    Of equal groups the cheapest stays (the total over all rows); with ``costed`` all that no other one with
    the same rows beats or equals in every row.
    """
    new_starts, new_rows, new_costs, new_targets = found
    starts, rows, costs, targets = store
    mask = np.uint64(len(slots) - 1)
    for g in range(len(new_starts) - 1):
        begin, end = new_starts[g], new_starts[g + 1]
        code = np.uint64(0)
        total = 0
        for index in range(begin, end):
            code += row_keys[new_rows[index]]
            total += weight[new_rows[index]] * new_costs[index]
        slot = np.int64((code ^ (code >> np.uint64(32))) & mask)
        column = -1
        beaten = False
        while slots[slot] >= 0 and column < 0 and not beaten:
            c = slots[slot]
            slot = (slot + 1) & (len(slots) - 1)
            if codes[c] != code or starts[c + 1] - starts[c] != end - begin:
                continue
            shift = starts[c] - begin
            same = True
            worse = True
            better = True
            for index in range(begin, end):
                if rows[index + shift] != new_rows[index]:
                    same = False
                    break
                worse = worse and costs[index + shift] <= new_costs[index]
                better = better and new_costs[index] <= costs[index + shift]
            if not same:
                continue
            if not costed:
                worse = totals[c] <= total
                better = not worse
            beaten = worse
            if better and not worse:
                column = c
        if beaten:
            continue
        if column < 0:
            column = count
            count += 1
            slots[slot] = column
            starts[column + 1] = starts[column] + end - begin
        codes[column] = code
        totals[column] = total
        for j in range(targets.shape[1]):
            store_features[column, j] = features[j] if j < len(features) else -1
            targets[column, j] = new_targets[g, j] if j < len(features) else -1
        for index in range(begin, end):
            rows[starts[column] + index - begin] = new_rows[index]
            costs[starts[column] + index - begin] = new_costs[index]
    return count


@lean()
def rehash(codes, slots):
    """Fill an empty table of slots with columns by their codes."""
    mask = np.uint64(len(slots) - 1)
    for c in range(len(codes)):
        slot = np.int64((codes[c] ^ (codes[c] >> np.uint64(32))) & mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = c


@lean()
def remember(points, words, slots, count, entries):
    """Write for each point its entry among ``words``, a new one if it is new; return how many there are."""
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
