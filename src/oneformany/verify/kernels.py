"""The search for a heavy group around one anchor, compiled.

A group that contains the anchor is found by deciding feature by feature whether the explanation keeps it, or
which move it makes: to one of the levels, or where no rule exists to any. A candidate is in the group once
all features in which it differs from the anchor are changed, and lost as soon as one of them is kept.
Each candidate that is still possible spreads its weight evenly over the open features it needs; so with
``budget`` changes to spend no group weighs more than what is certain plus the ``budget`` largest loads.
Shares are rounded up: all arithmetic is in integers and the bound holds exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from oneformany.verify.arrays import BoolArray, IntArray

OPEN, CHANGED, KEPT = 0, 1, 2
NONE = -1
PAUSED = -1
MOST = 2**63 - 1
# What a node remembers besides the state of the features and who is possible.
SIZE, BUDGET, LACKING, MOVE, DROPPED = 0, 1, 2, 3, 4


class Surroundings(NamedTuple):
    """What may share a group with an anchor, which is candidate 0."""

    weight: IntArray  # (c,) of each candidate
    start: IntArray  # (c + 1,) candidate j needs the features needed[start[j]:start[j + 1]]
    needed: IntArray
    conflicts: IntArray  # (k, 2) candidates of which no group may contain both
    listed: BoolArray  # (g, c) groups of which no part is of interest
    first: IntArray  # (p + 1,) feature l makes the moves first[l] to first[l + 1] - 1
    may: BoolArray  # (c, moves) whether the candidate may make the move, or is there
    shift: IntArray  # (moves,) the most that the move adds to the anchor's score
    gain: IntArray  # (p,) the most that changing each feature adds, as far as the anchor's own rules allow


class Stack(NamedTuple):
    """Memory of a search."""

    nodes: IntArray  # (room, 5)
    states: IntArray  # (room, p)
    possible: IntArray  # (room, c)
    group: IntArray  # (c,)
    wants: IntArray  # (c,)
    state: IntArray  # (p,)
    loads: IntArray  # (p,)
    gains: IntArray  # (p,)


def begin(size: int, features: int, room: int, max_changes: int, lacking: int) -> Stack:
    """Make a stack for so many candidates and nodes, whose top, 0, is the node where everything is open."""
    stack = Stack(
        np.zeros((room, 5), np.int64),
        np.zeros((room, features), np.int64),
        np.zeros((room, size), np.int64),
        *(np.zeros(length, np.int64) for length in (size, size, features, features, features)),
    )
    stack.possible[0] = np.arange(size)
    stack.nodes[0] = size, max_changes, lacking, NONE, NONE
    return stack


# Called from compiled code only: no door to Python.
inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@njit(cache=True, no_cfunc_wrapper=True)
def find_group(around: Surroundings, floor: int, stack: Stack, top: int, steps: int) -> tuple[int, int]:
    """Find a group with the anchor that weighs at least ``floor`` and is not part of a listed one.

    Returns its size and the new top of the stack; size 0 when there is no such group: the search is
    exhaustive; size ``PAUSED`` when it is not over after so many steps. The group stands in
    ``stack.group``, what was decided in ``stack.state``, and the changes left in the node above the top.
    Called again with that top, the search goes on, without what was decided.
    """
    gain, first = around.gain, around.first
    nodes, states, state, loads = stack.nodes, stack.states, stack.state, stack.loads
    while top >= 0:
        if steps == 0:
            return PAUSED, top
        steps -= 1
        budget, lacks = nodes[top, BUDGET], nodes[top, LACKING]
        size, certain = _survey(around, stack, top)
        for feature in range(len(gain)):
            state[feature] = states[top, feature]
            stack.gains[feature] = gain[feature] if state[feature] == OPEN else 0
        top -= 1
        if size == 0 or stack.group[0] != 0:
            continue
        if certain + largest(loads, budget) < floor or largest(stack.gains, budget) < lacks:
            continue
        if _is_listed(around.listed, stack.group, size):
            continue
        clash = _clash(around.conflicts, stack.wants)
        if clash >= 0:
            for side in range(2):
                top = _push(stack, top, size, budget, lacks)
                nodes[top, DROPPED] = around.conflicts[clash, side]
            continue
        chosen = _index_of_largest(loads)
        if loads[chosen] == 0:
            # All agree on every open feature, so what the anchor can still gain there, all can.
            return size, top
        top = _push(stack, top, size, budget, lacks)
        states[top, chosen] = KEPT
        for move in range(first[chosen], first[chosen + 1]):
            if around.may[0, move]:
                top = _push(stack, top, size, budget - 1, lacks - around.shift[move])
                states[top, chosen] = CHANGED
                nodes[top, MOVE] = move
    return 0, NONE


@inner
def _push(stack: Stack, top: int, size: int, budget: int, lacking: int) -> int:
    """Put a node on the stack that is yet to be told what was decided."""
    top += 1
    for i in range(size):
        stack.possible[top, i] = stack.group[i]
    for feature in range(len(stack.state)):
        stack.states[top, feature] = stack.state[feature]
    nodes = stack.nodes
    nodes[top, SIZE], nodes[top, BUDGET], nodes[top, LACKING] = size, budget, lacking
    nodes[top, MOVE], nodes[top, DROPPED] = NONE, NONE
    return top


@inner
def _survey(around: Surroundings, stack: Stack, top: int) -> tuple[int, int]:
    """Write down who is still possible and the loads; return how many they are and what is certain."""
    start, needed, weight = around.start, around.needed, around.weight
    states, wants, loads = stack.states, stack.wants, stack.loads
    size, certain = 0, 0
    budget, move, dropped = stack.nodes[top, BUDGET], stack.nodes[top, MOVE], stack.nodes[top, DROPPED]
    for feature in range(len(loads)):
        loads[feature] = 0
    for candidate in range(len(wants)):
        wants[candidate] = NONE
    for i in range(stack.nodes[top, SIZE]):
        candidate = stack.possible[top, i]
        if candidate == dropped or (move >= 0 and not around.may[candidate, move]):
            continue
        want = 0
        for entry in range(start[candidate], start[candidate + 1]):
            if states[top, needed[entry]] == OPEN:
                want += 1
            elif states[top, needed[entry]] == KEPT:
                want = budget + 1
                break
        if want > budget:
            continue
        stack.group[size] = candidate
        size += 1
        wants[candidate] = want
        if want == 0:
            certain += weight[candidate]
            continue
        for entry in range(start[candidate], start[candidate + 1]):
            if states[top, needed[entry]] == OPEN:
                loads[needed[entry]] += weight[candidate] // want + 1
    return size, certain


@inner
def _index_of_largest(values: IntArray) -> int:
    largest = 0
    for other in range(1, len(values)):
        if values[other] > values[largest]:
            largest = other
    return largest


@inner
def largest(values: IntArray, count: int) -> int:
    """Sum of the ``count`` largest positive values."""
    total, last, at = 0, MOST, NONE
    for _ in range(min(count, len(values))):
        best, where = 0, NONE
        for i in range(len(values)):
            value = values[i]
            if value > best and (value < last or (value == last and i > at)):
                best, where = value, i
        if where < 0:
            break
        total += best
        last, at = best, where
    return total


@inner
def _is_listed(listed: BoolArray, group: IntArray, size: int) -> bool:
    """Whether a listed group contains all of the group."""
    for row in range(len(listed)):
        inside = 0
        while inside < size and listed[row, group[inside]]:
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
