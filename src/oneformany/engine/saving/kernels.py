"""The compiled search for the group that saves most against prices, around one anchor row.

The rows of a group go to one point, and each pays for the features in which it differs from the point. The
anchor is one of them that pays least, and what it pays lies in a given range. The search decides feature by
feature: *leave* it (all rows of the group agree with the anchor, and so does the point), or change it, the
point taking a *level*. Where any change costs one and all are allowed, only levels of rows still possible
are tried, and those of a better score: elsewhere everybody pays. A row is served once all features in
which it differs from the anchor are decided. It pays at least what is decided, what the anchor pays, what
its own nearest change costs, and what it and the anchor pay together to meet, less what the anchor may
still pay; and, where the score is additive, what all must change besides to make it positive. No other
classifier plays a part in it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import lean
from oneformany.engine.pricing.kernels import DONE, LIMIT, heaviest, largest

# indices into SavingState.scalars
DEPTH, BEST, NODES, LOW, HIGH, EXTRA, FOUND_EXTRA = range(7)
# levels of the point that are not decided, or not to be changed
OPEN, LEFT = -1, -2
NEVER = 2**40  # more than anything costs


class SavingArrays(NamedTuple):
    """Rows, and what moves cost them; ``V`` is the largest number of levels."""

    rows: IntArray  # (n, p)
    rank: IntArray  # (n,): of rows that pay the same, the first is the anchor
    people: IntArray  # (n,)
    least: IntArray  # (n,): no change that helps the row costs less
    levels: IntArray  # (p,)
    costs: IntArray  # (p, V, V): from, to; NEVER where that is not allowed
    meeting: IntArray  # (p, V, V): what rows at two of their levels pay at least together to meet
    leaving: IntArray  # (p, V): least cost of moving away from a level
    units: IntArray  # (p, V): what levels add to an additive score; 0 where the score is not additive
    raised: IntArray  # (p, V): largest units a row at this level may move to
    lacks: IntArray  # (n,): what the units of each row lack to a positive score
    every: BoolArray  # (p,): points may take levels that no row of the group has, and be cheaper there
    max_changes: int
    scale: int  # what a cost of one counts in prices


class SavingState(NamedTuple):
    """Everything a search needs to pause and go on."""

    order: IntArray  # (n,)
    paid: IntArray  # (depth, n): what is decided that each row pays
    nodes: NDArray[np.void]  # (depth,) of the NODE of pricing: the path; nothing is covered or scored there
    levels: IntArray  # (p,): of the point, OPEN or LEFT
    found: IntArray  # (p,): of the best group
    needed: BoolArray  # (p,): open, and a row still possible differs from the anchor in it
    loads: IntArray  # (2, p): savings that rows spread over the features they need; memory to sort them
    scalars: IntArray  # (7,)


@lean(inner=True)
def _filter(arrays, state, anchor, d):
    """Drop rows that cannot join any more, mark the features that are needed, find the anchor."""
    rows, rank, levels, order, needed = arrays.rows, arrays.rank, state.levels, state.order, state.needed
    node = state.nodes[d]
    p = len(levels)
    for f in range(p):
        needed[f] = False
    mine = state.paid[d, anchor]
    keep = 0
    here = False
    for i in range(node.alive):
        j = order[i]
        paid = state.paid[d, j]
        missing = 0
        for f in range(p):
            if rows[j, f] != rows[anchor, f]:
                missing += levels[f] == OPEN
                if levels[f] == LEFT or (d == 0 and arrays.meeting[f, rows[j, f], rows[anchor, f]] >= NEVER):
                    paid = NEVER
        # Without an open need both pay alike from here on: the other row would be the anchor.
        first = missing == 0 and (paid < mine or (paid == mine and rank[j] < rank[anchor]))
        if paid >= NEVER or missing > node.rest or first:
            continue
        here |= j == anchor
        order[i] = order[keep]
        order[keep] = j
        keep += 1
        for f in range(p):
            needed[f] |= levels[f] == OPEN and rows[j, f] != rows[anchor, f]
    node.alive = keep
    return here


@lean(inner=True)
def _besides(arrays, state, anchor, rest):
    """Changes that everybody must make where all rows agree, for a positive score; -1: that is too many."""
    units, raised, levels, gains = arrays.units, arrays.raised, state.levels, state.loads
    lack = arrays.lacks[anchor]
    for f in range(len(levels)):
        home = arrays.rows[anchor, f]
        gain = raised[f, home] - units[f, home]
        gains[0, f] = 0
        if levels[f] >= 0:
            lack -= units[f, levels[f]] - units[f, home]
        elif levels[f] == OPEN and state.needed[f]:
            lack -= gain
        elif levels[f] == OPEN:
            gains[0, f] = gain
    more = 0
    while lack > 0:
        top = heaviest(gains)
        if gains[0, top] == 0 or more == rest:
            return -1
        lack -= gains[0, top]
        gains[0, top] = 0
        more += 1
    return more


@lean(inner=True)
def _evaluate(arrays, state, prices, anchor, d):
    """Bound what a group can still save; drop rows that save nothing, which may raise what the others pay."""
    rows, people, levels, loads, sc = arrays.rows, arrays.people, state.levels, state.loads, state.scalars
    p = len(levels)
    node = state.nodes[d]
    while True:
        more = _besides(arrays, state, anchor, node.rest) if _filter(arrays, state, anchor, d) else -1
        if more < 0:
            return 0
        extra = NEVER if more > 0 else 0
        for f in range(p):
            home = rows[anchor, f]
            loads[0, f] = 0
            if levels[f] == OPEN and not state.needed[f] and arrays.raised[f, home] > arrays.units[f, home]:
                extra = min(extra, more * arrays.leaving[f, home])
        sc[EXTRA] = extra
        mine = state.paid[d, anchor] + extra
        spare = sc[HIGH] - mine
        if spare < 0:
            return 0
        floor = max(sc[LOW], arrays.least[anchor], mine)
        bound = 0
        dropped = False
        for i in range(node.alive):
            j = state.order[i]
            missing = 0
            meet = 0
            for f in range(p):
                if levels[f] == OPEN and rows[j, f] != rows[anchor, f]:
                    missing += 1
                    meet += arrays.meeting[f, rows[j, f], rows[anchor, f]]
            paid = state.paid[d, j] + extra
            gain = prices[j] - arrays.scale * max(floor, arrays.least[j], paid + max(0, meet - spare))
            if gain <= 0:
                if j == anchor:
                    return 0
                state.paid[d, j] = NEVER
                dropped |= missing > 0
                continue
            if missing == 0:
                bound += people[j] * gain
                continue
            part = people[j] * gain // missing + 1
            for f in range(p):
                if levels[f] == OPEN and rows[j, f] != rows[anchor, f]:
                    loads[0, f] += part
        bound += largest(loads, node.rest - more)
        # Without a score to reach, nothing depends on rows that are gone.
        if not dropped or bound <= sc[BEST] or arrays.lacks[anchor] <= 0:
            return bound


@lean()
def advance(arrays, state, prices, anchor, limit):
    """Go on for at most ``limit`` nodes: look for groups that save more than ``scalars[BEST]``, raising it.

    Returns DONE, or LIMIT: call again to go on. The point of the best group stands in ``state.found``.
    """
    sc, nodes, levels, paid = state.scalars, state.nodes, state.levels, state.paid
    end = sc[NODES] + limit
    while sc[DEPTH] >= 0:
        d = sc[DEPTH]
        node = nodes[d]
        if node.child == -1:
            if sc[NODES] >= end:
                return LIMIT
            sc[NODES] += 1
            node.bound = _evaluate(arrays, state, prices, anchor, d)
            if node.bound <= sc[BEST]:
                sc[DEPTH] -= 1
                continue
            node.feature = heaviest(state.loads)
            node.child = 0
            if state.loads[0, node.feature] == 0:
                sc[BEST] = node.bound
                sc[FOUND_EXTRA] = sc[EXTRA]
                for f in range(len(levels)):
                    state.found[f] = levels[f]
                sc[DEPTH] -= 1
                continue
        f = node.feature
        n = arrays.levels[f]
        k = node.child
        levels[f] = OPEN
        if k < n and node.rest == 0:
            k = n
        home, tried = arrays.rows[anchor, f], False
        while k < n and not tried:
            # A row has the level, or it is better for the score, or rules and costs matter.
            tried = arrays.every[f] or arrays.units[f, k] > arrays.units[f, home]
            for i in range(node.alive):
                tried |= arrays.rows[state.order[i], f] == k
            k += not tried
        node.child = k + 1
        if k > n or node.bound <= sc[BEST]:
            sc[DEPTH] -= 1
            continue
        levels[f] = k if k < n else LEFT
        child = nodes[d + 1]
        child.alive = node.alive
        child.rest = node.rest - (k < n)
        child.child = -1
        for i in range(node.alive):
            j = state.order[i]
            step = 0 if k == n else arrays.costs[f, arrays.rows[j, f], k]
            paid[d + 1, j] = min(NEVER, paid[d, j] + step)
        sc[DEPTH] = d + 1
    return DONE
