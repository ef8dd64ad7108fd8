"""Compiled loops that find groups: buckets of rows, and who joins which targets.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.compiled import lean
from oneformany.engine.listing.cost.kernels import accepts, cheapen
from oneformany.engine.listing.ground import FORBIDDEN


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
