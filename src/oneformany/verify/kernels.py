"""The search around one anchor for a group that weighs much, or saves much against prices, compiled.

A group that contains the anchor is found by deciding feature by feature whether the explanation keeps it, or
which move it makes: to one of the levels, or where these do not matter to any. A candidate is in the group
once all features in which it differs from the anchor are changed, and lost as soon as one of them is kept.
Each candidate that is still possible spreads what it adds evenly over the open features it needs; so with
``budget`` changes to spend no group adds up to more than what is certain plus the ``budget`` largest loads.
Shares are rounded up: all arithmetic is in integers and the bound holds exactly.

Where moves cost something, a candidate adds what its price exceeds the cost, and the anchor pays least, from
``low`` to ``high``. A candidate pays at least what is decided and what it and the anchor pay together to
meet, less what the anchor may still pay.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from oneformany.verify.reading import BoolArray, IntArray

inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # quick to compile

OPEN, CHANGED, KEPT = 0, 1, 2
NONE = -1
PAUSED = -1
NEVER = 2**40
# Of a candidate: its weight or price, how often that counts, what it pays at least, and whether it would be
# the anchor if it paid as little.
WORTH, PEOPLE, LEAST, EARLIER = 0, 1, 2, 3
# What a node remembers besides the state of the features, who is possible, and what they paid.
SIZE, BUDGET, LACKING, MOVE, DROPPED = 0, 1, 2, 3, 4

Costed = tuple[int, int, int]
"""The range of what the anchor pays, and what a cost of one counts; 0 where moves cost nothing."""


class Surroundings(NamedTuple):
    """What may share a group with an anchor, which is candidate 0."""

    about: IntArray  # (c, 4) WORTH, PEOPLE, LEAST, EARLIER
    start: IntArray  # (c + 1,) candidate j needs the features needed[start[j]:start[j + 1], 0]
    needed: IntArray  # (m, 2) a feature, and what the candidate and the anchor pay at least to meet in it
    conflicts: IntArray  # (k, 2) candidates of which no group may contain both
    listed: BoolArray  # (g, c) groups of which no part is of interest
    first: IntArray  # (p + 1,) feature l makes the moves first[l] to first[l + 1] - 1
    pays: IntArray  # (c, moves) what the candidate pays for the move; NEVER: it may not make it
    shift: IntArray  # (moves,) the most that the move adds to the anchor's score
    gain: IntArray  # (p,) the most that changing a feature adds


class Stack(NamedTuple):
    """Memory of a search."""

    nodes: IntArray  # (room, 5)
    states: IntArray  # (room, p)
    possible: IntArray  # (room, c, 2) candidates, and what they paid
    group: IntArray  # (c, 2) the same of the node at hand
    wants: IntArray  # (c,) how many open features each of these needs
    state: IntArray  # (p,)
    loads: IntArray  # (p,)
    gains: IntArray  # (p,)


@njit(cache=True, no_cfunc_wrapper=True)
def find_group(
    around: Surroundings, floor: int, costed: Costed, stack: Stack, top: int, steps: int
) -> tuple[int, int]:
    """Find a group with the anchor that adds up to at least ``floor`` and is not part of a listed one.

    Returns its size and the new top of the stack; size 0 when there is no such group: the search is
    exhaustive; size ``PAUSED`` when it is not over after so many steps. The group stands in
    ``stack.group``, what was decided in ``stack.state``, and the changes left in the node above the top.
    Called again with that top, the search goes on, without what was decided.
    """
    nodes, states, loads = stack.nodes, stack.states, stack.loads
    while top >= 0:
        if steps == 0:
            return PAUSED, top
        steps -= 1
        budget, lacks = nodes[top, BUDGET], nodes[top, LACKING]
        for feature in range(len(loads)):
            stack.state[feature] = states[top, feature]
            stack.gains[feature] = around.gain[feature] if states[top, feature] == OPEN else 0
        enough = _largest(stack.gains, budget) >= lacks
        size = _still_possible(around, stack, top) if enough else 0
        size, most = _survey(around, stack, size, budget, costed)
        top -= 1
        if size == 0 or most < floor or _is_listed(around.listed, stack.group, size):
            continue
        clash = _clash(around.conflicts, stack.wants)
        if clash >= 0:
            for side in range(2):
                top = _push(stack, top, size, budget, lacks)
                nodes[top, DROPPED] = around.conflicts[clash, side]
            continue
        chosen = np.argmax(loads)
        if loads[chosen] == 0:
            # All agree on every open feature, so what the anchor can still gain there, all can.
            return size, top
        top = _push(stack, top, size, budget, lacks)
        states[top, chosen] = KEPT
        for move in range(around.first[chosen], around.first[chosen + 1]):
            if around.pays[0, move] < NEVER:
                top = _push(stack, top, size, budget - 1, lacks - around.shift[move])
                states[top, chosen] = CHANGED
                nodes[top, MOVE] = move
    return 0, NONE


@inner
def _push(stack: Stack, top: int, size: int, budget: int, lacking: int) -> int:
    """Put a node on the stack that is yet to be told what was decided."""
    top += 1
    for i in range(size):
        stack.possible[top, i, 0], stack.possible[top, i, 1] = stack.group[i, 0], stack.group[i, 1]
    for feature in range(len(stack.state)):
        stack.states[top, feature] = stack.state[feature]
    nodes = stack.nodes
    nodes[top, SIZE], nodes[top, BUDGET], nodes[top, LACKING] = size, budget, lacking
    nodes[top, MOVE] = nodes[top, DROPPED] = NONE
    return top


@inner
def _still_possible(around: Surroundings, stack: Stack, top: int) -> int:
    """Write down who is still possible after what was decided last, and return how many they are."""
    size = 0
    budget, move, dropped = stack.nodes[top, BUDGET], stack.nodes[top, MOVE], stack.nodes[top, DROPPED]
    stack.wants[:] = NONE
    for i in range(stack.nodes[top, SIZE]):
        candidate = stack.possible[top, i, 0]
        paid = stack.possible[top, i, 1] + (around.pays[candidate, move] if move >= 0 else 0)
        if candidate == dropped or paid >= NEVER:
            continue
        want = 0
        for entry in range(around.start[candidate], around.start[candidate + 1]):
            state = stack.state[around.needed[entry, 0]]
            want = want + (state == OPEN) if state != KEPT else budget + 1
            if want > budget:
                break
        first = size > 0 and paid < stack.group[0, 1] + around.about[candidate, EARLIER]
        if want > budget or (want == 0 and first):
            continue
        stack.group[size, 0], stack.group[size, 1] = candidate, paid
        stack.wants[candidate] = want
        size += 1
    return size


@inner
def _survey(around: Surroundings, stack: Stack, size: int, budget: int, costed: Costed) -> tuple[int, int]:
    """Write loads, without those who add nothing; return how many are left, and what all add at most."""
    group, wants, loads, about = stack.group, stack.wants, stack.loads, around.about
    low, high, scale = costed
    least, spare = max(low, group[0, 1], about[0, LEAST]), high - group[0, 1]
    if scale > 0 and spare < 0:
        return 0, 0
    loads[:] = 0
    certain, left = 0, 0
    for i in range(size):
        candidate, paid = group[i, 0], group[i, 1]
        want, saves = wants[candidate], about[candidate, WORTH]
        if scale > 0:
            together = 0
            for entry in range(around.start[candidate], around.start[candidate + 1]):
                if stack.state[around.needed[entry, 0]] == OPEN:
                    together += around.needed[entry, 1]
            saves -= scale * max(least, about[candidate, LEAST], paid + max(0, together - spare))
            if saves <= 0:
                wants[candidate] = NONE
                continue
        group[left, 0], group[left, 1] = candidate, paid
        left += 1
        if want == 0:
            certain += about[candidate, PEOPLE] * saves
            continue
        share = about[candidate, PEOPLE] * saves // want + 1
        for entry in range(around.start[candidate], around.start[candidate + 1]):
            if stack.state[around.needed[entry, 0]] == OPEN:
                loads[around.needed[entry, 0]] += share
    if left == 0 or group[0, 0] != 0:
        return 0, 0
    return left, certain + _largest(loads, budget)


@inner
def _largest(values: IntArray, count: int) -> int:
    """Sum of the ``count`` largest values, none of which is negative."""
    total, below = 0, 2**63 - 1
    while count > 0:
        best, often = 0, 0
        for value in values:
            if best < value < below:
                best, often = value, 1
            else:
                often += value == best
        if best == 0:
            break
        total += best * min(often, count)
        count -= often
        below = best
    return total


@inner
def _is_listed(listed: BoolArray, group: IntArray, size: int) -> bool:
    """Whether a listed group contains all of the group."""
    for row in range(len(listed)):
        inside = 0
        while inside < size and listed[row, group[inside, 0]]:
            inside += 1
        if inside == size:
            return True
    return False


@inner
def _clash(conflicts: IntArray, wants: IntArray) -> int:
    """Find a conflict between two candidates that are certain."""
    for pair in range(len(conflicts)):
        if wants[conflicts[pair, 0]] == 0 and wants[conflicts[pair, 1]] == 0:
            return pair
    return NONE


@njit(cache=True, no_cfunc_wrapper=True)
def add_leaves(
    codes: IntArray,
    free: BoolArray,
    nodes: IntArray,
    goes_left: BoolArray,
    roots: IntArray,
    waiting: IntArray,
    total: IntArray,
) -> None:
    """Add the greatest leaf of each tree that each row may end in; at splits of free features both ways.

    Of each node: the feature, where its levels begin in ``goes_left``, both children, and its units.
    """
    for row in range(len(codes)):
        for root in roots:
            best = -(2**62)
            waiting[0] = root
            left = 1
            while left > 0:
                left -= 1
                node = waiting[left]
                while nodes[node, 0] >= 0:
                    feature, start = nodes[node, 0], nodes[node, 1]
                    side = 2 if goes_left[start + codes[row, feature]] else 3
                    if free[feature]:
                        waiting[left] = nodes[node, 5 - side]
                        left += 1
                    node = nodes[node, side]
                best = max(best, nodes[node, 4])
            total[row] += best
