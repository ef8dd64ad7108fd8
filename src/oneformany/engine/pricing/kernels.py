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
from oneformany.compiled import inner, outer

__all__ = [
    "ACCEPT",
    "ANCHOR",
    "BEST",
    "CANDIDATE",
    "DEPTH",
    "DONE",
    "FEATURE",
    "FOUND",
    "GO_ON",
    "LIMIT",
    "NODE",
    "NODES",
    "PRUNE",
    "REJECTED",
    "TARGET",
    "WEIGHT",
    "SearchArrays",
    "SearchState",
    "advance",
    "begin",
    "open_bound",
]

# what `advance` returns
DONE, LIMIT, CANDIDATE, FOUND = 0, 1, 2, 3
# indices into SearchState.scalars
DEPTH, BEST, NODES, ANCHOR, ANSWER, TARGET, STAGE, WEIGHT, OPEN, REJECTED = range(10)
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


@inner
def _popcount(x):
    x = x - ((x >> ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _lowest(x):
    return _popcount((x & (~x + ONE)) - ONE)


# Sets of features are rows of a matrix of words, named by matrix and row: making views takes long to compile.


@inner
def _has(sets, row, feature):
    return (sets[row, feature >> 6] >> np.uint64(feature & 63)) & ONE != ZERO


@inner
def _add(sets, row, feature):
    sets[row, feature >> 6] |= ONE << np.uint64(feature & 63)


@inner
def _clear(sets, row):
    for w in range(sets.shape[1]):
        sets[row, w] = ZERO


@inner
def _reachable(arrays, state, score, d, more):
    """Whether ``score`` plus the ``more`` largest gains outside ``state.inside[d]`` meets the threshold."""
    for i in range(len(state.features)):
        if score >= arrays.threshold or more == 0:
            break
        f = state.features[i].by_gain
        if state.features[f].gain <= 0:
            break
        if not _has(state.inside, d, f):
            score += state.features[f].gain
            more -= 1
    return score >= arrays.threshold


@outer
def begin(arrays, state, item, weights):
    """Set up the search around ``item``; ``state.eligible`` says which items may join it."""
    p = arrays.rows.shape[1]
    anchor = arrays.item_rows[arrays.item_start[item]]
    _clear(state.forced, FIRST)
    for s in range(arrays.item_start[item] + 1, arrays.item_start[item + 1]):
        for f in range(p):
            if arrays.rows[arrays.item_rows[s], f] != arrays.rows[anchor, f]:
                _add(state.forced, FIRST, f)
    count = 0
    for j in range(len(state.eligible)):
        if not state.eligible[j] or j == item:
            continue
        _clear(state.masks, j)
        for s in range(arrays.item_start[j], arrays.item_start[j + 1]):
            row = arrays.item_rows[s]
            for f in range(p):
                if arrays.rows[row, f] != arrays.rows[anchor, f]:
                    _add(state.masks, j, f)
        missing = 0
        for w in range(state.masks.shape[1]):
            missing += _popcount(state.masks[j, w] | state.forced[0, w])
        if missing <= arrays.max_changes:
            state.order[count] = j
            count += 1
    total = arrays.intercept
    for f in range(p):
        level = arrays.rows[anchor, f]
        total += arrays.units[f, level]
        state.features[f].choice = -1
        state.features[f].gain = arrays.extra_best[f, level] - arrays.units[f, level]
        i = f
        while i > 0 and state.features[state.features[i - 1].by_gain].gain < state.features[f].gain:
            state.features[i].by_gain = state.features[i - 1].by_gain
            i -= 1
        state.features[i].by_gain = f
    for i in range(len(state.scalars)):
        state.scalars[i] = 0
    state.scalars[ANCHOR] = anchor
    state.scalars[OPEN] = count
    state.nodes[0].covered = weights[item]
    state.nodes[0].score = total
    state.nodes[0].taken = 0
    _clear(state.inside, FIRST)
    _clear(state.outside, FIRST)
    state.nodes[0].child = -1


@inner
def _level_joins(arrays, feature, option, level):
    return arrays.option_from[arrays.option_start[feature] + option * arrays.levels[feature] + level]


@inner
def _joins(arrays, item, feature, option):
    for s in range(arrays.item_start[item], arrays.item_start[item + 1]):
        if not _level_joins(arrays, feature, option, arrays.rows[arrays.item_rows[s], feature]):
            return False
    return True


@inner
def _evaluate(arrays, state, weights, parts, d):
    """Sort the items of node ``d`` into covered, possible and lost; bound what the node can still weigh."""
    words = state.masks.shape[1]
    rest = arrays.max_changes - state.nodes[d].taken
    ruled = -1
    if d > 0:
        f = state.nodes[d - 1].feature
        if not arrays.simple[f] and state.features[f].choice >= 0:
            ruled = f
    before = state.nodes[d - 1].alive if d > 0 else state.scalars[OPEN]
    covered = state.nodes[d].covered
    for f in range(len(state.features)):
        state.features[f].load = 0
    keep = 0
    for i in range(before):
        j = state.order[i]
        missing = 0
        lost = False
        for w in range(words):
            if state.masks[j, w] & state.outside[d, w] != ZERO:
                lost = True
            missing += _popcount(state.masks[j, w] & ~state.inside[d, w])
        if ruled >= 0 and not lost and _has(state.masks, j, ruled):
            lost = not _joins(arrays, j, ruled, state.features[ruled].choice)
        if lost or missing > rest:
            continue
        if missing == 0:
            covered += weights[j]
            continue
        state.order[i] = state.order[keep]
        state.order[keep] = j
        keep += 1
        part = parts[j, missing]
        for w in range(words):
            left = state.masks[j, w] & ~state.inside[d, w]
            while left != ZERO:
                state.features[(w << 6) + _lowest(left)].load += part + 1
                left &= left - ONE
    state.nodes[d].alive = keep
    state.nodes[d].covered = covered
    best = 0
    size = 0
    p = len(state.features)
    for f in range(p):
        load = state.features[f].load
        if load > 0:
            i = min(size, rest)
            if i == rest and (rest == 0 or state.features[i - 1].top >= load):
                continue
            if i == rest:
                i -= 1
                best -= state.features[i].top
            else:
                size += 1
            while i > 0 and state.features[i - 1].top < load:
                state.features[i].top = state.features[i - 1].top
                i -= 1
            state.features[i].top = load
            best += load
    return covered + best


@inner
def _all_together(arrays, state, weights, d):
    """Weight of covering every possible item of node ``d`` at once, or -1 where that cannot be.

    On success ``state.found`` holds its choice.
    """
    words = state.masks.shape[1]
    for w in range(words):
        state.inside[d + 1, w] = state.inside[d, w] | state.forced[0, w]
    total = state.nodes[d].covered
    for i in range(state.nodes[d].alive):
        j = state.order[i]
        total += weights[j]
        for w in range(words):
            state.inside[d + 1, w] |= state.masks[j, w]
    count = 0
    score = state.nodes[d].score
    for w in range(words):
        count += _popcount(state.inside[d + 1, w])
        left = state.inside[d + 1, w] & ~state.inside[d, w]
        while left != ZERO:
            f = (w << 6) + _lowest(left)
            if not arrays.simple[f]:
                return -1
            score += state.features[f].gain
            left &= left - ONE
    for f in range(len(state.features)):
        new = _has(state.inside, d + 1, f) and state.features[f].choice < 0
        state.features[f].found = 0 if new else state.features[f].choice
    if count > arrays.max_changes:
        return -1
    if not _reachable(arrays, state, score, d + 1, arrays.max_changes - count):
        return -1
    return total


@inner
def _branching_feature(state, d):
    """A forced feature first, else the one with the largest load."""
    for w in range(state.masks.shape[1]):
        left = state.forced[0, w] & ~state.inside[d, w]
        if left != ZERO:
            return (w << 6) + _lowest(left)
    heaviest = 0
    for f in range(len(state.features)):
        if state.features[f].load > state.features[heaviest].load:
            heaviest = f
    return heaviest


@outer
def advance(arrays, state, item, weights, parts, step, limit):
    """Go on searching for at most ``limit`` nodes.

    With ``step`` > 0: look for columns at least ``step`` heavier than ``scalars[BEST]``, raising it. With
    ``step`` 0: report every maximal column that weighs at least ``scalars[BEST]``.

    Returns DONE; LIMIT: call again to go on; FOUND: a column stands in ``state.found``, call again;
    CANDIDATE: the units do not exclude the column in ``state.found``, of weight ``scalars[WEIGHT]``: set
    ``scalars[ANSWER]`` (PRUNE gives up the subtree of depth ``scalars[TARGET]``) and call again.
    """
    sc = state.scalars
    end = sc[NODES] + limit
    while True:
        d = sc[DEPTH]
        if d < 0:
            return DONE
        if state.nodes[d].child == -1:
            need = sc[BEST] + step
            stage = sc[STAGE]
            answer = sc[ANSWER]
            sc[STAGE] = 0
            sc[ANSWER] = 0
            pending = False
            for w in range(state.masks.shape[1]):
                if state.forced[0, w] & ~state.inside[d, w] != ZERO:
                    pending = True
            if stage == 0:
                if sc[NODES] >= end:
                    return LIMIT
                sc[NODES] += 1
                state.nodes[d].bound = _evaluate(arrays, state, weights, parts, d)
                rest = arrays.max_changes - state.nodes[d].taken
                if state.nodes[d].bound < need or not _reachable(
                    arrays, state, state.nodes[d].score, d, rest
                ):
                    sc[DEPTH] -= 1
                    continue
                sc[WEIGHT] = _all_together(arrays, state, weights, d)
                if sc[WEIGHT] >= 0:
                    if sc[WEIGHT] < need:
                        sc[DEPTH] -= 1
                        continue
                    if not arrays.exact:
                        sc[STAGE] = 1
                        return CANDIDATE
                    stage = 1
                    answer = ACCEPT
            if answer == PRUNE:
                while sc[DEPTH] > sc[TARGET]:
                    sc[DEPTH] -= 1
                    state.features[state.nodes[sc[DEPTH]].feature].choice = -1
                sc[DEPTH] -= 1
                continue
            if answer == ACCEPT and step > 0:
                sc[BEST] = sc[WEIGHT]
                for f in range(len(state.features)):
                    state.features[f].best = state.features[f].found
            if stage == 1 and answer == ACCEPT:
                sc[DEPTH] -= 1
                if step == 0 and arrays.exact:
                    return FOUND
                continue
            if state.nodes[d].alive == 0 and not pending:
                sc[DEPTH] -= 1
                continue
            if stage < 2 and step > 0 and not pending and state.nodes[d].covered >= need:
                sc[WEIGHT] = state.nodes[d].covered
                for f in range(len(state.features)):
                    state.features[f].found = state.features[f].choice
                if not arrays.exact:
                    sc[STAGE] = 2
                    return CANDIDATE
                sc[BEST] = sc[WEIGHT]
                for f in range(len(state.features)):
                    state.features[f].best = state.features[f].choice
            state.nodes[d].feature = _branching_feature(state, d)
            state.nodes[d].child = 0
        f = state.nodes[d].feature
        anchor_level = arrays.rows[sc[ANCHOR], f]
        k = state.nodes[d].child
        while k < arrays.option_count[f] and not _joins(arrays, item, f, k):
            k += 1
        state.features[f].choice = -1
        last = arrays.option_count[f] - 1 if _has(state.forced, FIRST, f) else arrays.option_count[f]
        if k > last or state.nodes[d].bound < sc[BEST] + step:
            sc[DEPTH] -= 1
            continue
        state.nodes[d].child = k + 1
        state.nodes[d + 1].covered = state.nodes[d].covered
        for w in range(state.masks.shape[1]):
            state.inside[d + 1, w] = state.inside[d, w]
            state.outside[d + 1, w] = state.outside[d, w]
        state.nodes[d + 1].taken = state.nodes[d].taken
        state.nodes[d + 1].score = state.nodes[d].score
        if k < arrays.option_count[f]:
            state.features[f].choice = k
            _add(state.inside, d + 1, f)
            state.nodes[d + 1].taken += 1
            state.nodes[d + 1].score += arrays.option_best[f, k] - arrays.units[f, anchor_level]
        else:
            _add(state.outside, d + 1, f)
        state.nodes[d + 1].child = -1
        sc[DEPTH] = d + 1


def open_bound(state: SearchState) -> int:
    """Bound every column the paused search has not looked at yet."""
    depth = int(state.scalars[DEPTH])
    if depth == 0 and state.nodes[0]["child"] == -1:
        return 2**62
    evaluated = state.nodes["child"][: depth + 1] != -1
    return int(max(state.scalars[BEST], state.nodes["bound"][: depth + 1][evaluated].max()))
