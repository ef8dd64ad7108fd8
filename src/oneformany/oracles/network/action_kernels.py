"""All actions of a row under a network: those with the same first moves go through the layers together."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray
from oneformany.compiled import inner, lean, outer
from oneformany.oracles.actions import FORBIDDEN, MOVES
from oneformany.oracles.network.kernels import Arrays


@lean(inner=True, reorder=True)
def _through(net, sums, steps, begin, end, active, after):
    """The logit of each sum plus the step of a slot: in the first row of array 0 or 1, which is returned.

    ``active`` and ``after`` take turns; a row of theirs is a unit, a column a slot.
    """
    count, turn = end - begin, 0
    for h in range(net.widths[0]):
        for k in range(count):
            active[h, k] = sums[h] + steps[h, begin + k]
    for layer in range(len(net.widths) - 1):
        source, target = (active, after) if turn == 0 else (after, active)
        for i in range(net.widths[layer + 1]):
            for k in range(count):
                target[i, k] = net.biases[layer + 1, i]
        for h in range(net.widths[layer]):
            for k in range(count):
                source[h, k] = max(source[h, k], 0.0)
            for i in range(net.widths[layer + 1]):
                weight = net.weights[layer, h, i]
                for k in range(count):
                    target[i, k] += weight * source[h, k]
        turn = 1 - turn
    return turn


@lean(inner=True, reorder=True)
def _at_most(net, sums, low, high, ranges):
    """No sum plus something between two steps leads to a greater logit, but for rounding."""
    for h in range(net.widths[0]):
        ranges[0, 0, h] = max(sums[h] + low[h], 0.0)
        ranges[0, 1, h] = max(sums[h] + high[h], 0.0)
    last = len(net.widths) - 1
    if last == 0:
        return sums[0] + high[0]
    turn, most = 0, 0.0
    for layer in range(last):
        for i in range(net.widths[layer + 1]):
            least = most = net.biases[layer + 1, i]
            for h in range(net.widths[layer]):
                weight = net.weights[layer, h, i]
                least += weight * ranges[turn, 0 if weight > 0 else 1, h]
                most += weight * ranges[turn, 1 if weight > 0 else 0, h]
            ranges[1 - turn, 0, i], ranges[1 - turn, 1, i] = max(least, 0.0), max(most, 0.0)
        turn = 1 - turn
    return most


@inner
def _judge_slots(net, sums, steps, may, begin, needed, work, judged):
    """Judge what follows from some sums by one more slot each, from a slot on."""
    least, sure = needed
    active, after = work
    end = len(may)
    if begin == end:
        return
    turn = _through(net, sums, steps, begin, end, active, after)
    logits = active[0] if turn == 0 else after[0]
    for k in range(end - begin):
        accepted = np.int8(logits[k] >= least) + np.int8(least <= logits[k] < sure)
        judged[k] = accepted if may[begin + k] != FORBIDDEN else np.int8(0)


@inner
def _steps_of(net, values, may, start, owner, goals):
    """What each slot adds to the first sums, a row per unit; least and most of it from each slot on."""
    n, width = len(may), net.widths[0]
    steps, ranges = np.zeros((width, n)), np.zeros((2, n + 1, width))
    for slot in range(n - 1, start - 1, -1):
        f = owner[slot]
        there, here = net.starts[f] + goals[slot], net.starts[f] + values[f]
        for h in range(width):
            if may[slot] == MOVES:
                steps[h, slot] = net.rows[there, h] - net.rows[here, h]
            ranges[0, slot, h] = min(ranges[0, slot + 1, h], steps[h, slot])
            ranges[1, slot, h] = max(ranges[1, slot + 1, h], steps[h, slot])
    return steps, ranges


@outer
def judge_row_of_network(
    net: Arrays,
    values: IntArray,
    may: NDArray[np.int8],
    span: tuple[int, int],
    slots: tuple[IntArray, IntArray, IntArray, IntArray],
    needed: tuple[float, float],
    slack: float,
    judged: NDArray[np.int8],
) -> None:
    """Judge all actions of at most so many slots, up to three, from a slot on; smaller ones come first.

    Where even the best that each unit can get does not reach what is needed, those actions are left negative.
    """
    start, most = span
    owner, goals, after, size_from = slots
    n, width = len(may), net.widths[0]
    steps, ranges = _steps_of(net, values, may, start, owner, goals)
    work = np.empty((2, len(net.biases[0]), n + 1))
    bounds = np.empty((2, 2, len(net.biases[0])))
    base = net.biases[0, :width].copy()
    for f in range(len(values)):
        base += net.rows[net.starts[f] + values[f], :width]
    none = np.zeros((width, 1))
    stays = np.ones(1, dtype=np.int8)
    _judge_slots(net, base, none, stays, 0, needed, (work[0], work[1]), judged[:1])
    at = 1
    if most > 0:
        _judge_slots(net, base, steps, may, start, needed, (work[0], work[1]), judged[at:])
        at += n - start
    for i in range(start, n if most > 1 else 0):
        if may[i] != FORBIDDEN:
            sums = base + steps[:, i]
            _judge_slots(net, sums, steps, may, after[i], needed, (work[0], work[1]), judged[at:])
        at += n - after[i]
    for i in range(start, n if most > 2 else 0):
        begin, first = after[i], base + steps[:, i]
        low, high = 2 * ranges[0, begin], 2 * ranges[1, begin]
        if may[i] == FORBIDDEN or _at_most(net, first, low, high, bounds) < needed[0] - slack:
            at += size_from[begin]
            continue
        for j in range(begin, n):
            sums = first + steps[:, j]
            if may[j] != FORBIDDEN and after[j] < n:
                low, high = ranges[0, after[j]], ranges[1, after[j]]
                if _at_most(net, sums, low, high, bounds) >= needed[0] - slack:
                    _judge_slots(net, sums, steps, may, after[j], needed, (work[0], work[1]), judged[at:])
            at += n - after[j]
