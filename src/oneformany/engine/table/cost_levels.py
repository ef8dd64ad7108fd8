"""Who pays what: levels of cost, the cheapest of some columns for each row, and who is left out.

Least cost is a budget of columns over levels: a row counts once per level of cost at which it can be served.
A row that some column serves at cost c is covered at every level of cost from c on. Leaving a level uncovered
loses the step up to the next one, and leaving the highest uncovered means that nobody serves the row. So the
cheapest choice of k columns is the one that covers the most, with these losses as weights: the same searches
and relaxations serve both questions (Cornuéjols, Nemhauser and Wolsey, 1980).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence, Merged, entries_of
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.engine.table.table import ColumnTable
from oneformany.problem.problem import LARGEST_SUM

MOST_STEPS = 200_000_000


@dataclass(frozen=True, eq=False)
class CostLevels:
    """Pairs of row and level: which columns cover them, the row and the cost of each pair.

    ``last``: whether it is the highest level of its row; ``lowest``: the least cost of each row.
    """

    incidence: Incidence
    owner: IntArray
    costs: IntArray
    last: BoolArray
    lowest: IntArray

    @classmethod
    def of(cls, table: ColumnTable | Merged, n_rows: int) -> Self:
        """Number the levels of each row: the distinct costs that it has in some column."""
        starts, rows, costs = table.starts, table.rows, table.costs
        order = np.lexsort((costs, rows))
        new = (np.diff(rows[order], prepend=-1) != 0) | (np.diff(costs[order], prepend=-1) != 0)
        entry = np.empty(len(order), dtype=np.int64)
        entry[order] = np.cumsum(new) - 1
        owner, paid = rows[order[new]].astype(np.int64), costs[order[new]]
        ends = np.cumsum(np.bincount(owner, minlength=n_rows))
        lowest = np.zeros(n_rows, dtype=np.int64)
        lowest[owner[::-1]] = paid[::-1]
        # A column holds the pair of its cost, and all pairs of the row after that.
        counts = ends[rows] - entry
        begins = np.concatenate(([0], np.cumsum(counts)))
        held = np.repeat(entry - begins[:-1], counts) + np.arange(begins[-1])
        incidence = Incidence.of(begins[starts], held.astype(np.int32), len(owner))
        return cls(incidence, owner, paid, np.diff(owner, append=-1) != 0, lowest)

    def losses(self, unserved: float) -> FloatArray:
        """What leaving each pair uncovered costs a person, where being served by nobody costs so much."""
        after = np.where(self.last, unserved, np.append(self.costs[1:], 0))
        return np.minimum(after, unserved) - np.minimum(self.costs, unserved)

    def prices(self, duals: FloatArray, people: IntArray) -> IntArray:
        """Prices per person of each row, times the scale: its least cost, and what its pairs weigh."""
        weight = np.bincount(self.owner, duals, len(people))
        served = np.bincount(self.owner, minlength=len(people)) > 0
        each = np.minimum(self.lowest + weight / people, LARGEST_SUM / ONE_IN_COVERS)
        return integer_weights(np.where(served, each, 0.0), ONE_IN_COVERS)


def column_savings(table: ColumnTable | Merged, people: IntArray, prices: IntArray) -> IntArray:
    """What each column saves against the prices: sum of ``people * max(0, price - scale * cost)``."""
    costs = np.minimum(table.costs, LARGEST_SUM // ONE_IN_COVERS)  # no price is higher
    gains = np.maximum(0, prices[table.rows] - ONE_IN_COVERS * costs)
    sums = np.append(0, np.cumsum(people[table.rows] * gains))
    return np.diff(sums[table.starts])


def addable(prices: IntArray, people: IntArray) -> bool:
    """Whether what all people pay at these prices can be added without overflow."""
    most = int(prices.max(initial=0)) * int(people.sum())
    return bool((prices >= 0).all()) and most < LARGEST_SUM


def cheapest(table: ColumnTable | Merged, chosen: IntArray, n_rows: int) -> tuple[IntArray, IntArray]:
    """For each row the cheapest of the chosen columns (its index in ``chosen``, -1: none) and its cost."""
    entries, begins = entries_of(table.starts, chosen)
    rows, costs = table.rows[entries], table.costs[entries]
    order = np.lexsort((costs, rows))
    first = order[np.diff(rows[order], prepend=-1) != 0]
    owner, least = np.full(n_rows, -1), np.zeros(n_rows, dtype=np.int64)
    owner[rows[first]] = np.searchsorted(begins, first, side="right") - 1
    least[rows[first]] = costs[first]
    return owner, least


def people_at_prices(prices: IntArray, people: IntArray, needed: int) -> int:
    """What the cheapest ``needed`` people pay, where people of one row may be parted."""
    order = np.argsort(prices, kind="stable")
    before = np.cumsum(people[order]) - people[order]
    taken = np.clip(needed - before, 0, people[order])
    return int((taken * prices[order]).sum())


def cheapest_rows(costs: IntArray, people: IntArray, needed: int) -> tuple[BoolArray, bool]:
    """Choose rows that stand for so many people and pay least; whoever pays nothing is served anyway.

    Rows are left out whole: where they stand for several people each, that is a knapsack. It is solved
    exactly, which comes second, unless it is very large.
    """
    kept = np.ones(len(costs), dtype=np.bool_)
    spare = int(people.sum()) - needed
    rows = np.flatnonzero((people <= spare) & (costs > 0))
    if not len(rows):
        return kept, True
    alike = bool((people[rows] == 1).all())
    if alike or len(rows) * spare > MOST_STEPS:
        dearest = rows[np.lexsort((people[rows], -costs[rows]))]
        kept[dearest[np.cumsum(people[dearest]) <= spare]] = False
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
