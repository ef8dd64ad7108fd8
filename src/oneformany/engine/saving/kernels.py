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

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import lean

DONE, LIMIT = 0, 1
DEPTH, BEST, NODES, LOW, HIGH, EXTRA, DROPPED = range(7)
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

    order: IntArray  # (n,): rows still possible stand first
    paid: IntArray  # (depth, n): what is decided that each row pays
    alive: IntArray  # (depth,)
    taken: IntArray  # (depth,)
    feature: IntArray  # (depth,)
    child: IntArray  # (depth,): -1 before the node is evaluated, then the next child
    bound: IntArray  # (depth,): no group below saves more
    levels: IntArray  # (p,): of the point, OPEN or LEFT
    found: IntArray  # (p,): of the best group
    found_extra: IntArray  # (1,): what everybody in it pays besides
    needed: BoolArray  # (p,): open, and a row still possible differs from the anchor in it
    loads: IntArray  # (p,): savings that rows spread over the features they need
    kept: IntArray  # (p,): the same when the point stays where the anchor is
    moved: IntArray  # (p, V): what is added to that when the point moves there
    bonus: IntArray  # (p,): the most that is added
    scalars: IntArray  # (7,)

    @classmethod
    def of(cls, n: int, p: int, levels: int) -> SavingState:
        """Memory for ``n`` rows of ``p`` features with at most so many levels."""
        depth = p + 2
        before = ((n,), (depth, n), *[(depth,)] * 5, (p,), (p,), (1,))
        after = ((p,), (p,), (p, levels), (p,), (7,))
        parts: list[Any] = [np.zeros(shape, dtype=np.int64) for shape in (*before, *after)]
        parts.insert(len(before), np.zeros(p, dtype=np.bool_))
        return cls(*parts)


@lean()
def begin(arrays, state, anchor):
    """Set up the search around ``anchor``."""
    n, p = arrays.rows.shape
    count = 0
    for j in range(n):
        state.paid[0, j] = 0
        missing = 0
        for f in range(p):
            if arrays.rows[j, f] != arrays.rows[anchor, f]:
                missing += 1
                if arrays.meeting[f, arrays.rows[j, f], arrays.rows[anchor, f]] >= NEVER:
                    missing = p + 1
                    break
        if missing <= arrays.max_changes:
            state.order[count] = j
            count += 1
    for f in range(p):
        state.levels[f] = OPEN
    state.alive[0] = count
    state.taken[0] = 0
    state.child[0] = -1
    state.scalars[DEPTH] = 0
    state.scalars[NODES] = 0


@lean(inner=True)
def _filter(arrays, state, anchor, d):
    """Drop rows that cannot join any more, mark the features that are needed, find the anchor."""
    p = arrays.rows.shape[1]
    rest = arrays.max_changes - state.taken[d]
    for f in range(p):
        state.needed[f] = False
    mine = state.paid[d, anchor]
    keep = 0
    here = False
    for i in range(state.alive[d]):
        j = state.order[i]
        missing = 0
        for f in range(p):
            if arrays.rows[j, f] != arrays.rows[anchor, f]:
                if state.levels[f] == OPEN:
                    missing += 1
                elif state.levels[f] == LEFT:
                    missing = rest + 1
                    break
        if state.paid[d, j] >= NEVER or missing > rest:
            continue
        # Without an open need both pay alike from here on: the other row would be the anchor.
        if missing == 0 and (
            state.paid[d, j] < mine or (state.paid[d, j] == mine and arrays.rank[j] < arrays.rank[anchor])
        ):
            continue
        here |= j == anchor
        state.order[i] = state.order[keep]
        state.order[keep] = j
        keep += 1
        for f in range(p):
            if state.levels[f] == OPEN and arrays.rows[j, f] != arrays.rows[anchor, f]:
                state.needed[f] = True
    state.alive[d] = keep
    return here


@lean(inner=True)
def _extra(arrays, state, anchor, rest):
    """Changes that everybody must make where all rows agree, for a positive score; -1: that is too many."""
    lack = arrays.lacks[anchor]
    for f in range(len(state.levels)):
        home = arrays.units[f, arrays.rows[anchor, f]]
        gain = arrays.raised[f, arrays.rows[anchor, f]] - home
        state.bonus[f] = 0
        if state.levels[f] >= 0:
            lack -= arrays.units[f, state.levels[f]] - home
        elif state.levels[f] == OPEN and state.needed[f]:
            lack -= gain
        elif state.levels[f] == OPEN:
            state.bonus[f] = gain
    more = 0
    while lack > 0:
        top = 0
        for f in range(len(state.levels)):
            if state.bonus[f] > state.bonus[top]:
                top = f
        if state.bonus[top] == 0 or more == rest:
            return -1
        lack -= state.bonus[top]
        state.bonus[top] = 0
        more += 1
    return more


@lean(inner=True)
def _evaluate(arrays, state, prices, anchor, d):
    """Bound what a group can still save; drop rows that save nothing."""
    state.scalars[DROPPED] = 0
    p = arrays.rows.shape[1]
    rest = arrays.max_changes - state.taken[d]
    more = _extra(arrays, state, anchor, rest)
    if more < 0:
        return 0
    extra = 0
    if more > 0:
        extra = NEVER
        for f in range(p):
            level = arrays.rows[anchor, f]
            if (
                state.levels[f] == OPEN
                and not state.needed[f]
                and arrays.raised[f, level] > arrays.units[f, level]
            ):
                extra = min(extra, more * arrays.leaving[f, level])
    rest -= more
    state.scalars[EXTRA] = extra
    mine = state.paid[d, anchor] + extra
    spare = state.scalars[HIGH] - mine
    if spare < 0:
        return 0
    floor = max(state.scalars[LOW], arrays.least[anchor], mine)
    certain = 0
    cheapest = NEVER
    for f in range(p):
        state.loads[f] = 0
        state.kept[f] = 0
        state.bonus[f] = 0
        if state.needed[f]:
            cheapest = min(cheapest, arrays.leaving[f, arrays.rows[anchor, f]])
            for level in range(arrays.levels[f]):
                state.moved[f, level] = 0
    for i in range(state.alive[d]):
        j = state.order[i]
        missing = 0
        meet = 0
        for f in range(p):
            if state.levels[f] == OPEN and arrays.rows[j, f] != arrays.rows[anchor, f]:
                missing += 1
                meet += arrays.meeting[f, arrays.rows[j, f], arrays.rows[anchor, f]]
        paid = state.paid[d, j] + extra
        pays = max(floor, arrays.least[j], paid + max(0, meet - spare))
        gain = prices[j] - arrays.scale * pays
        if gain <= 0:
            if j == anchor:
                return 0
            state.paid[d, j] = NEVER
            state.scalars[DROPPED] |= missing > 0
            continue
        if missing == 0:
            certain += arrays.people[j] * gain
            continue
        part = arrays.people[j] * gain // missing + 1
        whole = (prices[j] - arrays.scale * paid) // missing + 1
        for f in range(p):
            level = arrays.rows[j, f]
            home = arrays.rows[anchor, f]
            if state.levels[f] == OPEN and level != home:
                state.loads[f] += part
                keep = max(0, whole - arrays.scale * arrays.costs[f, level, home])
                state.kept[f] += arrays.people[j] * keep
                for other in range(arrays.levels[f]):
                    if other != home:
                        more = max(0, whole - arrays.scale * arrays.costs[f, level, other]) - keep
                        state.moved[f, other] += arrays.people[j] * more
    for f in range(p):
        if state.needed[f]:
            for level in range(arrays.levels[f]):
                state.bonus[f] = max(state.bonus[f], state.moved[f, level])
    moves = rest if cheapest == 0 else min(rest, spare // cheapest)
    together = _largest(state.kept, rest) + _largest(state.bonus, moves)
    return certain + min(_largest(state.loads, rest), together)


@lean(inner=True)
def _largest(numbers, count):
    """Sum of so many of the largest numbers."""
    total = 0
    last = 2**62
    while count > 0:
        top = 0
        ties = 0
        for f in range(len(numbers)):
            if numbers[f] < last and numbers[f] > top:
                top = numbers[f]
                ties = 1
            elif numbers[f] == top:
                ties += 1
        if top == 0:
            break
        total += min(ties, count) * top
        count -= ties
        last = top
    return total


@lean(inner=True)
def _is_tried(arrays, state, anchor, d, f, level):
    """Whether the point may take a level: a row has it, or it is better for the score, or rules matter."""
    found = arrays.every[f] or arrays.units[f, level] > arrays.units[f, arrays.rows[anchor, f]]
    for i in range(state.alive[d]):
        found |= arrays.rows[state.order[i], f] == level
    return found


@lean(inner=True)
def _open_child(arrays, state, d, f, choice):
    """Let feature ``f`` of the point take a level, or leave it."""
    state.levels[f] = choice
    state.alive[d + 1] = state.alive[d]
    state.taken[d + 1] = state.taken[d] + (0 if choice == LEFT else 1)
    state.child[d + 1] = -1
    for i in range(state.alive[d]):
        j = state.order[i]
        step = 0 if choice == LEFT else arrays.costs[f, arrays.rows[j, f], choice]
        state.paid[d + 1, j] = min(NEVER, state.paid[d, j] + step)


@lean()
def advance(arrays, state, prices, anchor, limit):
    """Go on for at most ``limit`` nodes: look for groups that save more than ``scalars[BEST]``, raising it.

    Returns DONE, or LIMIT: call again to go on. The point of the best group stands in ``state.found``.
    """
    sc = state.scalars
    end = sc[NODES] + limit
    while sc[DEPTH] >= 0:
        d = sc[DEPTH]
        if state.child[d] == -1:
            if sc[NODES] >= end:
                return LIMIT
            sc[NODES] += 1
            sc[DROPPED] = 1
            state.bound[d] = sc[BEST] + 1
            while sc[DROPPED] and state.bound[d] > sc[BEST]:
                if not _filter(arrays, state, anchor, d):
                    state.bound[d] = 0
                    break
                state.bound[d] = _evaluate(arrays, state, prices, anchor, d)
                # Without a score to reach, nothing depends on rows that are gone.
                if arrays.lacks[anchor] <= 0:
                    break
            if state.bound[d] <= sc[BEST]:
                sc[DEPTH] -= 1
                continue
            heaviest = 0
            for f in range(len(state.levels)):
                if state.loads[f] > state.loads[heaviest]:
                    heaviest = f
            if state.loads[heaviest] == 0:
                sc[BEST] = state.bound[d]
                for f in range(len(state.levels)):
                    state.found[f] = state.levels[f]
                state.found_extra[0] = sc[EXTRA]
                sc[DEPTH] -= 1
                continue
            state.feature[d] = heaviest
            state.child[d] = 0
        f = state.feature[d]
        n = arrays.levels[f]
        k = state.child[d]
        state.levels[f] = OPEN
        if k < n and state.taken[d] == arrays.max_changes:
            k = n
        while k < n and not _is_tried(arrays, state, anchor, d, f, k):
            k += 1
        state.child[d] = k + 1
        if k > n or state.bound[d] <= sc[BEST]:
            sc[DEPTH] -= 1
            continue
        _open_child(arrays, state, d, f, k if k < n else LEFT)
        sc[DEPTH] = d + 1
    return DONE
