"""Who is served when fewer people are needed than could be: those who pay least."""

from __future__ import annotations

import numpy as np

from oneformany.arrays import BoolArray, IntArray

MOST_STEPS = 200_000_000


def people_at_prices(prices: IntArray, people: IntArray, needed: int) -> int:
    """What the cheapest ``needed`` people pay, where people of one row may be parted."""
    order = np.argsort(prices, kind="stable")
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(needed - before, 0, people[order])
    return int((taken * prices[order]).sum())


def cheapest_rows(costs: IntArray, people: IntArray, needed: int) -> tuple[BoolArray, bool]:
    """Choose rows that stand for so many people and pay least; whoever pays nothing is served anyway.

    Rows are left out whole. Where they stand for several people each, which of them to leave out is a
    knapsack; it is solved exactly unless it is very large: that comes second. All are served if they are
    fewer than needed.
    """
    kept = np.ones(len(costs), dtype=np.bool_)
    spare = int(people.sum()) - needed
    rows = np.flatnonzero((people <= spare) & (costs > 0))
    if not len(rows):
        return kept, True
    alike = bool((people[rows] == 1).all())
    if alike or len(rows) * spare > MOST_STEPS:
        for row in rows[np.lexsort((people[rows], -costs[rows]))].tolist():
            if people[row] <= spare:
                kept[row] = False
                spare -= int(people[row])
        return kept, alike
    saved = np.zeros(spare + 1, dtype=np.int64)  # the most that is saved by leaving out at most so many
    left = np.zeros((len(rows), spare + 1), dtype=np.bool_)
    for number, row in enumerate(rows.tolist()):
        size = int(people[row])
        with_it = saved[: spare + 1 - size] + size * int(costs[row])
        left[number, size:] = with_it > saved[size:]
        saved[size:] = np.maximum(saved[size:], with_it)
    spare = int(np.argmax(saved == saved[-1]))
    for number in range(len(rows) - 1, -1, -1):
        if left[number, spare]:
            kept[rows[number]] = False
            spare -= int(people[rows[number]])
    return kept, True
