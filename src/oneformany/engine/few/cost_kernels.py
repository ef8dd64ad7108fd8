"""Compiled: what all actions save a row, the cheapest that it accepts, and what some of them cost."""

# mypy: disallow-untyped-defs=False

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import FloatArray, IntArray
from oneformany.compiled import inner, outer

REFUSED = np.int32(2**31 - 1)  # the cost of what a row does not accept; larger than all others
FAR = 2**61  # larger than any sum of costs times a scale

Planes = NDArray[np.uint8]
Matrix = NDArray[np.int32]


@inner
def _least(costs, after, least):
    """The least that so many slots of different features cost, from a slot on."""
    least[0] = 0
    for size in range(1, len(least)):
        least[size, len(costs)] = FAR
        for slot in range(len(costs) - 1, -1, -1):
            with_it = min(FAR, costs[slot] + least[size - 1, after[slot]])
            least[size, slot] = min(least[size, slot + 1], with_it)


@outer
def add_savings(
    accepts: Planes,
    costs: IntArray,
    order: tuple[IntArray, IntArray, IntArray],
    price: int,
    people: int,
    savings: IntArray,
) -> None:
    """Add what a row saves by each action that it accepts and that costs less than its price.

    ``accepts`` is 1 for each action that it accepts, ``costs`` what it pays at each slot. Actions are looked
    at in their order, first slots first; what costs too much already is passed over.
    """
    after, ways, begins = order
    n, most = len(costs), len(begins) - 2
    least = np.empty((most + 1, n + 1), dtype=np.int64)
    _least(costs, after, least)
    slot, paid = np.zeros((2, most + 1), dtype=np.int64)
    savings[0] += accepts[0] * people * price
    for size in range(1, most + 1):
        at, depth = begins[size], 0
        slot[0] = 0
        while depth >= 0:
            left, first, spent = size - depth, slot[depth], paid[depth]
            if first >= n or spent + least[left, first] >= price:
                at += ways[left, first]
                depth -= 1
            elif left == 1:
                for index in range(n - first):
                    gain = price - spent - costs[first + index]
                    savings[at + index] += accepts[at + index] * max(0, gain) * people
                at += n - first
                depth -= 1
            else:
                slot[depth] += 1
                if spent + costs[first] + least[left - 1, after[first]] >= price:
                    at += ways[left - 1, after[first]]
                else:
                    depth += 1
                    paid[depth], slot[depth] = spent + costs[first], after[first]


@outer
def cheapest_accepted(
    accepts: Planes, costs: IntArray, order: tuple[IntArray, IntArray, IntArray]
) -> tuple[int, int]:
    """What the cheapest action costs that a row accepts, and which one it is; ``FAR`` where it has none."""
    after, ways, begins = order
    n, most = len(costs), len(begins) - 2
    least = np.empty((most + 1, n + 1), dtype=np.int64)
    _least(costs, after, least)
    slot, paid = np.zeros((2, most + 1), dtype=np.int64)
    best, which = (0, 0) if accepts[0] else (FAR, -1)
    for size in range(1, most + 1):
        at, depth = begins[size], 0
        slot[0] = 0
        while depth >= 0:
            left, first, spent = size - depth, slot[depth], paid[depth]
            if first >= n or spent + least[left, first] >= best:
                at += ways[left, first]
                depth -= 1
            elif left == 1:
                for index in range(n - first):
                    if accepts[at + index] and spent + costs[first + index] < best:
                        best, which = spent + costs[first + index], at + index
                at += n - first
                depth -= 1
            else:
                slot[depth] += 1
                if spent + costs[first] + least[left - 1, after[first]] >= best:
                    at += ways[left - 1, after[first]]
                else:
                    depth += 1
                    paid[depth], slot[depth] = spent + costs[first], after[first]
    return best, which


@outer
def fill_costs(bits: Planes, slot_costs: IntArray, actions: IntArray, slots: IntArray, into: Matrix) -> None:
    """What each of some actions costs each row: ``REFUSED`` where it does not accept it."""
    for number in range(len(actions)):
        byte, bit = actions[number] >> 3, np.uint8(actions[number] & 7)
        for row in range(len(bits)):
            total = np.int64(REFUSED)
            if (bits[row, byte] >> bit) & np.uint8(1):
                total = np.int64(0)
                for index in range(slots.shape[1]):
                    if slots[number, index] >= 0:
                        total += slot_costs[row, slots[number, index]]
            into[number, row] = total


@outer
def column_savings(matrix: Matrix, prices: FloatArray, people: FloatArray, savings: FloatArray) -> None:
    """What each column saves against the prices."""
    for column in range(len(matrix)):
        total = 0.0
        for row in range(len(prices)):
            total += people[row] * max(0.0, prices[row] - matrix[column, row])
        savings[column] = total


@outer
def exchange_values(
    matrix: Matrix,
    people: IntArray,
    served: tuple[IntArray, IntArray, IntArray],
    uncovered: int,
    values: IntArray,
) -> None:
    """What the columns in use and each other one cost together, without the one that it replaces.

    ``served`` says for each row which of the columns in use is cheapest, what it costs, and what the next
    one does; being served by none costs ``uncovered``. ``values[column, replaced]`` is the sum; the last
    stands for replacing none.
    """
    owner, first, second = served
    none = values.shape[1] - 1
    for column in range(len(matrix)):
        together = np.int64(0)
        values[column] = 0
        for row in range(len(people)):
            cost = np.int64(matrix[column, row])
            if cost == REFUSED:
                cost = np.int64(uncovered)
            now = min(cost, first[row])
            together += people[row] * now
            if owner[row] >= 0:
                values[column, owner[row]] += people[row] * (min(cost, second[row]) - now)
        values[column, :none] += together
        values[column, none] = together
