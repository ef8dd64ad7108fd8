"""The compiled inner loops: one resumable depth-first search serves pricing and enumeration.

For an anchor row *g*, every other item *j* (a row, or rows that must stay together) has the bit mask of
the features in which it differs from *g*. The search decides feature by feature: *take* it (towards one of
its options, see ``space.py``) or *leave* it. A node knows which items are covered (nothing missing), which
are still possible, and how far the score can still rise. All weights and scores are integers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import how_many, lean, lowest

# what `advance` returns
DONE, LIMIT, CANDIDATE, FOUND = 0, 1, 2, 3
# indices into SearchState.scalars
DEPTH, BEST, NODES, ANCHOR, ANSWER, TARGET, STAGE, WEIGHT, OPEN, REJECTED = range(10)
# value of SearchState.scalars[STAGE], set by the caller to start anew with all else but BEST zero
BEGIN = -1
# values of SearchState.scalars[ANSWER], set by the caller after CANDIDATE
ACCEPT, GO_ON, PRUNE = 1, 2, 3

ONE = np.uint64(1)
ZERO = np.uint64(0)
FIRST = np.int64(0)


class SearchArrays(NamedTuple):
    """A problem as arrays. ``V`` levels and ``K`` options are the largest numbers over all features."""

    rows: IntArray  # (n, p)
    item_start: IntArray  # (items + 1,) into item_rows
    item_rows: IntArray
    levels: IntArray  # (p,)
    option_count: IntArray  # (p,)
    option_start: IntArray  # (p,) into option_from
    option_from: BoolArray  # per feature, option and level: rows at this level may join when it is taken
    option_best: IntArray  # (p, K): largest units of a level that all of them may move to
    simple: BoolArray  # (p,): no rule on this feature
    units: IntArray  # (p, V)
    extra_best: IntArray  # (p, V): largest units a row at this level may move to
    intercept: int
    threshold: int
    max_changes: int
    exact: bool  # the units decide; otherwise they only exclude, and candidates are reported


NODE = np.dtype(
    [
        ("alive", np.int64),  # items still possible; they stand first in `order`
        ("covered", np.int64),  # weight of the items that miss nothing
        ("score", np.int64),  # units of the best point with the features taken
        ("taken", np.int64),  # how many
        ("feature", np.int64),  # the one branched on
        ("child", np.int64),  # -1 before the node is evaluated, then the next child
        ("bound", np.int64),  # no column below weighs more
    ]
)
FEATURE = np.dtype(
    [
        ("choice", np.int64),  # option taken on the path, -1 for left or undecided
        ("found", np.int64),  # choice of the column just reported
        ("best", np.int64),  # choice of the heaviest column so far
        ("gain", np.int64),  # what moving the anchor alone adds to the score
        ("by_gain", np.int64),  # a permutation: features by falling gain
        ("load", np.int64),  # weight that possible items spread over it
        ("top", np.int64),  # a list: largest loads
    ]
)


class SearchState(NamedTuple):
    """Everything a search needs to pause and go on; ``W`` words hold a set of features."""

    masks: IntArray  # (items, W) unsigned
    order: IntArray  # (items,)
    eligible: BoolArray  # (items,)
    nodes: NDArray[np.void]  # (depth,) of NODE: the path
    features: NDArray[np.void]  # (p,) of FEATURE
    inside: IntArray  # (depth, W) unsigned: taken
    outside: IntArray  # (depth, W) unsigned: left
    forced: IntArray  # (1, W) unsigned: must be taken
    scalars: IntArray  # (10,)


# Sets of features are rows of a matrix of words, named by matrix and row: making views takes long to compile.


@lean(inner=True)
def _has(sets, row, feature):
    return (sets[row, feature >> 6] >> np.uint64(feature & 63)) & ONE != ZERO


@lean(inner=True)
def _add(sets, row, feature):
    sets[row, feature >> 6] |= ONE << np.uint64(feature & 63)


@lean(inner=True)
def _clear(sets, row):
    for w in range(sets.shape[1]):
        sets[row, w] = ZERO


# A named tuple is taken apart once per function: every look inside takes time to compile.


@lean(inner=True)
def _reachable(features, inside, threshold, score, d, more):
    """Whether ``score`` plus the ``more`` largest gains outside ``inside[d]`` meets the threshold."""
    for i in range(len(features)):
        if score >= threshold or more == 0:
            break
        f = features[i].by_gain
        gain = features[f].gain
        if gain <= 0:
            break
        if not _has(inside, d, f):
            score += gain
            more -= 1
    return score >= threshold


@lean(inner=True)
def _begin(arrays, state, item, weights):
    """Set up the search around ``item``; ``state.eligible`` says which items may join it."""
    rows, starts, item_rows, units = arrays.rows, arrays.item_start, arrays.item_rows, arrays.units
    extra_best, most = arrays.extra_best, arrays.max_changes
    masks, features, forced, scalars = state.masks, state.features, state.forced, state.scalars
    eligible, order = state.eligible, state.order
    p = rows.shape[1]
    anchor = item_rows[starts[item]]
    _clear(forced, FIRST)
    for s in range(starts[item] + 1, starts[item + 1]):
        for f in range(p):
            if rows[item_rows[s], f] != rows[anchor, f]:
                _add(forced, FIRST, f)
    count = 0
    for j in range(len(eligible)):
        if not eligible[j] or j == item:
            continue
        _clear(masks, j)
        for s in range(starts[j], starts[j + 1]):
            row = item_rows[s]
            for f in range(p):
                if rows[row, f] != rows[anchor, f]:
                    _add(masks, j, f)
        missing = 0
        for w in range(masks.shape[1]):
            missing += how_many(masks[j, w] | forced[0, w])
        if missing <= most:
            order[count] = j
            count += 1
    total = arrays.intercept
    for f in range(p):
        level = rows[anchor, f]
        here = units[f, level]
        gain = extra_best[f, level] - here
        total += here
        features[f].choice = -1
        features[f].gain = gain
        i = f
        while i > 0 and features[features[i - 1].by_gain].gain < gain:
            features[i].by_gain = features[i - 1].by_gain
            i -= 1
        features[i].by_gain = f
    scalars[STAGE] = 0
    scalars[ANCHOR] = anchor
    scalars[OPEN] = count
    root = state.nodes[0]
    root.covered = weights[item]
    root.score = total
    root.taken = 0
    root.child = -1
    _clear(state.inside, FIRST)
    _clear(state.outside, FIRST)


@lean(inner=True)
def _joins(arrays, item, feature, option):
    """Whether all rows of an item may join when a feature is taken towards an option."""
    rows, starts, item_rows, joining = arrays.rows, arrays.item_start, arrays.item_rows, arrays.option_from
    first = arrays.option_start[feature] + option * arrays.levels[feature]
    every = True
    for s in range(starts[item], starts[item + 1]):
        every &= joining[first + rows[item_rows[s], feature]]
    return every


@lean(inner=True)
def _evaluate(arrays, state, weights, parts, d):
    """Sort the items of node ``d`` into covered, possible and lost; bound what the node can still weigh."""
    masks, features, order = state.masks, state.features, state.order
    inside, outside = state.inside, state.outside
    node = state.nodes[d]
    words = masks.shape[1]
    rest = arrays.max_changes - node.taken
    ruled = -1
    before = state.scalars[OPEN]
    if d > 0:
        parent = state.nodes[d - 1]
        before = parent.alive
        f = parent.feature
        if not arrays.simple[f] and features[f].choice >= 0:
            ruled = f
    covered = node.covered
    for f in range(len(features)):
        features[f].load = 0
    keep = 0
    for i in range(before):
        j = order[i]
        missing = 0
        lost = False
        for w in range(words):
            if masks[j, w] & outside[d, w] != ZERO:
                lost = True
            missing += how_many(masks[j, w] & ~inside[d, w])
        if ruled >= 0 and not lost and _has(masks, j, ruled):
            lost = not _joins(arrays, j, ruled, features[ruled].choice)
        if lost or missing > rest:
            continue
        if missing == 0:
            covered += weights[j]
            continue
        order[i] = order[keep]
        order[keep] = j
        keep += 1
        part = parts[j, missing] + 1
        for w in range(words):
            left = masks[j, w] & ~inside[d, w]
            while left != ZERO:
                features[(w << 6) + lowest(left)].load += part
                left &= left - ONE
    node.alive = keep
    node.covered = covered
    best = 0
    size = 0
    for f in range(len(features)):
        load = features[f].load
        if load > 0:
            i = min(size, rest)
            if i == rest and (rest == 0 or features[i - 1].top >= load):
                continue
            if i == rest:
                i -= 1
                best -= features[i].top
            else:
                size += 1
            while i > 0 and features[i - 1].top < load:
                features[i].top = features[i - 1].top
                i -= 1
            features[i].top = load
            best += load
    return covered + best


@lean(inner=True)
def _all_together(arrays, state, weights, d):
    """Weight of covering every possible item of node ``d`` at once, or -1 where that cannot be.

    On success ``state.found`` holds its choice.
    """
    masks, features, order = state.masks, state.features, state.order
    inside, forced, simple = state.inside, state.forced, arrays.simple
    node = state.nodes[d]
    words = masks.shape[1]
    for w in range(words):
        inside[d + 1, w] = inside[d, w] | forced[0, w]
    total = node.covered
    for i in range(node.alive):
        j = order[i]
        total += weights[j]
        for w in range(words):
            inside[d + 1, w] |= masks[j, w]
    rest = arrays.max_changes
    score = node.score
    for w in range(words):
        rest -= how_many(inside[d + 1, w])
        left = inside[d + 1, w] & ~inside[d, w]
        while left != ZERO:
            f = (w << 6) + lowest(left)
            if not simple[f]:
                return -1
            score += features[f].gain
            left &= left - ONE
    for f in range(len(features)):
        choice = features[f].choice
        features[f].found = 0 if choice < 0 and _has(inside, d + 1, f) else choice
    if rest < 0 or not _reachable(features, inside, arrays.threshold, score, d + 1, rest):
        return -1
    return total


@lean(inner=True)
def _branching_feature(features, forced, inside, d):
    """A forced feature first, else the one with the largest load."""
    for w in range(inside.shape[1]):
        left = forced[0, w] & ~inside[d, w]
        if left != ZERO:
            return (w << 6) + lowest(left)
    heaviest = 0
    for f in range(len(features)):
        if features[f].load > features[heaviest].load:
            heaviest = f
    return heaviest


@lean()
def advance(arrays, state, item, weights, parts, step, limit):
    """Search, or go on searching, for at most ``limit`` nodes.

    With ``step`` > 0: look for columns at least ``step`` heavier than ``scalars[BEST]``, raising it. With
    ``step`` 0: report every maximal column that weighs at least ``scalars[BEST]``.

    Returns DONE; LIMIT: call again to go on; FOUND: a column stands in ``state.found``, call again;
    CANDIDATE: the units do not exclude the column in ``state.found``, of weight ``scalars[WEIGHT]``: set
    ``scalars[ANSWER]`` (PRUNE gives up the subtree of depth ``scalars[TARGET]``) and call again.
    """
    features, inside, outside, forced = state.features, state.inside, state.outside, state.forced
    nodes, sc, exact, option_count = state.nodes, state.scalars, arrays.exact, arrays.option_count
    words = inside.shape[1]
    if sc[STAGE] == BEGIN:
        _begin(arrays, state, item, weights)
    end = sc[NODES] + limit
    while True:
        d = sc[DEPTH]
        if d < 0:
            return DONE
        node = nodes[d]
        if node.child == -1:
            need = sc[BEST] + step
            stage = sc[STAGE]
            answer = sc[ANSWER]
            sc[STAGE] = 0
            sc[ANSWER] = 0
            pending = False
            for w in range(words):
                if forced[0, w] & ~inside[d, w] != ZERO:
                    pending = True
            if stage == 0:
                if sc[NODES] >= end:
                    return LIMIT
                sc[NODES] += 1
                node.bound = _evaluate(arrays, state, weights, parts, d)
                rest = arrays.max_changes - node.taken
                if node.bound < need or not _reachable(
                    features, inside, arrays.threshold, node.score, d, rest
                ):
                    sc[DEPTH] -= 1
                    continue
                sc[WEIGHT] = _all_together(arrays, state, weights, d)
                if sc[WEIGHT] >= 0:
                    if sc[WEIGHT] < need:
                        sc[DEPTH] -= 1
                        continue
                    if not exact:
                        sc[STAGE] = 1
                        return CANDIDATE
                    stage = 1
                    answer = ACCEPT
            if answer == PRUNE:
                while sc[DEPTH] > sc[TARGET]:
                    sc[DEPTH] -= 1
                    features[nodes[sc[DEPTH]].feature].choice = -1
                sc[DEPTH] -= 1
                continue
            if answer == ACCEPT and step > 0:
                sc[BEST] = sc[WEIGHT]
                for f in range(len(features)):
                    features[f].best = features[f].found
            if stage == 1 and answer == ACCEPT:
                sc[DEPTH] -= 1
                if step == 0 and exact:
                    return FOUND
                continue
            if node.alive == 0 and not pending:
                sc[DEPTH] -= 1
                continue
            if stage < 2 and step > 0 and not pending and node.covered >= need:
                sc[WEIGHT] = node.covered
                for f in range(len(features)):
                    features[f].found = features[f].choice
                if not exact:
                    sc[STAGE] = 2
                    return CANDIDATE
                sc[BEST] = sc[WEIGHT]
                for f in range(len(features)):
                    features[f].best = features[f].choice
            node.feature = _branching_feature(features, forced, inside, d)
            node.child = 0
        f = node.feature
        k = node.child
        last = option_count[f]
        while k < last and not _joins(arrays, item, f, k):
            k += 1
        features[f].choice = -1
        if k > last or (k == last and _has(forced, FIRST, f)) or node.bound < sc[BEST] + step:
            sc[DEPTH] -= 1
            continue
        node.child = k + 1
        child = nodes[d + 1]
        child.covered = node.covered
        child.taken = node.taken
        child.score = node.score
        child.child = -1
        for w in range(words):
            inside[d + 1, w] = inside[d, w]
            outside[d + 1, w] = outside[d, w]
        if k < last:
            features[f].choice = k
            _add(inside, d + 1, f)
            child.taken += 1
            child.score += arrays.option_best[f, k] - arrays.units[f, arrays.rows[sc[ANCHOR], f]]
        else:
            _add(outside, d + 1, f)
        sc[DEPTH] = d + 1


def open_bound(state: SearchState) -> int:
    """Bound every column the paused search has not looked at yet."""
    depth = int(state.scalars[DEPTH])
    if depth == 0 and state.nodes[0]["child"] == -1:
        return 2**62
    evaluated = state.nodes["child"][: depth + 1] != -1
    return int(max(state.scalars[BEST], state.nodes["bound"][: depth + 1][evaluated].max()))
