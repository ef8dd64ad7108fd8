"""The search for a group that saves too much against given prices, compiled.

The rows of a group go to one point and pay for every feature in which they differ from it. The anchor is
one that pays least, from ``low`` to ``high``; of equal ones it is the first. Node by node it is decided for
one feature after the other whether the group keeps it, or to which level of the point it changes. A row is
certain once all features in which it differs from the anchor are decided. What rows save at most that are
not certain yet is bounded twice. By loads: each spreads what it saves, paying at least what is decided and
what it and the anchor pay together to meet, less what the anchor may still pay, evenly over the features it
needs; no more of these than the budget count. By levels: each spreads its price, less what is decided, over
them and pays there if the point stays at the anchor's level; only as many features as the anchor can pay
for do better. Shares are rounded up. Where the score is additive, everybody also pays for features in which
all agree, as many as must change for a positive score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.kernels import inner, largest

NONE, EXCEEDED, PAUSED = 0, 1, 2
OPEN, KEPT = -1, -2
NEVER = 2**40


class Market(NamedTuple):
    """Rows, prices, and what moves cost; ``v`` is the largest number of levels."""

    codes: IntArray  # (n, p)
    people: IntArray  # (n,)
    least: IntArray  # (n,)
    width: IntArray  # (p,)
    cost: IntArray  # (p, v, v)
    meet: IntArray  # (p, v, v)
    leave: IntArray  # (p, v)
    score: IntArray  # (p, v)
    raised: IntArray  # (p, v)
    lacks: IntArray  # (n,)
    anywhere: BoolArray  # (p,)
    price: IntArray  # (n,)
    max_changes: int
    scale: int


class Waiting(NamedTuple):
    """Nodes that wait, and memory for the one at hand."""

    levels: IntArray  # (room, p)
    paid: IntArray  # (room, n)
    budget: IntArray  # (room,)
    load: IntArray  # (p,)
    stay: IntArray  # (p,)
    better: IntArray  # (p, v)
    most: IntArray  # (p,)
    level: IntArray  # (p,)
    sum: IntArray  # (n,)
    dropped: IntArray  # (1,)
    present: BoolArray  # (p, v)

    @classmethod
    def of(cls, n: int, p: int, v: int, max_changes: int) -> Waiting:
        """Memory whose node 0 has everything open."""
        room = p * (v + 1) + 2
        shapes = ((room, p), (room, n), (room,), (p,), (p,), (p, v), (p,), (p,), (n,), (1,))
        parts: list[Any] = [np.zeros(shape, dtype=np.int64) for shape in shapes]
        parts.append(np.zeros((p, v), dtype=np.bool_))
        made = cls(*parts)
        made.levels[0] = OPEN
        made.budget[0] = max_changes
        return made


@inner
def _besides(market: Market, waiting: Waiting, anchor: int, budget: int) -> int:
    """Count the features that must change though all rows agree, for a positive score; -1: too many."""
    lacks = market.lacks[anchor]
    for f in range(len(waiting.level)):
        home = market.codes[anchor, f]
        gain = market.raised[f, home] - market.score[f, home]
        waiting.most[f] = 0
        if waiting.level[f] >= 0:
            lacks -= market.score[f, waiting.level[f]] - market.score[f, home]
        elif waiting.level[f] == OPEN and waiting.load[f] > 0:
            lacks -= gain
        elif waiting.level[f] == OPEN:
            waiting.most[f] = gain
    for count in range(budget + 1):
        if largest(waiting.most, count) >= lacks:
            return count
    return -1


@inner
def _bound(market: Market, waiting: Waiting, anchor: int, low: int, high: int, budget: int) -> int:
    """Write loads of the node at hand; return what a group below it saves at most, 0 if there is none."""
    n, p = market.codes.shape
    level, paid = waiting.level, waiting.sum
    if paid[anchor] >= NEVER:
        return 0
    for f in range(p):
        waiting.load[f] = waiting.stay[f] = 0
        for to in range(market.width[f]):
            waiting.better[f, to] = 0
            waiting.present[f, to] = False
    for row in range(n):
        if paid[row] >= NEVER:
            continue
        wants = 0
        for f in range(p):
            if market.codes[row, f] == market.codes[anchor, f]:
                continue
            if level[f] == KEPT or market.meet[f, market.codes[row, f], market.codes[anchor, f]] >= NEVER:
                wants = budget + 1
                break
            wants += level[f] == OPEN
        first = paid[row] < paid[anchor] or (paid[row] == paid[anchor] and row < anchor)
        if wants > budget or (wants == 0 and first):
            paid[row] = NEVER
            continue
        for f in range(p):
            waiting.present[f, market.codes[row, f]] = True
            if level[f] == OPEN and market.codes[row, f] != market.codes[anchor, f]:
                waiting.load[f] = 1
    besides = _besides(market, waiting, anchor, budget)
    if besides < 0:
        return 0
    dear = NEVER
    cheapest = NEVER
    for f in range(p):
        home = market.codes[anchor, f]
        if waiting.load[f] > 0:
            cheapest = min(cheapest, market.leave[f, home])
        elif level[f] == OPEN and market.raised[f, home] > market.score[f, home]:
            dear = min(dear, market.leave[f, home])
        waiting.load[f] = 0
    everybody = besides * dear if besides > 0 else 0
    budget -= besides
    own = paid[anchor] + everybody
    spare = high - own
    if spare < 0:
        return 0
    floor = max(low, own, market.least[anchor])
    certain = 0
    for row in range(n):
        if paid[row] >= NEVER:
            continue
        wants = 0
        together = 0
        for f in range(p):
            a, b = market.codes[row, f], market.codes[anchor, f]
            if a != b and level[f] == OPEN:
                wants += 1
                together += market.meet[f, a, b]
        pays = max(floor, market.least[row], paid[row] + everybody + max(0, together - spare))
        saves = market.price[row] - market.scale * pays
        if saves <= 0:
            if row == anchor:
                return 0
            paid[row] = NEVER
            waiting.dropped[0] |= wants > 0
            continue
        if wants == 0:
            certain += market.people[row] * saves
            continue
        share = market.people[row] * saves // wants + 1
        whole = (market.price[row] - market.scale * (paid[row] + everybody)) // wants + 1
        for f in range(p):
            a, b = market.codes[row, f], market.codes[anchor, f]
            if a == b or level[f] != OPEN:
                continue
            waiting.load[f] += share
            stays = max(0, whole - market.scale * market.cost[f, a, b])
            waiting.stay[f] += market.people[row] * stays
            for to in range(market.width[f]):
                if to != b:
                    moves = max(0, whole - market.scale * market.cost[f, a, to])
                    waiting.better[f, to] += market.people[row] * (moves - stays)
    for f in range(p):
        waiting.most[f] = 0
        for to in range(market.width[f]):
            waiting.most[f] = max(waiting.most[f], waiting.better[f, to])
    moves = budget if cheapest == 0 else min(budget, spare // cheapest)
    by_levels = largest(waiting.stay, budget) + largest(waiting.most, moves)
    bound: int = certain + min(largest(waiting.load, budget), by_levels)
    return bound


@njit(cache=True, no_cfunc_wrapper=True)
def exceeds(
    market: Market, waiting: Waiting, anchor: int, low: int, high: int, limit: int, top: int, steps: int
) -> tuple[int, int]:
    """Look for a group with this anchor that saves more than the limit; an exhaustive search.

    Returns ``EXCEEDED``, ``NONE``, or after so many steps ``PAUSED``, and the new top of the waiting nodes.
    """
    n, p = market.codes.shape
    while top >= 0:
        if steps == 0:
            return PAUSED, top
        steps -= 1
        budget = waiting.budget[top]
        for f in range(p):
            waiting.level[f] = waiting.levels[top, f]
        for row in range(n):
            waiting.sum[row] = waiting.paid[top, row]
        top -= 1
        bound = limit + 1
        waiting.dropped[0] = 1
        while waiting.dropped[0] and bound > limit:
            waiting.dropped[0] = 0
            bound = _bound(market, waiting, anchor, low, high, budget)
        if bound <= limit:
            continue
        chosen = 0
        for f in range(1, p):
            if waiting.load[f] > waiting.load[chosen]:
                chosen = f
        if waiting.load[chosen] == 0:
            return EXCEEDED, top
        for to in range(-1, market.width[chosen]):
            # Where nobody has a level everybody pays, which only a better score is worth.
            if to >= 0 and (
                budget == 0
                or not (
                    market.anywhere[chosen]
                    or waiting.present[chosen, to]
                    or market.score[chosen, to] > market.score[chosen, market.codes[anchor, chosen]]
                )
            ):
                continue
            top += 1
            for f in range(p):
                waiting.levels[top, f] = waiting.level[f]
            waiting.levels[top, chosen] = KEPT if to < 0 else to
            waiting.budget[top] = budget if to < 0 else budget - 1
            for row in range(n):
                pays = 0 if to < 0 else market.cost[chosen, market.codes[row, chosen], to]
                waiting.paid[top, row] = min(NEVER, waiting.sum[row] + pays)
    return NONE, -1
