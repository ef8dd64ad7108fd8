"""The compiled search for the group that saves most against prices, around one anchor row.

The rows of a group go to one point, and each pays for the features in which it differs from the point. The
anchor is one of them that pays least, and what it pays lies in a given range. The search decides feature by
feature: *leave* it (all rows of the group agree with the anchor, and so does the point), or change it, the
point taking a *level*. Where any change costs one and all are allowed, only levels of rows still possible
are tried: elsewhere everybody pays. A row is served once all features in which it differs from the anchor
are decided. It pays at least what is decided, what the anchor pays, what its own nearest change costs, and
what it and the anchor pay together to meet, less what the anchor may still pay. The classifier plays a part
only in what nearest changes cost.

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
LOW, HIGH = range(4, 6)
# levels of the point that are not decided, or not to be changed
OPEN, LEFT = -1, -2
NEVER = np.int64(2**40)  # more than anything costs


class Market(NamedTuple):
    """Rows and people, and what moves cost them; ``V`` is the largest number of levels."""

    rank: IntArray  # (n,): of rows that pay the same, the first is the anchor
    people: IntArray  # (n,)
    least: IntArray  # (n,): no change that helps the row costs less
    costs: IntArray  # (p, V, V): from, to; NEVER where that is not allowed
    meeting: IntArray  # (p, V, V): what rows at two of their levels pay at least together to meet
    every: BoolArray  # (p,): points may take levels that no row of the group has, and be cheaper there
    scale: int  # what a cost of one counts in prices
    paid: IntArray  # (depth, n): memory: what is decided that each row pays


@lean(inner=True)
def _evaluate(arrays, market, state, prices, anchor, d):
    """Drop rows that cannot join any more, or save nothing; bound what the others can save together."""
    rows, least, people, paid, rank = arrays.rows, market.least, market.people, market.paid, market.rank
    masks, order, inside, loads, sc = state.masks, state.order, state.inside, state.loads, state.scalars
    node = state.nodes[d]
    last = state.nodes[max(0, d - 1)].feature
    left = d > 0 and state.choice[last] == LEFT
    mine = paid[d, anchor]
    spare = sc[HIGH] - mine
    floor = max(sc[LOW], least[anchor], mine)
    for f in range(loads.shape[1]):
        loads[0, f] = 0
    bound = 0
    keep = 0
    for i in range(node.alive):
        j = order[i]
        missing = 0
        meet = 0
        for w in range(masks.shape[1]):
            needed = masks[j, w] & ~inside[d, w]
            missing += how_many(needed)
            while needed != ZERO:
                f = (w << 6) + lowest(needed)
                meet = min(NEVER, meet + market.meeting[f, rows[j, f], rows[anchor, f]])
                needed &= needed - ONE
        # Without an open need both pay alike from here on: the other row would be the anchor.
        first = missing == 0 and (paid[d, j] < mine or (paid[d, j] == mine and rank[j] < rank[anchor]))
        pays = max(floor, least[j], paid[d, j] + max(0, meet - spare))
        gain = people[j] * (prices[j] - market.scale * pays)
        if gain <= 0 or first or missing > node.rest or (left and has(masks, j, last)):
            if j == anchor:
                return 0
            continue
        order[i] = order[keep]
        order[keep] = j
        keep += 1
        if missing == 0:
            bound += gain
            continue
        for w in range(masks.shape[1]):
            needed = masks[j, w] & ~inside[d, w]
            while needed != ZERO:
                loads[0, (w << 6) + lowest(needed)] += gain // missing + 1
                needed &= needed - ONE
    node.alive = keep
    return 0 if spare < 0 else bound + largest(loads, node.rest)


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
                for f in range(len(choice)):
                    state.found[f] = choice[f]
                sc[DEPTH] -= 1
                continue
        f = node.feature
        n = market.costs.shape[1]
        k = node.child
        choice[f] = OPEN
        if k < n and node.rest == 0:
            k = n
        tried = False
        while k < n and not tried:
            # A row has the level, or rules and costs matter.
            tried = market.every[f]
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
