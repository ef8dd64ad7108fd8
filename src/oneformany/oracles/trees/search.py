"""Positive points in the core of a tree ensemble, compiled: climb, then branch and bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import inner, lean, lowest, outer
from oneformany.oracles.trees.core import Core
from oneformany.oracles.trees.kernels import ONE, WORD, ZERO, WordArray, best_leaves

FOUND, NONE, PAUSED = 1, 0, -1


@outer
def climb(point: IntArray, paid: BoolArray, budget: int, goal: int, core: Core, units: IntArray) -> int:
    """Improve the point by its best single move, again and again, up to the goal; return its total.

    The point holds one choice per feature of the core; at most ``budget`` of the ``paid`` features may
    leave choice 0.
    """
    allowed, first, origin, choices = core.allowed, core.first, core.origin, core.choices
    alive = core.alive
    m = len(core.features)
    gains = np.empty(core.levels.shape, dtype=np.int64)
    single = np.empty(len(alive), dtype=np.uint64)
    while True:
        total = 0
        gains[:] = 0
        for tree in range(len(first) - 1):
            # the point's leaf, and the leaves that one move would reach
            start, end = first[tree], first[tree + 1]
            here, present = start, ZERO
            for w in range(start, end):
                once = twice = ZERO
                for f in range(m):
                    missing = alive[w] & ~allowed[f, point[f], w]
                    twice |= once & missing
                    once |= missing
                single[w] = once & ~twice
                if alive[w] & ~once != ZERO:
                    here, present = w, alive[w] & ~once
            value = units[origin[here] * WORD + lowest(present)]
            total += value
            for f in range(m):
                for choice in range(choices[f]):
                    if present & allowed[f, choice, here] == ZERO:
                        for w in range(start, end):
                            reached = single[w] & allowed[f, choice, w] & ~allowed[f, point[f], w]
                            if reached != ZERO:
                                gains[f, choice] += units[origin[w] * WORD + lowest(reached)] - value
                                break
        if total >= goal:
            return total
        spent = 0
        for f in range(m):
            spent += paid[f] and point[f] > 0
        best, best_feature, best_choice = 0, 0, 0
        for f in range(m):
            if spent < budget or not paid[f] or point[f] > 0:
                for choice in range(choices[f]):
                    if gains[f, choice] > best:
                        best, best_feature, best_choice = gains[f, choice], f, choice
        if best == 0:
            return total
        point[best_feature] = best_choice


@inner
def _share(
    alive: WordArray,
    point: IntArray,
    open_features: IntArray,
    paid: BoolArray,
    budget: int,
    meeting: int,
    core: Core,
    units: IntArray,
    shares: IntArray,
    needs: IntArray,
) -> int:
    """Bound the totals around a point by a sum over its moves; return the total of the point itself.

    A leaf that is better than a tree's present one needs some open features to move; its gain is shared
    evenly among them. ``shares[f, choice]`` sums over trees the largest share of any leaf. A move that
    leaves a tree only worse leaves gets the loss, divided by the number of moves that can meet in the
    tree, ``meeting`` at most. No point then totals more than this one plus the shares of its moves.
    Leaves that need more paid moves than the budget are struck off ``alive``.
    """
    allowed, first, origin, choices = core.allowed, core.first, core.origin, core.choices
    touched = np.empty(len(open_features), dtype=np.int64)
    total = 0
    for f in open_features:
        for choice in range(choices[f]):
            shares[f, choice] = 0
    for tree in range(len(first) - 1):
        start = first[tree]
        here, present = start, ZERO
        while present == ZERO:
            present = alive[here]
            for f in open_features:
                present &= allowed[f, point[f], here]
            here += 1
        here -= 1
        value = units[origin[here] * WORD + lowest(present)]
        total += value
        n_touched = 0
        for f in open_features:
            for w in range(start, first[tree + 1]):
                if alive[w] & ~allowed[f, point[f], w] != ZERO:
                    touched[n_touched] = f
                    n_touched += 1
                    break
        for w in range(start, here + 1):
            better = alive[w] if w < here else alive[w] & (present - ONE)
            rest = better
            while rest != ZERO:
                needs[w * WORD + lowest(rest), 0] = 0
                needs[w * WORD + lowest(rest), 1] = 0
                rest &= rest - ONE
            for f in touched[:n_touched]:
                rest = better & ~allowed[f, point[f], w]
                while rest != ZERO:
                    needs[w * WORD + lowest(rest), 0] += 1
                    needs[w * WORD + lowest(rest), 1] += paid[f]
                    rest &= rest - ONE
            rest = better
            while rest != ZERO:
                if needs[w * WORD + lowest(rest), 1] > budget:
                    alive[w] &= ~(rest & (~rest + ONE))
                rest &= rest - ONE
        for f in touched[:n_touched]:
            for choice in range(choices[f]):
                if choice == point[f]:
                    continue
                share = 0
                for w in range(start, here + 1):
                    rest = alive[w] if w < here else alive[w] & (present - ONE)
                    rest &= allowed[f, choice, w] & ~allowed[f, point[f], w]
                    while rest != ZERO:
                        gain = units[origin[w] * WORD + lowest(rest)] - value
                        share = max(share, -(-gain // needs[w * WORD + lowest(rest), 0]))
                        rest &= rest - ONE
                if share == 0 and present & allowed[f, choice, here] == ZERO:
                    w = start
                    while alive[w] & allowed[f, choice, w] == ZERO:
                        w += 1
                    best = units[origin[w] * WORD + lowest(alive[w] & allowed[f, choice, w])]
                    share = -(max(0, value - best) // min(meeting, n_touched))
                shares[f, choice] += share
    return total


class Walk(NamedTuple):
    """Where a branch and bound stands, so that it can be paused and resumed."""

    point: IntArray  # (m,): one choice per feature of the core; what was found when the outcome is ``FOUND``
    home: IntArray  # (m,): the point it started from
    is_open: BoolArray  # (m,): features that no node above fixed
    alive: WordArray  # (m + 1, words): leaves that each depth can still reach
    # (3, m + 1): for each depth: moves left (``BUDGET``), the feature it splits on (``SPLIT``) and how
    # many of its choices wait (``PENDING``)
    features: IntArray
    order: IntArray  # (m + 1, max levels): the waiting choices of each depth, best last
    # (TIES_KEPT, m): points with a total from ``goal`` to ``sure`` that were met since the last pause
    ties: IntArray
    state: IntArray  # (4,): depth, number of nodes, whether the node at this depth is new, number of ties


BUDGET, SPLIT, PENDING = range(3)
DEPTH, NODES, ENTERING, TIES = range(4)


def begin_walk(point: IntArray, extra: int, core: Core, ties_kept: int) -> Walk:
    """Start a branch and bound from a point."""
    m = len(core.features)
    alive = np.zeros((m + 1, len(core.alive)), dtype=np.uint64)
    alive[0] = core.alive
    features = np.zeros((3, m + 1), dtype=np.int64)
    features[BUDGET, 0] = extra
    return Walk(
        point=point.copy(),
        home=point.copy(),
        is_open=np.ones(m, dtype=np.bool_),
        alive=alive,
        features=features,
        order=np.zeros((m + 1, core.levels.shape[1]), dtype=np.int64),
        ties=np.zeros((ties_kept, m), dtype=np.int64),
        state=np.array([0, 0, 1, 0]),
    )


@lean(inner=True)
def _undecided(alive: WordArray, point: IntArray, open_features: IntArray, core: Core) -> int:
    """Find an open feature with a choice that leads to other leaves than the point's; -1: there is none."""
    for f in open_features:
        for choice in range(core.choices[f]):
            for w in range(len(alive)):
                if alive[w] & core.allowed[f, choice, w] != alive[w] & core.allowed[f, point[f], w]:
                    return int(f)
    return -1


@outer
def branch(
    walk: Walk, paid: BoolArray, goal: int, sure: int, core: Core, units: IntArray, max_nodes: int
) -> int:
    """Look for a point with a total of at least ``sure``, within the budget of paid features away from home.

    Each node fixes one more feature, the one with the largest share, to each of its choices. Returns the
    outcome. ``PAUSED``: there were ``max_nodes`` nodes since the start, or no more room for ties; call
    again. On ``NONE``, every point with a total of at least ``goal`` was listed as a tie, up to points that
    fall into the same leaves.
    """
    m, n_words, width = len(core.features), len(core.alive), core.levels.shape[1]
    point, home, is_open, alive, order = walk.point, walk.home, walk.is_open, walk.alive, walk.order
    budget, split, pending = walk.features[BUDGET], walk.features[SPLIT], walk.features[PENDING]
    open_features = np.empty(m, dtype=np.int64)
    strongest = np.empty(m, dtype=np.int64)
    shares = np.empty((m, width), dtype=np.int64)
    needs = np.empty((n_words * WORD, 2), dtype=np.int64)
    bounds = np.empty(width, dtype=np.int64)
    depth = walk.state[DEPTH]
    entering = walk.state[ENTERING] != 0
    while depth >= 0:
        if entering:
            if walk.state[NODES] >= max_nodes or walk.state[TIES] == len(walk.ties):
                walk.state[DEPTH] = depth
                walk.state[ENTERING] = 1
                return PAUSED
            entering = False
            walk.state[NODES] += 1
            if best_leaves(alive[depth], core.first, core.origin, units) < goal:
                depth -= 1
                continue
            n_open, n_free = 0, 0
            for f in range(m):
                if is_open[f] and (budget[depth] > 0 or not paid[f]):
                    open_features[n_open] = f
                    n_open += 1
                    n_free += not paid[f]
            total = _share(
                alive[depth],
                point,
                open_features[:n_open],
                paid,
                budget[depth],
                budget[depth] + n_free,
                core,
                units,
                shares,
                needs,
            )
            if total >= sure:
                return FOUND
            if total >= goal and (depth == 0 or point[split[depth - 1]] != home[split[depth - 1]]):
                for f in range(m):
                    walk.ties[walk.state[TIES], f] = point[f]
                walk.state[TIES] += 1
            # the best that the moves can add: all free ones, and the largest of the paid ones
            ceiling = total
            chosen = -1
            largest = 0
            for i in range(n_open):
                f = open_features[i]
                strongest[i] = 0
                for choice in range(core.choices[f]):
                    if choice != point[f]:
                        strongest[i] = max(strongest[i], shares[f, choice])
                if strongest[i] > largest:
                    chosen, largest = f, strongest[i]
                if not paid[f]:
                    ceiling += strongest[i]
                    strongest[i] = 0
            runner_up = 0
            for turn in range(min(budget[depth] + 1, n_open)):
                best = 0
                for i in range(n_open):
                    if strongest[i] > strongest[best]:
                        best = i
                if turn < budget[depth]:
                    ceiling += strongest[best]
                else:
                    runner_up = strongest[best]
                strongest[best] = 0
            if chosen < 0:
                chosen = _undecided(alive[depth], point, open_features[:n_open], core)
            if ceiling < goal or chosen < 0:
                depth -= 1
                continue
            count = 0
            for choice in range(core.choices[chosen]):
                if choice == home[chosen]:
                    bound = ceiling - largest + (runner_up if paid[chosen] else 0)
                else:
                    bound = ceiling - largest + shares[chosen, choice]
                if bound >= goal:
                    index = count
                    while index > 0 and bounds[index - 1] > bound:
                        bounds[index] = bounds[index - 1]
                        order[depth, index] = order[depth, index - 1]
                        index -= 1
                    bounds[index] = bound
                    order[depth, index] = choice
                    count += 1
            split[depth] = chosen
            pending[depth] = count
            is_open[chosen] = False
        f = split[depth]
        if pending[depth] == 0:
            is_open[f] = True
            point[f] = home[f]
            depth -= 1
            continue
        pending[depth] -= 1
        point[f] = order[depth, pending[depth]]
        budget[depth + 1] = budget[depth] - (paid[f] and point[f] != home[f])
        for w in range(n_words):
            alive[depth + 1, w] = alive[depth, w] & core.allowed[f, point[f], w]
        if budget[depth + 1] == 0:
            for g in range(m):
                if is_open[g] and paid[g]:
                    for w in range(n_words):
                        alive[depth + 1, w] &= core.allowed[g, home[g], w]
        depth += 1
        entering = True
    return NONE
