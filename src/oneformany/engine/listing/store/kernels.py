"""Compiled loops over columns and points met before."""

from __future__ import annotations

import numpy as np

from oneformany.compiled import lean


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
