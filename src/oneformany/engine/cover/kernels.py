"""Compiled passes over a table of columns: primal-dual steps, duals made feasible, cuts that are violated.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import FloatArray
from oneformany.compiled import lean
from oneformany.engine.cover.incidence import Incidence


@lean()
def primal_dual_steps(table, budget, price, upper, balance, values, duals, value_sum, dual_sum, work, steps):
    """Take steps towards the optimum of a covering program; return the price of a column.

    The program is ``min sum price x + sum upper s`` with ``A x + s >= 1``; with ``budget >= 0`` columns are
    free but ``sum x = budget``, and the price is the multiplier of that. Every column and row has a step
    length of its own, one over its size (Pock and Chambolle, 2011), and ``balance`` weighs the two sides.
    ``values`` and ``duals`` are moved in place, ``value_sum`` and ``dual_sum`` collect them.
    """
    starts, rows, row_starts, row_columns = table
    m = len(starts) - 1
    n = len(row_starts) - 1
    for _ in range(steps):
        for j in range(m):
            load = 0.0
            for e in range(starts[j], starts[j + 1]):
                load += duals[rows[e]]
            work[j] = load
        if budget >= 0:
            price = _price_for(starts, values, work, budget, balance, price)
        for j in range(m):
            length = balance / max(1, starts[j + 1] - starts[j])
            moved = values[j] + length * (work[j] - price)
            moved = max(moved, 0.0)
            work[j] = 2.0 * moved - values[j]
            values[j] = moved
            value_sum[j] += moved
        for i in range(n):
            degree = row_starts[i + 1] - row_starts[i]
            if degree == 0:
                continue
            cover = 0.0
            for e in range(row_starts[i], row_starts[i + 1]):
                cover += work[row_columns[e]]
            moved = duals[i] + (1.0 - cover) / (balance * degree)
            moved = min(max(moved, 0.0), upper[i])
            duals[i] = moved
            dual_sum[i] += moved
    return price


@lean(inner=True)
def _price_for(starts, values, loads, budget, balance, price):
    """Find the price at which the moved values sum to the budget, by Newton steps on a convex function."""
    for _ in range(50):
        total = 0.0
        slope = 0.0
        for j in range(len(values)):
            length = balance / max(1, starts[j + 1] - starts[j])
            moved = values[j] + length * (loads[j] - price)
            if moved > 0.0:
                total += moved
                slope += length
        if slope == 0.0:  # beyond all columns; from below, these steps never go too far
            price = 0.0
            continue
        step = (total - budget) / slope
        price += step
        if abs(step) <= 1e-9 * max(1.0, abs(price)):
            break
    return max(price, 0.0)


def feasible_duals(incidence: Incidence, duals: FloatArray, upper: FloatArray, capacity: float) -> FloatArray:
    """Shrink duals until no column weighs more than the capacity, then raise them where there is room."""
    feasible, worst, loads = duals.copy(), np.ones(len(duals)), np.zeros(incidence.n_columns)
    _make_feasible(*incidence.arrays, upper, capacity, feasible, worst, loads)
    return feasible


@lean()
def _make_feasible(starts, rows, row_starts, row_columns, upper, capacity, feasible, worst, loads):
    """Divide each dual by the worst excess among its columns: that is enough for all of them at once."""
    n = len(feasible)
    m = len(loads)
    for j in range(m):
        load = 0.0
        for e in range(starts[j], starts[j + 1]):
            load += feasible[rows[e]]
        excess = load / capacity
        if excess > 1.0:
            for e in range(starts[j], starts[j + 1]):
                worst[rows[e]] = max(worst[rows[e]], excess)
    for i in range(n):
        feasible[i] /= worst[i]
    for j in range(m):
        load = 0.0
        for e in range(starts[j], starts[j + 1]):
            load += feasible[rows[e]]
        loads[j] = load
    for i in range(n):
        if row_starts[i + 1] == row_starts[i]:
            feasible[i] = upper[i] if upper[i] < np.inf else 0.0
            continue
        room = upper[i] - feasible[i]
        for e in range(row_starts[i], row_starts[i + 1]):
            room = min(room, capacity - loads[row_columns[e]])
        if room > 0.0:
            feasible[i] += room
            for e in range(row_starts[i], row_starts[i + 1]):
                loads[row_columns[e]] += room


@lean()
def violated_triples(inside, values, least, shared, triples, lacks):
    """Write down triples of items that a relaxation covers by more than ``least`` too little, and how much.

    ``inside[item, column]`` stands over the columns of positive value. What covers two or three items of a
    triple counts once: the sum over the items, less that over the pairs, plus twice that over all three.
    ``shared`` is room for the sums over pairs, and over single items, zero at first. Returns how many triples
    were found, at most as many as there is room for.
    """
    n, m = inside.shape
    for i in range(n):
        for c in range(m):
            if inside[i, c]:
                for j in range(i, n):
                    if inside[j, c]:
                        shared[i, j] += values[c]
    found = 0
    for i in range(n - 2):
        for j in range(i + 1, n - 1):
            base = 2.0 - shared[i, i] - shared[j, j] + shared[i, j]
            for k in range(j + 1, n):
                lack = base - shared[k, k] + shared[i, k] + shared[j, k]
                if lack <= least:
                    continue
                for c in range(m):
                    if inside[i, c] and inside[j, c] and inside[k, c]:
                        lack -= 2.0 * values[c]
                if lack > least:
                    triples[found, 0] = i
                    triples[found, 1] = j
                    triples[found, 2] = k
                    lacks[found] = lack
                    found += 1
                    if found == len(lacks):
                        return found
    return found
