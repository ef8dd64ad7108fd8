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

Its memory is that of pricing: ``choice`` holds the levels of the point, and nothing is covered or scored.
"""

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import how_many, lean, lowest
from oneformany.engine.pricing.kernels import (
    BEST,
    DEPTH,
    DONE,
    LIMIT,
    NEW,
    NODES,
    ONE,
    ZERO,
    add,
    begin,
    has,
    heaviest,
    largest,
)

# further indices into SearchState.scalars
LOW, HIGH, EXTRA, FOUND_EXTRA = range(4, 8)
# levels of the point that are not decided, or not to be changed
OPEN, LEFT = -1, -2
NEVER = np.int64(2**40)  # more than anything costs


class Market(NamedTuple):
    """Rows and people, and what moves cost them; ``V`` is the largest number of levels."""

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
    scale: int  # what a cost of one counts in prices
    paid: IntArray  # (depth, n): memory: what is decided that each row pays


@lean(inner=True)
def _filter(market, state, anchor, d):
    """Drop rows that cannot join any more; ``inside[d + 1]`` holds the features that the others need."""
    masks, order, inside, rank = state.masks, state.order, state.inside, market.rank
    node = state.nodes[d]
    last = state.nodes[max(0, d - 1)].feature
    left = d > 0 and state.choice[last] == LEFT
    mine = market.paid[d, anchor]
    for w in range(masks.shape[1]):
        inside[d + 1, w] = ZERO
    keep = 0
    for i in range(node.alive):
        j = order[i]
        paid = market.paid[d, j]
        missing = 0
        for w in range(masks.shape[1]):
            missing += how_many(masks[j, w] & ~inside[d, w])
        # Without an open need both pay alike from here on: the other row would be the anchor.
        first = missing == 0 and (paid < mine or (paid == mine and rank[j] < rank[anchor]))
        if paid >= NEVER or missing > node.rest or first or (left and has(masks, j, last)):
            continue
        order[i] = order[keep]
        order[keep] = j
        keep += 1
        for w in range(masks.shape[1]):
            inside[d + 1, w] |= masks[j, w] & ~inside[d, w]
    node.alive = keep


@lean(inner=True)
def _besides(arrays, market, state, anchor, d):
    """Changes that everybody must make where all rows agree, for a positive score; -1: that is too many."""
    units, choice, gains = market.units, state.choice, state.loads
    lack = market.lacks[anchor]
    for f in range(len(choice)):
        home = arrays.rows[anchor, f]
        gain = market.raised[f, home] - units[f, home]
        gains[0, f] = 0
        if choice[f] >= 0:
            lack -= units[f, choice[f]] - units[f, home]
        elif choice[f] == OPEN and has(state.inside, d + 1, f):
            lack -= gain
        elif choice[f] == OPEN:
            gains[0, f] = gain
    more = 0
    while lack > 0:
        top = heaviest(gains)
        if gains[0, top] == 0 or more == state.nodes[d].rest:
            return -1
        lack -= gains[0, top]
        gains[0, top] = 0
        more += 1
    return more


@lean(inner=True)
def _evaluate(arrays, market, state, prices, anchor, d):
    """Bound what a group can still save; drop rows that save nothing, which may raise what the others pay."""
    rows, least, paid, masks = arrays.rows, market.least, market.paid, state.masks
    inside, loads, sc = state.inside, state.loads, state.scalars
    node = state.nodes[d]
    while paid[d, anchor] < NEVER:
        _filter(market, state, anchor, d)
        more = _besides(arrays, market, state, anchor, d)
        extra = NEVER if more > 0 else 0
        for f in range(rows.shape[1]):
            home = rows[anchor, f]
            loads[0, f] = 0
            agreed = state.choice[f] == OPEN and not has(inside, d + 1, f)
            if agreed and market.raised[f, home] > market.units[f, home]:
                extra = min(extra, more * market.leaving[f, home])
        sc[EXTRA] = extra
        mine = paid[d, anchor] + extra
        spare = sc[HIGH] - mine
        if more < 0 or spare < 0:
            return 0
        floor = max(sc[LOW], least[anchor], mine)
        bound = 0
        dropped = False
        for i in range(node.alive):
            j = state.order[i]
            missing = 0
            meet = 0
            for w in range(masks.shape[1]):
                left = masks[j, w] & ~inside[d, w]
                missing += how_many(left)
                while left != ZERO:
                    f = (w << 6) + lowest(left)
                    meet = min(NEVER, meet + market.meeting[f, rows[j, f], rows[anchor, f]])
                    left &= left - ONE
            pays = max(floor, least[j], paid[d, j] + extra + max(0, meet - spare))
            gain = prices[j] - market.scale * pays
            if gain <= 0:
                paid[d, j] = NEVER
                dropped |= missing > 0 or j == anchor
                continue
            if missing == 0:
                bound += market.people[j] * gain
                continue
            for w in range(masks.shape[1]):
                left = masks[j, w] & ~inside[d, w]
                while left != ZERO:
                    loads[0, (w << 6) + lowest(left)] += market.people[j] * gain // missing + 1
                    left &= left - ONE
        bound += largest(loads, node.rest - more)
        # Without a score to reach, nothing depends on rows that are gone.
        if paid[d, anchor] < NEVER and (not dropped or bound <= sc[BEST] or market.lacks[anchor] <= 0):
            return bound
    return 0


@lean()
def advance(arrays, market, state, prices, anchor, limit):
    """Go on for at most ``limit`` nodes: look for groups that save more than ``scalars[BEST]``, raising it.

    Returns DONE, or LIMIT: call again to go on. The point of the best group stands in ``state.found``.
    """
    sc, nodes, choice, inside, paid = state.scalars, state.nodes, state.choice, state.inside, market.paid
    if sc[NODES] == 0:
        begin(arrays, state, anchor)
        for j in range(paid.shape[1]):
            paid[0, j] = 0
    end = sc[NODES] + limit
    while sc[DEPTH] >= 0:
        d = sc[DEPTH]
        node = nodes[d]
        if node.child == NEW:
            if sc[NODES] >= end:
                return LIMIT
            sc[NODES] += 1
            node.bound = _evaluate(arrays, market, state, prices, anchor, d)
            if node.bound <= sc[BEST]:
                sc[DEPTH] -= 1
                continue
            node.feature = heaviest(state.loads)
            node.child = 0
            if state.loads[0, node.feature] == 0:
                sc[BEST] = node.bound
                sc[FOUND_EXTRA] = sc[EXTRA]
                for f in range(len(choice)):
                    state.found[f] = choice[f]
                sc[DEPTH] -= 1
                continue
        f = node.feature
        n = market.levels[f]
        k = node.child
        choice[f] = OPEN
        if k < n and node.rest == 0:
            k = n
        home, tried = arrays.rows[anchor, f], False
        while k < n and not tried:
            # A row has the level, or it is better for the score, or rules and costs matter.
            tried = market.every[f] or market.units[f, k] > market.units[f, home]
            for i in range(node.alive):
                tried |= arrays.rows[state.order[i], f] == k
            k += not tried
        node.child = k + 1
        if k > n or node.bound <= sc[BEST]:
            sc[DEPTH] -= 1
            continue
        choice[f] = k if k < n else LEFT
        child = nodes[d + 1]
        child.alive = node.alive
        child.rest = node.rest - (k < n)
        child.child = NEW
        for w in range(inside.shape[1]):
            inside[d + 1, w] = inside[d, w]
        add(inside, d + 1, f)
        for i in range(node.alive):
            j = state.order[i]
            step = 0 if k == n else market.costs[f, arrays.rows[j, f], k]
            paid[d + 1, j] = min(NEVER, paid[d, j] + step)
        sc[DEPTH] = d + 1
    return DONE
