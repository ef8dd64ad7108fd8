"""Positive points of a tree ensemble among those of a question, compiled: climb, then branch and bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.compiled import inner, lowest, outer
from oneformany.oracles.protocol import Question
from oneformany.oracles.trees.kernels import ONE, WORD, ZERO, LeafSets, WordArray, best_leaves, reachable

FOUND, NONE, PAUSED = 1, 0, -1
NEVER = -(2**62)


@outer
def climb(
    point: IntArray,
    options: BoolArray,
    free: BoolArray,
    anchor: IntArray,
    extra: int,
    enough: int,
    sets: LeafSets,
) -> None:
    """Improve a point by its best single move, again and again, until its total is enough."""
    allowed, first, units = sets.allowed, sets.first, sets.units
    n_features, width, _ = allowed.shape
    alive = reachable(options, allowed)
    gains = np.empty((n_features, width), dtype=np.int64)
    single = np.empty(len(alive), dtype=np.uint64)
    best = 1
    while best > 0:
        total = 0
        gains[:] = 0
        for tree in range(len(first) - 1):
            # the point's leaf, and the leaves that one move would reach
            start, end = first[tree], first[tree + 1]
            here, present = start, ZERO
            for w in range(start, end):
                once = twice = ZERO
                for f in range(n_features):
                    missing = alive[w] & ~allowed[f, point[f], w]
                    twice |= once & missing
                    once |= missing
                single[w] = once & ~twice
                if alive[w] & ~once != ZERO:
                    here, present = w, alive[w] & ~once
            value = units[here * WORD + lowest(present)]
            total += value
            for f in range(n_features):
                for level in range(width):
                    if options[f, level] and present & allowed[f, level, here] == ZERO:
                        for w in range(start, end):
                            reached = single[w] & allowed[f, level, w] & ~allowed[f, point[f], w]
                            if reached != ZERO:
                                gains[f, level] += units[w * WORD + lowest(reached)] - value
                                break
        if total >= enough:
            break
        spent = 0
        for f in range(n_features):
            spent += not free[f] and point[f] != anchor[f]
        best, best_feature, best_level = 0, 0, 0
        for f in range(n_features):
            if spent < extra or free[f] or point[f] != anchor[f]:
                for level in range(width):
                    if gains[f, level] > best:
                        best, best_feature, best_level = gains[f, level], f, level
        if best > 0:
            point[best_feature] = best_level


@outer
def merge_levels(options: BoolArray, home: IntArray, alive: WordArray, allowed: WordArray) -> None:
    """Of a feature's levels that lead to the same leaves keep one, the home level if it is among them."""
    n_features, width, n_words = allowed.shape
    for f in range(n_features):
        for level in range(width):
            for turn in range(-1, level):
                other = home[f] if turn < 0 else turn
                if level != home[f] and other != level and options[f, level] and options[f, other]:
                    w = 0
                    while w < n_words and alive[w] & (allowed[f, level, w] ^ allowed[f, other, w]) == ZERO:
                        w += 1
                    options[f, level] = w < n_words


@inner
def _share(
    alive: WordArray,
    point: IntArray,
    open_features: IntArray,
    options: BoolArray,
    free: BoolArray,
    budget: int,
    sets: LeafSets,
    shares: IntArray,
    strongest: IntArray,
    needs: IntArray,
) -> int:
    """Bound the totals around a point by a sum over its moves; return the total of the point itself.

    A leaf that is better than a tree's present one needs some open features to move; its gain is shared
    evenly among them. ``shares[f, level]`` sums over trees the largest share of any leaf. A move that
    leaves a tree only worse leaves gets the loss, divided by the number of moves that can meet in the
    tree. No point then totals more than this one plus the shares of its moves. ``strongest[f]`` is the
    largest share of a feature, -1 where no move leads to other leaves. Leaves that need more changes than
    the budget are struck off ``alive``.
    """
    allowed, first, units = sets.allowed, sets.first, sets.units
    touched = np.empty(len(open_features), dtype=np.int64)
    total, meeting = 0, budget
    for f in open_features:
        meeting += free[f]
        shares[f] = 0
        strongest[f] = -1
    for tree in range(len(first) - 1):
        start, end = first[tree], first[tree + 1]
        here, present = start - 1, ZERO
        while present == ZERO:
            here += 1
            present = alive[here]
            for f in open_features:
                present &= allowed[f, point[f], here]
        value = units[here * WORD + lowest(present)]
        total += value
        n_touched = 0
        for f in open_features:
            for w in range(start, end):
                if alive[w] & ~allowed[f, point[f], w] != ZERO:
                    touched[n_touched] = f
                    n_touched += 1
                    strongest[f] = 0
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
                    needs[w * WORD + lowest(rest), 1] += not free[f]
                    rest &= rest - ONE
            rest = better
            while rest != ZERO:
                if needs[w * WORD + lowest(rest), 1] > budget:
                    alive[w] &= ~(rest & (~rest + ONE))
                rest &= rest - ONE
        for f in touched[:n_touched]:
            for level in range(allowed.shape[1]):
                if level == point[f] or not options[f, level]:
                    continue
                share = 0
                for w in range(start, here + 1):
                    rest = alive[w] if w < here else alive[w] & (present - ONE)
                    rest &= allowed[f, level, w] & ~allowed[f, point[f], w]
                    while rest != ZERO:
                        gain = units[w * WORD + lowest(rest)] - value
                        share = max(share, -(-gain // needs[w * WORD + lowest(rest), 0]))
                        rest &= rest - ONE
                if share == 0 and present & allowed[f, level, here] == ZERO:
                    w = start
                    while alive[w] & allowed[f, level, w] == ZERO:
                        w += 1
                    best = units[w * WORD + lowest(alive[w] & allowed[f, level, w])]
                    share = -(max(0, value - best) // min(meeting, n_touched))
                shares[f, level] += share
    for f in open_features:
        for level in range(allowed.shape[1]):
            if strongest[f] >= 0 and options[f, level]:
                strongest[f] = max(strongest[f], shares[f, level])
    return total


class Walk(NamedTuple):
    """Where a branch and bound stands, so that it can be paused and resumed."""

    point: IntArray  # (p,): where the walk is; what was found when the outcome is ``FOUND``
    home: IntArray  # (p,): the point it started from
    is_open: BoolArray  # (p,): features that no node above fixed
    alive: WordArray  # (p + 1, words): leaves that each depth can still reach
    features: (
        IntArray  # (2, p + 1): for each depth: changes left (``BUDGET``), and what it splits (``SPLIT``)
    )
    bounds: IntArray  # (p + 1, max levels): for each depth the totals that its waiting levels can reach
    ties: IntArray  # (TIES_KEPT, p): points with a total from ``goal`` to ``sure`` met since the last pause
    state: IntArray  # (4,): depth, number of nodes, whether the node at this depth is new, number of ties


BUDGET, SPLIT = range(2)
DEPTH, NODES, ENTERING, TIES = range(4)


def begin_walk(question: Question, home: IntArray, allowed: WordArray, ties_kept: int) -> Walk:
    """Start a branch and bound from a point; the question loses levels that lead nowhere else."""
    p, width = question.domain.shape
    alive = np.zeros((p + 1, allowed.shape[2]), dtype=np.uint64)
    alive[0] = reachable(question.domain, allowed)
    merge_levels(question.domain, home, alive[0], allowed)
    features = np.zeros((2, p + 1), dtype=np.int64)
    features[BUDGET, 0] = question.extra
    return Walk(
        point=home.copy(),
        home=home,
        is_open=question.domain.sum(axis=1) > 1,
        alive=alive,
        features=features,
        bounds=np.zeros((p + 1, width), dtype=np.int64),
        ties=np.zeros((ties_kept, p), dtype=np.int64),
        state=np.array([0, 0, 1, 0]),
    )


@inner
def _ceiling(
    open_features: IntArray, strongest: IntArray, free: BoolArray, budget: int, left: IntArray
) -> tuple[int, int]:
    """Sum the best that moves can add, all free ones and the largest of the others; the largest left out."""
    total, runner_up = 0, 0
    for f in open_features:
        left[f] = 0 if free[f] else max(0, strongest[f])
        total += max(0, strongest[f]) - left[f]
    for turn in range(min(budget + 1, len(open_features))):
        best = open_features[0]
        for f in open_features:
            if left[f] > left[best]:
                best = f
        if turn < budget:
            total += left[best]
        else:
            runner_up = left[best]
        left[best] = 0
    return total, runner_up


@outer
def branch(
    walk: Walk,
    options: BoolArray,
    free: BoolArray,
    max_nodes: int,
    goal: int,
    sure: int,
    sets: LeafSets,
) -> int:
    """Look for a point with a total of at least ``sure``, within the budget of changes away from home.

    Each node fixes one more feature, the one with the largest share, to each of its levels. Returns the
    outcome. ``PAUSED``: there were ``max_nodes`` nodes since the start, or no more room for ties; call
    again. On ``NONE``, every point with a total of at least ``goal`` was listed as a tie, up to points that
    fall into the same leaves.
    """
    allowed, first, units = sets.allowed, sets.first, sets.units
    p, width, n_words = allowed.shape
    point, home, is_open, alive, bounds = walk.point, walk.home, walk.is_open, walk.alive, walk.bounds
    budget, split = walk.features[BUDGET], walk.features[SPLIT]
    open_features = np.empty(p, dtype=np.int64)
    strongest, left = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    shares = np.empty((p, width), dtype=np.int64)
    needs = np.empty((n_words * WORD, 2), dtype=np.int64)
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
            if best_leaves(alive[depth], first, units) < goal:
                depth -= 1
                continue
            n_open = 0
            for f in range(p):
                if is_open[f] and (budget[depth] > 0 or free[f]):
                    open_features[n_open] = f
                    n_open += 1
            some = open_features[:n_open]
            total = _share(
                alive[depth], point, some, options, free, budget[depth], sets, shares, strongest, needs
            )
            if total >= sure:
                return FOUND
            if total >= goal and (depth == 0 or point[split[depth - 1]] != home[split[depth - 1]]):
                for f in range(p):
                    walk.ties[walk.state[TIES], f] = point[f]
                walk.state[TIES] += 1
            added, runner_up = _ceiling(some, strongest, free, budget[depth], left)
            chosen, largest = -1, -1
            for f in some:
                if strongest[f] > largest:
                    chosen, largest = f, strongest[f]
            if total + added < goal or chosen < 0:
                depth -= 1
                continue
            for level in range(width):
                bounds[depth, level] = NEVER
                if options[chosen, level]:
                    bounds[depth, level] = total + added - largest + shares[chosen, level]
            if not free[chosen]:
                bounds[depth, home[chosen]] += runner_up
            split[depth] = chosen
            is_open[chosen] = False
        f = split[depth]
        level = 0
        for other in range(width):
            if bounds[depth, other] >= bounds[depth, level]:
                level = other
        if bounds[depth, level] < goal:
            is_open[f] = True
            point[f] = home[f]
            depth -= 1
            continue
        bounds[depth, level] = NEVER
        point[f] = level
        budget[depth + 1] = budget[depth] - (not free[f] and level != home[f])
        for w in range(n_words):
            alive[depth + 1, w] = alive[depth, w] & allowed[f, level, w]
        if budget[depth + 1] == 0:
            for g in range(p):
                if is_open[g] and not free[g]:
                    for w in range(n_words):
                        alive[depth + 1, w] &= allowed[g, home[g], w]
        depth += 1
        entering = True
    return NONE
