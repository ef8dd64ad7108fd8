"""Compiled loops of a listing: buckets of rows, who joins which targets, at which cost.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import lean

NO_MOVE = np.iinfo(np.int64).min  # the gain where a row may not go: less than any other
MORE_THAN_ANY = np.iinfo(np.int64).max  # cost or lack


class Gains(NamedTuple):
    """What rows gain and pay at each cell, as a ground says."""

    begin: IntArray  # (n, p): where the numbers about the cells of a feature begin, for each row
    own: IntArray  # (n, p): what the score gets from the row as it is
    units: IntArray  # what it gets from a cell; NO_MOVE where the row may not go
    price: IntArray  # what going there costs
    deficit: IntArray  # (n,): what a row has to gain
    offsets: IntArray  # (p + 1,): the first slot of each feature
    potential: IntArray  # (n, p): the most that a row can gain
    home: IntArray  # (n, p): the cell where a row is


class Room(NamedTuple):
    """Arrays to work in, for one set of k features."""

    alive: BoolArray  # (widest,): targets of a feature that are not superfluous
    choice: IntArray  # (k, widest): these targets
    counts: IntArray  # (k + 1,): how many there are
    digit: IntArray  # (k + 1,): which of them is tried
    target: IntArray  # (k + 1,): where that leads
    near: NDArray[np.int32]  # (n,): the rows that the last feature may still help
    lacks: IntArray  # (n,): what they lack before it
    goals: IntArray  # (k, widest): where all rows of a group may go, cheapest first
    burdens: IntArray  # (k, widest): what they pay there
    affordable: IntArray  # (k + 1,): how many such goals there are
    tried: IntArray  # (k + 1,): how many of them were tried
    trial: IntArray  # (k + 1,): the goals under trial
    paid: IntArray  # (k + 1,): what the first of them cost
    rest: IntArray  # (k + 1,): what the others cost at least
    lack: IntArray  # (k + 1,): what the first row still lacks


class Path(NamedTuple):
    """Arrays to work in, of one number per feature and one more: a search for the cheapest moves of a row."""

    ranked: IntArray  # features, those of greatest gain first
    cell: IntArray  # the cell that is tried next; -1: none was
    gained: IntArray
    paid: IntArray
    left: IntArray  # moves
    above: IntArray  # what the first features gain together at most


@lean(inner=True)
def _gain(gains, i, f, t):
    """What a row gains by going to a cell of a feature."""
    if t == gains.home[i, f]:
        return 0
    goal = gains.units[gains.begin[i, f] + t]
    return goal if goal == NO_MOVE else goal - gains.own[i, f]


@lean(inner=True)
def _price(gains, i, f, t):
    """What a row pays for going to a cell of a feature."""
    return 0 if t == gains.home[i, f] else gains.price[gains.begin[i, f] + t]


@lean()
def entry_costs(gains, features, starts, rows, targets, costs):
    """Add what each row of each group pays for going to the group's targets."""
    for g in range(len(starts) - 1):
        for index in range(starts[g], starts[g + 1]):
            for j in range(len(features)):
                costs[index] += _price(gains, rows[index], features[j], targets[g, j])


@lean()
def candidates(gains, f, members, costed, alive):
    """Leave only those targets of a feature that no other one makes superfluous for the members."""
    for a in range(len(alive)):
        for b in range(len(alive)):
            if b == a or not alive[a] or not alive[b]:
                continue
            better = True
            for i in members:
                mine, other = _gain(gains, i, f, a), _gain(gains, i, f, b)
                if mine == NO_MOVE:
                    continue
                if other < mine or (costed and _price(gains, i, f, b) > _price(gains, i, f, a)):
                    better = False
                    break
            alive[a] = not better


@lean(inner=True)
def _affordable_targets(gains, f, n_cells, members, weight, goals, burdens):
    """Write the targets of a feature that all members may go to, cheapest first, and what all of them pay."""
    count = 0
    for t in range(n_cells):
        burden = 0
        for i in members:
            if _gain(gains, i, f, t) == NO_MOVE:
                burden = NO_MOVE
                break
            burden += weight[i] * _price(gains, i, f, t)
        if burden == NO_MOVE:
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
def _cheapen(gains, features, members, weight, target, room):
    """Replace a target by the cheapest that the same rows accept, if there is a cheaper one.

    Depth first over the features.
    """
    goals, burdens, paid, rest, trial = room.goals, room.burdens, room.paid, room.rest, room.trial
    counts, digit, lack = room.affordable, room.tried, room.lack
    k = len(features)
    offsets, first = gains.offsets, members[0]  # what the first cannot accept, not all do
    rest[k] = paid[0] = digit[0] = 0
    lack[0] = gains.deficit[first]
    for j in range(k - 1, -1, -1):
        f = features[j]
        n_cells = offsets[f + 1] - offsets[f]
        counts[j] = _affordable_targets(gains, f, n_cells, members, weight, goals[j], burdens[j])
        rest[j] = rest[j + 1] + burdens[j, 0]
        lack[0] -= gains.potential[first, f]
    best = MORE_THAN_ANY
    j = 0
    while j >= 0:
        if j == k:
            every = True
            for i in members:
                lacks = gains.deficit[i]
                for e in range(k):
                    lacks -= _gain(gains, i, features[e], trial[e])
                if lacks > 0:
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
            lack[j + 1] = lack[j] + gains.potential[first, f] - _gain(gains, first, f, trial[j])
            if lack[j + 1] <= 0:
                j += 1
                digit[j] = 0
        else:
            j -= 1


@lean()
def groups_by_gains(gains, weight, features, buckets, slots, least, costed, room, state, found):
    """Write groups of ``least`` or more rows of buckets, for one feature set.

    Targets are at ``slots``. With ``costed`` every one that is cheaper for some row is tried, otherwise only
    what helps coverage; then a group takes the cheapest targets that all its rows accept. ``room`` is there
    to work in. ``state`` holds the next bucket and the number of groups. Returns whether this was all:
    otherwise empty what was found and call again.
    """
    deficit, offsets, potential = gains.deficit, gains.offsets, gains.potential
    order, bounds = buckets
    starts, rows, targets = found
    choice, counts, digit, target = room.choice, room.counts, room.digit, room.target
    near, lacks = room.near, room.lacks
    k = len(features)
    last = k - 1
    n_near = n_groups = np.int64(0)
    for b in range(state[0], len(bounds) - 1):
        members = order[bounds[b] : bounds[b + 1]]
        more, fresh = len(members) >= least, True
        for j in range(k if more else 0):
            f = features[j]
            alive = room.alive[: offsets[f + 1] - offsets[f]]
            for t in range(len(alive)):
                alive[t] = slots[offsets[f] + t]
            candidates(gains, f, members, costed, alive)
            counts[j] = 0
            for t in range(len(alive)):
                if alive[t]:
                    choice[j, counts[j]] = t
                    counts[j] += 1
            more = more and counts[j] > 0
        while more:
            used = starts[n_groups]
            if n_groups == len(targets) or used + len(members) > len(rows):
                state[0], state[1] = b, n_groups
                return False
            for j in range(k):
                target[j] = choice[j, digit[j]]
            if fresh or digit[last] == 0:  # what the rows lack before the last feature
                fresh = False
                n_near = np.int64(0)
                for i in members:
                    lack = deficit[i]
                    for j in range(last):
                        got = _gain(gains, i, features[j], target[j])
                        if got == NO_MOVE:
                            lack = MORE_THAN_ANY
                            break
                        lack -= got
                    if k == 0 or lack <= potential[i, features[last]]:
                        near[n_near] = i
                        lacks[n_near] = lack
                        n_near += 1
            end = used
            for index in range(n_near):
                if k == 0 or _gain(gains, near[index], features[last], target[last]) >= lacks[index]:
                    rows[end] = near[index]
                    end += 1
            if end - used >= least:
                if not costed:
                    _cheapen(gains, features, rows[used:end], weight, target, room)
                for j in range(k):
                    targets[n_groups, j] = target[j]
                n_groups += 1
                starts[n_groups] = end
            j = last
            while j >= 0:
                digit[j] += 1
                if digit[j] < counts[j]:
                    break
                digit[j] = 0
                j -= 1
            more = j >= 0
    state[1] = n_groups
    return True


@lean()
def cheapest_each(gains, features, budget, least, members, targets, path, costs, state, steps):
    """Write what it costs each member at least to gain what it lacks by at most ``budget`` moves, -1: never.

    Depth first over the features: each goes to a cell or stays. Writes the cells, -1 where it stays. No move
    costs less than ``least``; ``path`` is there to work in. After so many steps it returns false; called
    again with the same arrays, it goes on. ``state``: the member, its depth (-1: not begun), its least.
    """
    deficit, offsets, potential = gains.deficit, gains.offsets, gains.potential
    ranked, cell, gained, paid, left, above = path
    p = len(features)
    m, d, best = state[0], state[1], state[2]
    while m < len(members):
        i = members[m]
        if d < 0:
            for d in range(p):
                index = d
                while index > 0 and potential[i, ranked[index - 1]] < potential[i, features[d]]:
                    ranked[index] = ranked[index - 1]
                    index -= 1
                ranked[index] = features[d]
            for d in range(p):  # what the features of greatest gain bring together
                above[d + 1] = above[d] + potential[i, ranked[d]]
            best = -1
            for d in range(p + 1):
                cell[d] = -1
            gained[0] = paid[0] = 0
            left[0] = budget
            d = 0
        while d >= 0:
            if steps <= 0:
                state[0], state[1], state[2] = m, d, best
                return False
            steps -= 1
            moves = left[d]  # as many as can be paid for
            if best >= 0 and least > 0:
                moves = min(moves, (best - 1 - paid[d]) // least)
            most = above[min(p, d + max(moves, 0))] - above[d]
            hopeless = gained[d] + most < deficit[i] or (best >= 0 and paid[d] >= best)
            if hopeless or d == p or (cell[d] < 0 and gained[d] >= deficit[i]):
                if not hopeless:
                    best = paid[d]
                    for e in range(p):
                        f = ranked[e]
                        targets[m, f] = -1
                        if e < d and cell[e] - 1 < offsets[f + 1] - offsets[f]:
                            targets[m, f] = cell[e] - 1
                cell[d] = -1
                d -= 1
                continue
            f = ranked[d]
            n_cells = offsets[f + 1] - offsets[f]
            first = t = max(cell[d], 0)
            while t < n_cells and (
                left[d] == 0
                or _gain(gains, i, f, t) <= 0
                or (best >= 0 and paid[d] + _price(gains, i, f, t) >= best)
            ):
                t += 1
            steps -= t - first
            gained[d + 1], paid[d + 1], left[d + 1] = gained[d], paid[d], left[d]
            if t < n_cells:
                gained[d + 1] += _gain(gains, i, f, t)
                paid[d + 1] += _price(gains, i, f, t)
                left[d + 1] -= 1
            if cell[d] <= n_cells:
                cell[d] = t + 1
                d += 1
            else:
                cell[d] = -1
                d -= 1
        costs[m] = best
        m += 1
    return True


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
def leading(starts, rows, costs, weight, keys, costed, slots, leads):
    """Write for each group itself, or one with the same rows that makes it superfluous.

    Of equal groups the cheapest leads (the total over all rows); with ``costed`` all that none of the leading
    ones beats or equals in every row. The ``keys`` of rows make codes that save comparisons.
    """
    for g in range(len(leads)):
        begin, end = starts[g], starts[g + 1]
        code = np.uint64(0)
        for index in range(begin, end):
            code += keys[rows[index]]
        slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(len(slots) - 1))
        leads[g] = g
        while slots[slot] >= 0:
            c = slots[slot]
            shift = starts[c] - begin
            same = starts[c + 1] - starts[c] == end - begin
            worse = better = True
            saved = 0
            for index in range(begin, end if same else begin):
                same = same and rows[index + shift] == rows[index]
                if not same:
                    break
                difference = costs[index + shift] - costs[index]
                saved += weight[rows[index]] * difference
                worse = worse and difference <= 0
                better = better and difference >= 0
                if costed and not (worse or better):  # both stay
                    break
            if same and (worse if costed else saved <= 0):
                leads[g] = c
                break
            if same and (better or not costed):
                leads[c] = g
                break
            slot = (slot + 1) & (len(slots) - 1)
        if leads[g] == g:
            slots[slot] = g
