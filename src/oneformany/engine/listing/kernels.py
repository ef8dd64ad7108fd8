"""Compiled loops of listing: buckets of rows, the groups inside them, equal and dominated groups."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = [
    "FORBIDDEN",
    "absorb",
    "action_groups",
    "buckets",
    "candidates",
    "cheapest_each",
    "columns_of_rows",
    "dominated",
    "entry_costs",
    "feature_groups",
    "groups_of",
    "point_groups",
    "rehash",
    "remember",
    "signatures",
]

FORBIDDEN = np.iinfo(np.int64).min


@njit(cache=True, nogil=True)
def buckets(cells, keys, whole, offsets, features):
    """Group rows by their cells outside ``features``; return only groups of two or more rows.

    ``keys`` holds a random number per place, ``whole`` their sum per row. Equal sums are compared cell by cell.
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
        code = whole[i]
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


@njit(cache=True, nogil=True)
def _append(starts, rows, targets, n_groups, members, n_members, target):
    """Add a group, in larger copies of the arrays when these are full; entries are copied one by one.

    Assigning slices would take numba seconds more to compile.
    """
    used = starts[n_groups]
    if used + n_members > len(rows):
        more_rows = np.empty(max(used + n_members, 2 * len(rows)), np.int32)
        for place in range(used):
            more_rows[place] = rows[place]
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
    for place in range(n_members):
        rows[used + place] = members[place]
    for j in range(len(target)):
        targets[n_groups, j] = target[j]
    starts[n_groups + 1] = used + n_members
    return starts, rows, targets


@njit(cache=True, nogil=True)
def _accepts(gain, deficit, offsets, features, target, i):
    """Whether a row that goes to the targets gains what it lacks."""
    total = 0
    for j in range(len(features)):
        got = gain[i, offsets[features[j]] + target[j]]
        if got == FORBIDDEN:
            return False
        total += got
    return total >= deficit[i]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _affordable_targets(gain, price, offset, n_cells, members, weight, simple, goals, burdens):
    """Write the targets of one feature that all members may go to, cheapest first, and what all of them pay.

    With ``simple`` the members agree on which target is better, and only better ones may cost more.
    Returns how many there are.
    """
    for t in range(n_cells):
        burdens[t] = 0
    for i in members:
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
        place = count
        while place > 0 and burdens[place - 1] > burden:
            goals[place] = goals[place - 1]
            burdens[place] = burdens[place - 1]
            place -= 1
        goals[place] = t
        burdens[place] = burden
        count += 1
    if not simple:
        return count
    kept = 0
    for place in range(count):
        if kept == 0 or gain[members[0], offset + goals[place]] > gain[members[0], offset + goals[kept - 1]]:
            goals[kept] = goals[place]
            burdens[kept] = burdens[place]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _cheapen(gain, price, deficit, offsets, features, members, weight, simple, target, goals, burdens):
    """Replace a target by the cheapest that the same rows accept; ``goals`` and ``burdens`` are room to work."""
    k = len(features)
    counts = np.empty(k, np.int64)
    rest = np.zeros(k + 1, np.int64)
    for j in range(k):
        f = features[j]
        counts[j] = _affordable_targets(
            gain,
            price,
            offsets[f],
            offsets[f + 1] - offsets[f],
            members,
            weight,
            simple,
            goals[j],
            burdens[j],
        )
    for j in range(k - 1, -1, -1):
        rest[j] = rest[j + 1] + burdens[j, 0]
    trial = np.zeros(k, np.int64)
    digit = np.zeros(k, np.int64)
    paid = np.zeros(k + 1, np.int64)
    best = np.iinfo(np.int64).max
    j = 0
    while j >= 0:
        if j == k:
            every = True
            for i in members:
                if not _accepts(gain, deficit, offsets, features, trial, i):
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


@njit(cache=True, nogil=True)
def point_groups(gain, price, deficit, potential, offsets, weight, features, order, bounds, simple, costed):
    """Groups of two or more rows in the buckets of one feature set: starts, rows, targets of each.

    With ``costed`` every target that is cheaper for some row is tried, otherwise only what helps coverage; then
    a group takes the cheapest targets that all of its rows accept.
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
    n_groups = 0
    able = np.empty(len(order), np.int32)
    joined = np.empty(len(order), np.int32)
    for b in range(len(bounds) - 1):
        n_able = 0
        for place in range(bounds[b], bounds[b + 1]):
            i = order[place]
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
            n_joined = 0
            if simple:
                if _accepts(gain, deficit, offsets, features, target, members[0]):
                    n_joined = n_able
                    for place in range(n_able):
                        joined[place] = able[place]
            else:
                for i in members:
                    if _accepts(gain, deficit, offsets, features, target, i):
                        joined[n_joined] = i
                        n_joined += 1
            if n_joined >= 2:
                if not costed:
                    group = joined[:n_joined]
                    _cheapen(
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


@njit(cache=True, nogil=True)
def action_groups(gains, gain, price, deficit, offsets, weight, features, choices, together, costed):
    """Groups of actions on one feature set: starts, rows, targets of each.

    ``gains`` is the table of gains with one line per place, ``choices`` one line of targets per action. With
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
    n_groups = 0
    for a in range(len(choices)):
        for j in range(k):
            needed[j] = False
        n_joined = 0
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
            _cheapen(gain, price, deficit, offsets, features, group, weight, together, target, goals, burdens)
        starts, rows, targets = _append(starts, rows, targets, n_groups, joined, n_joined, target)
        n_groups += 1
    return starts[: n_groups + 1], rows[: starts[n_groups]], targets[:n_groups]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def groups_of(accepted, order, bounds, choices, least):
    """Groups of ``least`` or more rows from acceptance: per bucket and choice the rows that accept it.

    ``accepted[place, choice]`` belongs to the row ``order[place]``; buckets are ranges of places.
    """
    starts = np.zeros(257, np.int64)
    rows = np.empty(1024, np.int32)
    targets = np.empty((256, choices.shape[1]), np.int32)
    joined = np.empty(len(order), np.int32)
    n_groups = 0
    for b in range(len(bounds) - 1):
        for c in range(len(choices)):
            count = 0
            for place in range(bounds[b], bounds[b + 1]):
                if accepted[place, c]:
                    joined[count] = order[place]
                    count += 1
            if count < least:
                continue
            starts, rows, targets = _append(starts, rows, targets, n_groups, joined, count, choices[c])
            n_groups += 1
    return starts[: n_groups + 1], rows[: starts[n_groups]], targets[:n_groups]


@njit(cache=True, nogil=True)
def _cheapest(gain, price, deficit, potential, offsets, features, budget, i, target):
    """Cheapest way of one row to gain what it lacks by at most ``budget`` moves; -1 when there is none.

    Depth first over ``features``: each goes to a cell or stays. Writes the cells, its own where it stays.
    """
    p = len(features)
    ranked = np.empty(p, np.int64)
    for d in range(p):
        place = d
        while place > 0 and potential[i, ranked[place - 1]] < potential[i, features[d]]:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place] = features[d]
    reach = np.zeros((p + 1, budget + 1), np.int64)
    for d in range(p - 1, -1, -1):
        for left in range(1, budget + 1):
            reach[d, left] = max(reach[d + 1, left], reach[d + 1, left - 1] + potential[i, ranked[d]])
    if reach[0, budget] < deficit[i]:
        return -1
    best = -1
    cell = np.full(p + 1, -1, np.int64)
    gained = np.zeros(p + 1, np.int64)
    paid = np.zeros(p + 1, np.int64)
    left = np.full(p + 1, budget, np.int64)
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


@njit(cache=True, nogil=True)
def cheapest_each(gain, price, deficit, potential, offsets, features, budget, members, targets):
    """Cheapest way of each member by itself; -1 where there is none. Writes cells, -1 where one stays."""
    costs = np.empty(len(members), np.int64)
    for m in range(len(members)):
        for f in range(targets.shape[1]):
            targets[m, f] = -1
        costs[m] = _cheapest(
            gain, price, deficit, potential, offsets, features, budget, members[m], targets[m]
        )
    return costs


@njit(cache=True, nogil=True)
def entry_costs(price, offsets, features, starts, rows, targets):
    """What each row of each group pays for going to the group's targets."""
    costs = np.zeros(len(rows), np.int64)
    for g in range(len(starts) - 1):
        for place in range(starts[g], starts[g + 1]):
            for j in range(len(features)):
                costs[place] += price[rows[place], offsets[features[j]] + targets[g, j]]
    return costs


@njit(cache=True, nogil=True)
def rehash(codes, slots):
    """Fill an empty table of slots with columns by their codes."""
    mask = np.uint64(len(slots) - 1)
    for c in range(len(codes)):
        slot = np.int64((codes[c] ^ (codes[c] >> np.uint64(32))) & mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = c


@njit(cache=True, nogil=True)
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
        for place in range(begin, end):
            code += row_keys[new_rows[place]]
            total += weight[new_rows[place]] * new_costs[place]
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
            for place in range(begin, end):
                if rows[place + shift] != new_rows[place]:
                    same = False
                    break
                worse = worse and costs[place + shift] <= new_costs[place]
                better = better and new_costs[place] <= costs[place + shift]
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
        for place in range(begin, end):
            rows[starts[column] + place - begin] = new_rows[place]
            costs[starts[column] + place - begin] = new_costs[place]
    return count


@njit(cache=True, nogil=True)
def _inside(rows, starts, costs, costed, small, large):
    """Whether a column's rows all belong to another one, where none of them pays more."""
    other = starts[large]
    end = starts[large + 1]
    for place in range(starts[small], starts[small + 1]):
        lowest, highest = other, end
        while lowest < highest:
            middle = (lowest + highest) // 2
            if rows[middle] < rows[place]:
                lowest = middle + 1
            else:
                highest = middle
        if lowest == end or rows[lowest] != rows[place]:
            return False
        if costed and costs[lowest] > costs[place]:
            return False
        other = lowest + 1
    return True


@njit(cache=True, nogil=True)
def columns_of_rows(starts, rows, by_size, n_rows):
    """For each row the columns that hold it, in the order ``by_size``."""
    first = np.zeros(n_rows + 1, np.int64)
    for row in rows:
        first[row + 1] += 1
    for i in range(n_rows):
        first[i + 1] += first[i]
    ends = first[:-1].copy()
    columns = np.empty(len(rows), np.int32)
    for c in by_size:
        for place in range(starts[c], starts[c + 1]):
            columns[ends[rows[place]]] = c
            ends[rows[place]] += 1
    return first, columns


@njit(cache=True, nogil=True)
def signatures(starts, rows, row_keys, words):
    """Some bits per column: those of all of its rows. The bits of a part are part of the bits."""
    bits = np.zeros((len(starts) - 1, words), np.uint64)
    for c in range(len(starts) - 1):
        for place in range(starts[c], starts[c + 1]):
            key = row_keys[rows[place]] % np.uint64(64 * words)
            bits[c, np.int64(key // np.uint64(64))] |= np.uint64(1) << (key % np.uint64(64))
    return bits


@njit(cache=True, nogil=True)
def dominated(starts, rows, costs, costed, first, columns, bits, batch, gone):
    """Mark the columns of a batch whose rows all belong to another column, and pay no more there."""
    for c in batch:
        size = starts[c + 1] - starts[c]
        rarest = rows[starts[c]]
        for place in range(starts[c], starts[c + 1]):
            i = rows[place]
            if first[i + 1] - first[i] < first[rarest + 1] - first[rarest]:
                rarest = i
        for place in range(first[rarest], first[rarest + 1]):
            other = columns[place]
            if starts[other + 1] - starts[other] < size:
                break
            if other == c or gone[other]:
                continue
            fits = True
            for w in range(bits.shape[1]):
                if bits[c, w] & ~bits[other, w]:
                    fits = False
                    break
            if fits and _inside(rows, starts, costs, costed, c, other):
                gone[c] = True
                break


@njit(cache=True, nogil=True)
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
