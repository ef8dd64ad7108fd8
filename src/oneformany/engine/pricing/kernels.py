"""The compiled inner loops: one resumable depth-first search serves pricing and enumeration.

For an anchor row *g*, every item *j* (a row, or rows that must stay together) has the bit mask of the
features in which it differs from *g*. The search decides feature by feature: *take* it (towards one of its
options, see ``space.py``) or *leave* it. A node knows which items are covered (nothing missing), which are
still possible, and how far the score can still rise. All weights and scores are integers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import how_many, lean, lowest

# what `advance` returns
DONE, LIMIT, CANDIDATE = 0, 1, 2
# indices into SearchState.scalars
DEPTH, BEST, NODES, WEIGHT = range(4)
# values of a node's next child before there is one: it is to be evaluated, or was
NEW, EVALUATED = -1, -2

ONE = np.uint64(1)  # one bit of a word
ZERO = np.uint64(0)  # no bit of a word
LOST, SOME = -(2**62), -(2**61)  # instead of a weight: no column below; perhaps, but not of all at once


class SearchArrays(NamedTuple):
    """A problem as arrays. ``V`` levels and ``K`` options are the largest numbers over all features."""

    rows: IntArray  # (n, p)
    item_start: IntArray  # (items + 1,) into item_rows
    item_rows: IntArray
    option_count: IntArray  # (p,)
    option_start: IntArray  # (p,) into joins
    joins: BoolArray  # (n, options of all features): a row may join when the option is taken
    option_best: IntArray  # (p, K): largest units of a level that all of them may move to
    simple: BoolArray  # (p,): no rule on this feature
    units: IntArray  # (p, V)
    score: IntArray  # (n,): units of each row
    gain: IntArray  # (n, p): what moving one feature of a row alone adds to them at most
    by_gain: IntArray  # (n, p): its features by falling gain
    threshold: int
    max_changes: int


# a node of the path of a search
NODE = np.dtype(
    [
        ("alive", np.int64),  # items still possible; they stand first in `order`
        ("covered", np.int64),  # weight of the items that miss nothing
        ("score", np.int64),  # units of the best point with the features taken
        ("rest", np.int64),  # how many more may be taken
        ("feature", np.int64),  # the one branched on
        ("child", np.int64),  # the next one
        ("bound", np.int64),  # no column below weighs more
    ]
)


class SearchState(NamedTuple):
    """Everything a search needs to pause and go on; ``W`` words hold a set of features."""

    masks: IntArray  # (items, W) unsigned
    order: IntArray  # (items,)
    eligible: BoolArray  # (items,)
    nodes: NDArray[np.void]  # (depth,) of NODE: the path
    choice: IntArray  # (p,): option taken on the path, -1 for left or undecided
    found: IntArray  # (p,): choice of the column just reported
    inside: IntArray  # (depth, W) unsigned: taken
    loads: IntArray  # (2, p): weight that possible items spread over each feature; memory to sort it
    scalars: IntArray  # (4,); all zero but BEST before a search begins


def new_state(n_items: int, n_features: int, scalars: int = 4) -> SearchState:
    """Memory for searches over so many items."""
    words, depth = (n_features + 63) // 64, n_features + 3
    return SearchState(
        masks=np.zeros((n_items, words), dtype=np.uint64),
        order=np.zeros(n_items, dtype=np.int64),
        eligible=np.ones(n_items, dtype=np.bool_),
        nodes=np.zeros(depth, dtype=NODE),
        choice=np.zeros(n_features, dtype=np.int64),
        found=np.zeros(n_features, dtype=np.int64),
        inside=np.zeros((depth, words), dtype=np.uint64),
        loads=np.zeros((2, n_features), dtype=np.int64),
        scalars=np.zeros(scalars, dtype=np.int64),
    )


# Sets of features are rows of a matrix of words, named by matrix and row: making views takes long to compile.


@lean(inner=True)
def has(sets, row, feature):
    """Whether a set holds a feature."""
    return (sets[row, feature >> 6] >> np.uint64(feature & 63)) & ONE != ZERO


@lean(inner=True)
def add(sets, row, feature):
    """Put a feature into a set."""
    sets[row, feature >> 6] |= ONE << np.uint64(feature & 63)


@lean(inner=True)
def largest(numbers, count):
    """Sum of so many of the largest numbers of the first line, none below zero; the second is memory."""
    total = 0
    for i in range(count):
        numbers[1, i] = 0
    for f in range(numbers.shape[1]):
        number = numbers[0, f]
        i = count - 1
        if i < 0 or numbers[1, i] >= number:
            continue
        total += number - numbers[1, i]
        while i > 0 and numbers[1, i - 1] < number:
            numbers[1, i] = numbers[1, i - 1]
            i -= 1
        numbers[1, i] = number
    return total


@lean(inner=True)
def heaviest(numbers):
    """Where the largest number of the first line stands, the first of equal ones."""
    found = 0
    for f in range(numbers.shape[1]):
        if numbers[0, f] > numbers[0, found]:
            found = f
    return found


# A named tuple is taken apart once per function: every look inside takes time to compile.


@lean(inner=True)
def _reachable(arrays, inside, anchor, score, d, more):
    """Whether ``score`` plus the ``more`` largest gains outside ``inside[d]`` meets the threshold."""
    gains, by_gain, threshold = arrays.gain, arrays.by_gain, arrays.threshold
    for i in range(by_gain.shape[1]):
        if score >= threshold or more == 0:
            break
        f = by_gain[anchor, i]
        gain = gains[anchor, f]
        if gain <= 0:
            break
        if not has(inside, d, f):
            score += gain
            more -= 1
    return score >= threshold


@lean(inner=True)
def begin(arrays, state, item):
    """Set up the search around ``item``; ``state.eligible`` says which items may join it."""
    rows, starts, item_rows = arrays.rows, arrays.item_start, arrays.item_rows
    masks, order, eligible, inside = state.masks, state.order, state.eligible, state.inside
    p = rows.shape[1]
    anchor = item_rows[starts[item]]
    for w in range(inside.shape[1]):
        inside[0, w] = ZERO
    count = 0
    for j in range(len(eligible)):
        if not eligible[j] and j != item:
            continue
        for w in range(masks.shape[1]):
            masks[j, w] = ZERO
        for s in range(starts[j], starts[j + 1]):
            row = item_rows[s]
            for f in range(p):
                if rows[row, f] != rows[anchor, f]:
                    add(masks, j, f)
        order[count] = j
        count += 1
    for f in range(p):
        state.choice[f] = -1
    root = state.nodes[0]
    root.alive = count
    root.covered = 0
    root.score = arrays.score[anchor]
    root.rest = arrays.max_changes
    root.child = NEW


@lean(inner=True)
def _joins(arrays, item, feature, option):
    """Whether all rows of an item may join when a feature is taken towards an option."""
    starts, item_rows, joins = arrays.item_start, arrays.item_rows, arrays.joins
    every = True
    for s in range(starts[item], starts[item + 1]):
        every &= joins[item_rows[s], arrays.option_start[feature] + option]
    return every


@lean(inner=True)
def _evaluate(arrays, state, item, weights, d):
    """Sort the items of node ``d`` into covered, possible and lost; bound what the node can still weigh.

    Where the anchor's own item is among them, that is ``LOST``.
    """
    masks, order, inside, loads = state.masks, state.order, state.inside, state.loads
    node = state.nodes[d]
    rest = node.rest
    last, choice = 0, -1
    all_stay = True
    if d > 0:
        last = state.nodes[d - 1].feature
        choice = state.choice[last]
        all_stay = choice >= 0 and arrays.simple[last]
    for f in range(loads.shape[1]):
        loads[0, f] = 0
    keep = 0
    for i in range(node.alive):
        j = order[i]
        missing = 0
        for w in range(masks.shape[1]):
            missing += how_many(masks[j, w] & ~inside[d, w])
        lost = missing > rest
        if not all_stay and not lost and has(masks, j, last):
            lost = choice < 0 or not _joins(arrays, j, last, choice)
        if lost:
            if j == item:
                return LOST
            continue
        if missing == 0:
            node.covered += weights[j]
            continue
        order[i] = order[keep]
        order[keep] = j
        keep += 1
        part = weights[j] // missing + 1
        for w in range(masks.shape[1]):
            left = masks[j, w] & ~inside[d, w]
            while left != ZERO:
                loads[0, (w << 6) + lowest(left)] += part
                left &= left - ONE
    node.alive = keep
    return node.covered + largest(loads, rest)


@lean(inner=True)
def _all_together(arrays, state, anchor, weights, d):
    """Weight of covering every possible item of node ``d`` at once, or ``SOME`` where that cannot be.

    On success ``state.found`` holds its choice.
    """
    masks, order, choice, inside = state.masks, state.order, state.choice, state.inside
    simple, gains = arrays.simple, arrays.gain
    node = state.nodes[d]
    words = masks.shape[1]
    for w in range(words):
        inside[d + 1, w] = inside[d, w]
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
                return SOME
            score += gains[anchor, f]
            left &= left - ONE
    for f in range(len(choice)):
        state.found[f] = 0 if choice[f] < 0 and has(inside, d + 1, f) else choice[f]
    if rest < 0 or not _reachable(arrays, inside, anchor, score, d + 1, rest):
        return SOME
    return total


@lean()
def advance(arrays, state, item, weights, step, limit):
    """Search, or go on searching, for at most ``limit`` nodes.

    Columns count that weigh at least ``scalars[BEST]`` and ``step``, and that may be maximal. Returns DONE;
    LIMIT: call again to go on; CANDIDATE: the units do not exclude the column in ``state.found``, of weight
    ``scalars[WEIGHT]``, and nothing below the node is heavier: if that settles it, go one up; call again.
    """
    choice, inside, nodes, sc = state.choice, state.inside, state.nodes, state.scalars
    option_count, anchor = arrays.option_count, arrays.item_rows[arrays.item_start[item]]
    if sc[NODES] == 0:
        begin(arrays, state, item)
    end = sc[NODES] + limit
    while sc[DEPTH] >= 0:
        d = sc[DEPTH]
        node = nodes[d]
        if node.child == NEW:
            if sc[NODES] >= end:
                return LIMIT
            sc[NODES] += 1
            need = sc[BEST] + step
            node.bound = _evaluate(arrays, state, item, weights, d)
            node.child = EVALUATED
            sc[WEIGHT] = LOST
            if node.bound >= need and _reachable(arrays, inside, anchor, node.score, d, node.rest):
                sc[WEIGHT] = _all_together(arrays, state, anchor, weights, d)
            if sc[WEIGHT] >= need:
                return CANDIDATE
            if sc[WEIGHT] != SOME:
                sc[DEPTH] -= 1
                continue
        if node.child == EVALUATED:
            if node.alive == 0:
                sc[DEPTH] -= 1
                continue
            node.feature = heaviest(state.loads)
            node.child = 0
        f = node.feature
        k = node.child
        last = option_count[f]
        while k < last and not _joins(arrays, item, f, k):
            k += 1
        choice[f] = -1
        if k > last or node.bound < sc[BEST] + step:
            sc[DEPTH] -= 1
            continue
        node.child = k + 1
        child = nodes[d + 1]
        child.alive = node.alive
        child.covered = node.covered
        child.score = node.score
        child.rest = node.rest
        child.child = NEW
        for w in range(inside.shape[1]):
            inside[d + 1, w] = inside[d, w]
        if k < last:
            choice[f] = k
            add(inside, d + 1, f)
            child.rest -= 1
            child.score += arrays.option_best[f, k] - arrays.units[f, arrays.rows[anchor, f]]
        sc[DEPTH] = d + 1
    return DONE
