"""Compiled loops that find groups: buckets of rows, and who joins which targets."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import inner, outer
from oneformany.engine.listing.cost.kernels import FORBIDDEN, accepts, cheapen

__all__ = [
    "FORBIDDEN",
    "action_groups",
    "buckets",
    "candidates",
    "feature_groups",
    "groups_of",
    "largest_groups",
    "point_groups",
]


@outer
def buckets(cells, keys, row_codes, offsets, features):
    """Group rows by their cells outside ``features``; return only groups of two or more rows.

    ``keys`` holds a random number per slot, ``row_codes`` their sum per row. Where sums are equal, cells are
    compared.
    """
    n, p = cells.shape
    outside = np.ones(p, np.bool_)
    for f in features:
        outside[f] = False
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int32)
    codes = np.empty(n, np.uint64)
    bucket = np.empty(n, np.int32)
    count = np.zeros(n, np.int32)
    first = np.empty(n, np.int32)
    n_buckets = 0
    for i in range(n):
        code = row_codes[i]
        for f in features:
            code -= keys[offsets[f] + cells[i, f]]
        codes[i] = code
        slot = np.int64((code ^ (code >> np.uint64(32))) & np.uint64(size - 1))
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
            slot = (slot + 1) & (size - 1)
    kept = 0
    total = 0
    for b in range(n_buckets):
        if count[b] >= 2:
            kept += 1
            total += count[b]
    starts = np.empty(kept + 1, np.int64)
    order = np.empty(total, np.int32)
    ends = np.full(n_buckets, -1, np.int64)
    starts[0] = 0
    kept = 0
    for b in range(n_buckets):
        if count[b] >= 2:
            ends[b] = starts[kept]
            starts[kept + 1] = starts[kept] + count[b]
            kept += 1
    for i in range(n):
        b = bucket[i]
        if ends[b] >= 0:
            order[ends[b]] = i
            ends[b] += 1
    return order, starts


@outer
def candidates(gain, price, offset, n_cells, members, costed, alive):
    """Mark the targets of one feature that no other target makes superfluous; return how many."""
    left = 0
    for a in range(n_cells):
        alive[a] = False
        for i in members:
            if gain[i, offset + a] != FORBIDDEN:
                alive[a] = True
                left += 1
                break
    for a in range(n_cells):
        if not alive[a]:
            continue
        for b in range(n_cells):
            if b == a or not alive[b]:
                continue
            better = True
            for i in members:
                mine = gain[i, offset + a]
                if mine == FORBIDDEN:
                    continue
                if gain[i, offset + b] < mine or (costed and price[i, offset + b] > price[i, offset + a]):
                    better = False
                    break
            if better:
                alive[a] = False
                left -= 1
                break
    return left


@inner
def _append(starts, rows, targets, n_groups, members, n_members, target):
    """Add a group, in larger copies of the arrays when these are full; entries are copied one by one.

    Assigning slices would take numba seconds more to compile, and so would counts that begin as a literal 0:
    they make a second version.
    """
    used = starts[n_groups]
    if used + n_members > len(rows):
        more_rows = np.empty(max(used + n_members, 2 * len(rows)), np.int32)
        for index in range(used):
            more_rows[index] = rows[index]
        rows = more_rows
    if n_groups == len(targets):
        more_starts = np.empty(2 * len(targets) + 1, np.int64)
        more_targets = np.empty((2 * len(targets), targets.shape[1]), np.int32)
        for g in range(n_groups):
            more_starts[g] = starts[g]
            for j in range(targets.shape[1]):
                more_targets[g, j] = targets[g, j]
        more_starts[n_groups] = used
        starts, targets = more_starts, more_targets
    for index in range(n_members):
        rows[used + index] = members[index]
    for j in range(len(target)):
        targets[n_groups, j] = target[j]
    starts[n_groups + 1] = used + n_members
    return starts, rows, targets


@outer
def point_groups(gain, price, deficit, potential, offsets, weight, features, order, bounds, simple, costed):
    """Groups of two or more rows in the buckets of one feature set: starts, rows, targets of each.

    With ``costed`` every target that is cheaper for some row is tried, otherwise only what helps coverage;
    then a group takes the cheapest targets that all of its rows accept.
    """
    k = len(features)
    widest = 1
    for f in features:
        widest = max(widest, offsets[f + 1] - offsets[f])
    alive = np.zeros((k, widest), np.bool_)
    choice = np.zeros((k, widest), np.int64)
    goals = np.zeros((k, widest), np.int64)
    burdens = np.zeros((k, widest), np.int64)
    counts = np.zeros(k, np.int64)
    digit = np.zeros(k, np.int64)
    target = np.zeros(k, np.int64)
    starts = np.zeros(257, np.int64)
    rows = np.empty(1024, np.int32)
    targets = np.empty((256, k), np.int32)
    n_groups = np.int64(0)
    able = np.empty(len(order), np.int32)
    joined = np.empty(len(order), np.int32)
    for b in range(len(bounds) - 1):
        n_able = np.int64(0)
        for index in range(bounds[b], bounds[b + 1]):
            i = order[index]
            total = 0
            for f in features:
                total += potential[i, f]
            if total >= deficit[i]:
                able[n_able] = i
                n_able += 1
        if n_able < 2:
            continue
        members = able[:n_able]
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
            candidates(gain, price, offsets[f], n_cells, members, costed, alive[j])
            for t in range(n_cells):
                if alive[j, t]:
                    choice[j, counts[j]] = t
                    counts[j] += 1
        for j in range(k):
            digit[j] = 0
        while True:
            for j in range(k):
                target[j] = choice[j, digit[j]]
            n_joined = np.int64(0)
            if simple:
                if accepts(gain, deficit, offsets, features, target, members[0]):
                    n_joined = n_able
                    for index in range(n_able):
                        joined[index] = able[index]
            else:
                for i in members:
                    if accepts(gain, deficit, offsets, features, target, i):
                        joined[n_joined] = i
                        n_joined += 1
            if n_joined >= 2:
                if not costed:
                    group = joined[:n_joined]
                    cheapen(
                        gain, price, deficit, offsets, features, group, weight, simple, target, goals, burdens
                    )
                starts, rows, targets = _append(starts, rows, targets, n_groups, joined, n_joined, target)
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
    return starts[: n_groups + 1], rows[: starts[n_groups]], targets[:n_groups]


@outer
def action_groups(gains, gain, price, deficit, offsets, weight, features, choices, together, costed):
    """Groups of actions on one feature set: starts, rows, targets of each.

    ``gains`` is the table of gains with one line per slot, ``choices`` one line of targets per action. With
    ``costed`` actions are left out that cost less and help the same rows without one of the features;
    otherwise a group takes the cheapest targets that all of its rows accept. ``together`` is false.
    """
    k = len(features)
    n = len(deficit)
    starts = np.zeros(257, np.int64)
    rows = np.empty(1024, np.int32)
    targets = np.empty((256, k), np.int32)
    needed = np.zeros(k, np.bool_)
    target = np.zeros(k, np.int64)
    widest = 1
    for f in features:
        widest = max(widest, offsets[f + 1] - offsets[f])
    goals = np.zeros((k, widest), np.int64)
    burdens = np.zeros((k, widest), np.int64)
    joined = np.empty(n, np.int32)
    n_groups = np.int64(0)
    for a in range(len(choices)):
        for j in range(k):
            needed[j] = False
        n_joined = np.int64(0)
        for i in range(n):
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
            group = joined[:n_joined]
            cheapen(gain, price, deficit, offsets, features, group, weight, together, target, goals, burdens)
        starts, rows, targets = _append(starts, rows, targets, n_groups, joined, n_joined, target)
        n_groups += 1
    return starts[: n_groups + 1], rows[: starts[n_groups]], targets[:n_groups]


@outer
def feature_groups(potential, deficit, features):
    """Rows that accept some targets inside a feature set."""
    joined = np.empty(len(deficit), np.int32)
    count = 0
    for i in range(len(deficit)):
        total = 0
        for f in features:
            total += potential[i, f]
        if total >= deficit[i]:
            joined[count] = i
            count += 1
    return joined[:count]


@outer
def groups_of(accepted, order, bounds, choices, least):
    """Groups of ``least`` or more rows from acceptance: per bucket and choice the rows that accept it.

    ``accepted[index, choice]`` belongs to the row ``order[index]``; buckets are ranges of indices.
    """
    starts = np.zeros(257, np.int64)
    rows = np.empty(1024, np.int32)
    targets = np.empty((256, choices.shape[1]), np.int32)
    joined = np.empty(len(order), np.int32)
    n_groups = np.int64(0)
    for b in range(len(bounds) - 1):
        for c in range(len(choices)):
            count = 0
            for index in range(bounds[b], bounds[b + 1]):
                if accepted[index, c]:
                    joined[count] = order[index]
                    count += 1
            if count < least:
                continue
            starts, rows, targets = _append(starts, rows, targets, n_groups, joined, count, choices[c])
            n_groups += 1
    return starts[: n_groups + 1], rows[: starts[n_groups]], targets[:n_groups]


@outer
def largest_groups(accepted, order):
    """Choices without those whose rows all accept one before; ``order`` begins with what most rows accept.

    ``accepted[row, choice]`` tells who accepts what.
    """
    kept = np.empty(len(order), np.int64)
    n_kept = 0
    for c in order:
        inside = False
        for index in range(n_kept):
            inside = True
            for i in range(len(accepted)):
                if accepted[i, c] and not accepted[i, kept[index]]:
                    inside = False
                    break
            if inside:
                break
        if not inside:
            kept[n_kept] = c
            n_kept += 1
    return kept[:n_kept]
