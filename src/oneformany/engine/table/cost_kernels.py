"""Compiled passes over a table with costs: what columns save against prices, and who serves whom.

Python makes the arrays: a kernel that does so itself takes twice as long to compile.
"""

from __future__ import annotations

import numpy as np

from oneformany.arrays import IntArray
from oneformany.compiled import lean
from oneformany.engine.cover.merging import Merged
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.engine.table.table import ColumnTable


def column_savings(table: ColumnTable | Merged, people: IntArray, prices: IntArray) -> IntArray:
    """What each column saves against the prices: sum of ``people * max(0, price - scale * cost)``."""
    savings = np.zeros(len(table.starts) - 1, np.int64)
    _savings(table.starts, table.rows, table.costs, people, prices, savings)
    return savings


@lean()
def _savings(starts, rows, costs, people, prices, savings):
    for j in range(len(savings)):
        total = 0
        for e in range(starts[j], starts[j + 1]):
            i = rows[e]
            gain = prices[i] - ONE_IN_COVERS * costs[e]
            if gain > 0:
                total += people[i] * gain
        savings[j] = total


def cheapest(table: ColumnTable | Merged, chosen: IntArray, n_rows: int) -> tuple[IntArray, IntArray]:
    """For each row the cheapest of the chosen columns (its index in ``chosen``, -1: none) and its cost."""
    owner, least = np.full(n_rows, -1, np.int64), np.zeros(n_rows, np.int64)
    _cheapest(table.starts, table.rows, table.costs, chosen, owner, least)
    return owner, least


@lean()
def _cheapest(starts, rows, costs, chosen, owner, least):
    for index in range(len(chosen)):
        for e in range(starts[chosen[index]], starts[chosen[index] + 1]):
            i = rows[e]
            if owner[i] < 0 or costs[e] < least[i]:
                owner[i] = index
                least[i] = costs[e]
