"""Trees walked down by many rows, compiled: loaded only for files that hold trees."""

import numpy as np
from numba import njit

from oneformany.verify.reading import BoolArray, IntArray


@njit(cache=True, no_cfunc_wrapper=True)
def greatest_leaves(
    codes: IntArray,
    free: BoolArray,
    nodes: IntArray,
    goes_left: BoolArray,
    roots: IntArray,
    waiting: IntArray,
) -> tuple[IntArray, IntArray]:
    """Find the greatest leaf of each tree that each row may end in, and their sum.

    At splits of free features rows go both ways. Of each node: the feature, where its levels begin in
    ``goes_left``, both children, and its units.
    """
    found, total = np.empty((len(codes), len(roots)), dtype=np.int64), np.zeros(len(codes), dtype=np.int64)
    for row in range(len(codes)):
        for tree in range(len(roots)):
            best = -1
            waiting[0] = roots[tree]
            left = 1
            while left > 0:
                left -= 1
                node = waiting[left]
                while nodes[node, 0] >= 0:
                    feature, start = nodes[node, 0], nodes[node, 1]
                    side = 2 if goes_left[start + codes[row, feature]] else 3
                    if free[row, feature]:
                        waiting[left] = nodes[node, 5 - side]
                        left += 1
                    node = nodes[node, side]
                if best < 0 or nodes[node, 4] > nodes[best, 4]:
                    best = node
            found[row, tree] = best
            total[row] += nodes[best, 4]
    return found, total


@njit(cache=True, no_cfunc_wrapper=True)
def deepest_leaf(nodes: IntArray, roots: IntArray, waiting: IntArray, depth: IntArray) -> int:
    """Count the splits on the longest way from a root to a leaf."""
    most = 0
    for root in roots:
        waiting[0], depth[0] = root, 0
        left = 1
        while left > 0:
            left -= 1
            node, below = waiting[left], depth[left]
            most = max(most, below)
            if nodes[node, 0] >= 0:
                for side in (2, 3):
                    waiting[left], depth[left] = nodes[node, side], below + 1
                    left += 1
    return most


@njit(cache=True, no_cfunc_wrapper=True)
def add_leaves(
    own: IntArray,
    after: IntArray,
    counts: IntArray,
    nodes: IntArray,
    goes_left: BoolArray,
    roots: IntArray,
    child: IntArray,
    start: IntArray,
    most: int,
    deepest: int,
    most_sums: int,
    sums: IntArray,
) -> bool:
    """Add to ``sums`` what all leaves add to the score of a row, by the changes that it takes.

    A leaf counts where every split on the way to it leads there. For each feature on the way that is the
    row's own value (1 or 0), plus, where the feature moves, what the move makes of it. Multiplied out, each
    leaf adds a number for the sets of features that hold all those by which the row itself misses it. The
    score after an action is the sum over all subsets of its features. Sums are exact: what may overflow on
    the way comes back.

    The row has values ``own``, and ``after[feature, option]`` where it moves. ``child[set, feature]`` is the
    set with a later feature besides, and its numbers begin at ``start``. False when there are more than
    ``most_sums`` numbers to add.
    """
    added = 0
    features, width = after.shape
    allowed, kept = np.ones((features, width), np.bool_), np.ones(features, np.bool_)
    on_way, way, length, missed = np.zeros(features, np.bool_), np.zeros(features, np.int64), 0, 0
    stack, side = np.zeros(deepest + 1, np.int64), np.zeros(deepest + 1, np.int64)
    saved, saved_kept = np.ones((deepest + 1, width), np.bool_), np.ones(deepest + 1, np.bool_)
    saved_way = np.zeros(deepest + 1, np.bool_)
    needed, free, chosen = np.zeros((3, features), np.int64)
    members, member_sign = np.zeros(features, np.int64), np.zeros(features, np.int64)
    options, option_count = np.zeros((features, width), np.int64), np.zeros(features, np.int64)
    turn = np.zeros(features, np.int64)
    for root in roots:
        depth = 0
        stack[0], side[0] = root, 0
        while depth >= 0:
            node = stack[depth]
            feature = nodes[node, 0]
            if feature < 0:
                # Features by which the row misses the leaf have to move; others on the way may.
                n_needed = n_free = 0
                for index in range(length):
                    at = way[index]
                    if not kept[at]:
                        needed[n_needed] = at
                        n_needed += 1
                    else:
                        for option in range(counts[at]):
                            if not allowed[at, option]:
                                free[n_free] = at
                                n_free += 1
                                break
                for size in range(min(most - n_needed, n_free) + 1):
                    for index in range(size):
                        chosen[index] = index
                    while True:
                        total = n_needed + size
                        for index in range(n_needed):
                            members[index], member_sign[index] = needed[index], 1
                        for index in range(size):
                            members[n_needed + index] = free[chosen[index]]
                            member_sign[n_needed + index] = -1
                        for index in range(1, total):  # in rising order
                            at, sign, before = members[index], member_sign[index], index
                            while before > 0 and members[before - 1] > at:
                                members[before] = members[before - 1]
                                member_sign[before] = member_sign[before - 1]
                                before -= 1
                            members[before], member_sign[before] = at, sign
                        which, units = 0, nodes[node, 4]
                        for index in range(total):
                            at = members[index]
                            which = child[which, at]
                            units *= member_sign[index]
                            option_count[index] = turn[index] = 0
                            for option in range(counts[at]):
                                if allowed[at, option] == (member_sign[index] > 0):
                                    options[index, option_count[index]] = option
                                    option_count[index] += 1
                        while True:
                            number = 0
                            for index in range(total):
                                number = number * counts[members[index]] + options[index, turn[index]]
                            sums[start[which] + number] += units
                            added += 1
                            index = total - 1
                            while index >= 0 and turn[index] + 1 == option_count[index]:
                                turn[index] = 0
                                index -= 1
                            if index < 0:
                                break
                            turn[index] += 1
                        if added > most_sums:
                            return False
                        index = size - 1
                        while index >= 0 and chosen[index] == n_free - size + index:
                            index -= 1
                        if index < 0:
                            break
                        chosen[index] += 1
                        for later in range(index + 1, size):
                            chosen[later] = chosen[later - 1] + 1
                depth -= 1
                continue
            if side[depth] > 0:  # back from below
                for option in range(width):
                    allowed[feature, option] = saved[depth, option]
                missed += int(kept[feature]) - int(saved_kept[depth])
                kept[feature] = saved_kept[depth]
                if not saved_way[depth]:
                    on_way[feature] = False
                    length -= 1
            if side[depth] == 2:
                depth -= 1
                continue
            left, begin = side[depth] == 0, nodes[node, 1]
            side[depth] += 1
            for option in range(width):
                saved[depth, option] = allowed[feature, option]
            saved_kept[depth], saved_way[depth] = kept[feature], on_way[feature]
            if not on_way[feature]:
                on_way[feature] = True
                way[length] = feature
                length += 1
            any_option = False
            for option in range(counts[feature]):
                if goes_left[begin + after[feature, option]] != left:
                    allowed[feature, option] = False
                any_option = any_option or allowed[feature, option]
            if kept[feature] and goes_left[begin + own[feature]] != left:
                kept[feature] = False
                missed += 1
            if kept[feature] or (any_option and missed <= most):
                stack[depth + 1] = nodes[node, 2] if left else nodes[node, 3]
                side[depth + 1] = 0
                depth += 1
    return True


@njit(cache=True, no_cfunc_wrapper=True)
def scores_of_actions(
    sets: IntArray, counts: IntArray, child: IntArray, start: IntArray, sums: IntArray, scores: IntArray
) -> None:
    """Add up for every action the numbers of all subsets of its features; ``sets`` end with -1."""
    most = sets.shape[1]
    begin, stride = np.zeros(1 << most, np.int64), np.zeros((1 << most, most), np.int64)
    turn = np.zeros(most, np.int64)
    for which in range(len(sets)):
        size = 0
        while size < most and sets[which, size] >= 0:
            size += 1
        for part in range(1 << size):
            node, step = 0, 1
            for index in range(size):
                if part >> index & 1:
                    node = child[node, sets[which, index]]
            begin[part] = start[node]
            for index in range(size - 1, -1, -1):
                stride[part, index] = 0
                if part >> index & 1:
                    stride[part, index] = step
                    step *= counts[sets[which, index]]
        for index in range(size):
            turn[index] = 0
        action = start[which]
        while True:
            total = 0
            for part in range(1 << size):
                number = begin[part]
                for index in range(size):
                    number += stride[part, index] * turn[index]
                total += sums[number]
            scores[action] = total
            action += 1
            index = size - 1
            while index >= 0 and turn[index] + 1 == counts[sets[which, index]]:
                turn[index] = 0
                index -= 1
            if index < 0:
                break
            turn[index] += 1


@njit(cache=True, no_cfunc_wrapper=True)
def save_by_actions(
    sets: IntArray,
    counts: IntArray,
    start: IntArray,
    costs: IntArray,
    found: BoolArray,
    price: int,
    people: int,
    saved: IntArray,
) -> None:
    """Add what a row saves by each action that it follows: what its price exceeds the cost, for its people.

    ``costs`` are those of each cell of each feature; ``sets`` end with -1.
    """
    turn = np.zeros(sets.shape[1], np.int64)
    for which in range(len(sets)):
        size, least = 0, 0
        while size < sets.shape[1] and sets[which, size] >= 0:
            feature = sets[which, size]
            least += costs[feature, : counts[feature]].min()
            turn[size] = 0
            size += 1
        if least >= price:
            continue
        action = start[which]
        while True:
            if found[action]:
                paid = 0
                for index in range(size):
                    paid += costs[sets[which, index], turn[index]]
                saved[action] += people * max(0, price - paid)
            action += 1
            index = size - 1
            while index >= 0 and turn[index] + 1 == counts[sets[which, index]]:
                turn[index] = 0
                index -= 1
            if index < 0:
                break
            turn[index] += 1
