"""Who pays what: levels of cost, the cheapest of some columns for each row, and who is left out.

Least cost is a budget of columns over levels: a row counts once per level of cost at which it can be served.
A row that some column serves at cost c is covered at every level of cost from c on. Leaving a level uncovered
loses the step up to the next one, and leaving the highest uncovered means that nobody serves the row. So the
cheapest choice of k columns is the one that covers the most, with these losses as weights: the same searches
and relaxations serve both questions (Cornuéjols, Nemhauser and Wolsey, 1980).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence, Merged, entries_of, parts_of
from oneformany.engine.scaling import ONE_IN_COVERS, integer_weights
from oneformany.engine.table.table import ColumnTable
from oneformany.memory import Memory
from oneformany.problem.problem import LARGEST_SUM

STEPS_OF_A_SHARE = 200_000_000  # rows times people to leave out, for the least prices of a share: a second
ENTRIES_SORTED = 1 << 22  # that are sorted together, in 160 MB
BYTES_OF_A_PAIR = 10  # of a pair in a column: in both orders, and as a matrix


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of a row and one of its costs: the pair of each entry of a table; the row and cost of each pair.

    ``often`` says how many entries a pair has.
    """

    of_entry: NDArray[np.int32]
    owner: IntArray
    costs: IntArray
    often: IntArray

    @classmethod
    def of(cls, table: ColumnTable | Merged, n_rows: int) -> Self:
        """Number the distinct costs of every row."""
        rows, costs = table.rows, table.costs
        of_entry, count = np.empty(len(rows), dtype=np.int32), 0
        owners, paid, often = ([np.zeros(0, dtype=np.int64)] for _ in range(3))
        ends = np.cumsum(np.bincount(rows, minlength=n_rows))
        cuts = np.searchsorted(ends, np.arange(ENTRIES_SORTED, len(rows), ENTRIES_SORTED)).tolist()
        for begin, end in pairwise([0, *cuts, n_rows]):  # some rows at a time
            some = np.flatnonzero((rows >= begin) & (rows < end))
            some = some[np.lexsort((costs[some], rows[some]))]
            new = (np.diff(rows[some], prepend=-1) != 0) | (np.diff(costs[some], prepend=-1) != 0)
            number = np.cumsum(new) - 1
            of_entry[some] = count + number
            owners.append(rows[some[new]].astype(np.int64))
            paid.append(costs[some[new]])
            often.append(np.bincount(number))
            count += len(paid[-1])
        return cls(of_entry, np.concatenate(owners), np.concatenate(paid), np.concatenate(often))

    @property
    def held(self) -> int:
        """How many pairs all columns hold together: each its own pairs, and all of these rows after them."""
        after = np.cumsum(np.bincount(self.owner))[self.owner] - np.arange(len(self.owner))
        return int((after * self.often).sum())

    @property
    def most_levels(self) -> int:
        """The largest number of costs of a row."""
        return int(np.bincount(self.owner).max(initial=1))

    def coarser(self, most: int) -> Self:
        """Take neighbours together, at the least cost of them, so that no row has more pairs than that."""
        sizes = np.bincount(self.owner)
        index = np.arange(len(self.owner)) - (np.cumsum(sizes) - sizes)[self.owner]
        level = index * np.minimum(most, sizes[self.owner]) // sizes[self.owner]
        new = (np.diff(self.owner, prepend=-1) != 0) | (np.diff(level, prepend=-1) != 0)
        number, kept = (np.cumsum(new) - 1).astype(np.int32), np.flatnonzero(new)
        often = np.add.reduceat(self.often, kept)
        return type(self)(number[self.of_entry], self.owner[kept], self.costs[kept], often)


def pairs_held(table: ColumnTable | Merged, n_rows: int) -> int:
    """How many pairs of row and level the columns of a table hold together."""
    return _Pairs.of(table, n_rows).held


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
    def of(cls, table: ColumnTable | Merged, n_rows: int, memory: Memory | None = None) -> Self:
        """Number the levels of each row: the distinct costs that it has in some column.

        Of a limited memory levels may take half of what is left: neighbours become one until they fit.
        """
        pairs = _Pairs.of(table, n_rows)
        most = pairs.most_levels
        while memory is not None and most > 1 and not memory.fits(2 * pairs.held * BYTES_OF_A_PAIR):
            most = -(-most // 2)
            pairs = pairs.coarser(most)
        owner, paid = pairs.owner, pairs.costs
        ends = np.cumsum(np.bincount(owner, minlength=n_rows))
        lowest = np.zeros(n_rows, dtype=np.int64)
        lowest[owner[::-1]] = paid[::-1]
        # A column holds the pair of its cost, and all pairs of the row after that.
        sizes, every = [np.zeros(1, dtype=np.int64)], np.arange(len(table.starts) - 1)
        for columns in parts_of(table.starts, every):
            entries, begins = entries_of(table.starts, columns)
            counts = ends[table.rows[entries]] - pairs.of_entry[entries]
            sizes.append(np.diff(np.append(0, np.cumsum(counts))[begins]))
        starts = np.cumsum(np.concatenate(sizes))
        held = np.empty(starts[-1], dtype=np.int32)
        for columns in parts_of(starts, every):
            entries, _ = entries_of(table.starts, columns)
            first = pairs.of_entry[entries]
            counts = ends[table.rows[entries]] - first
            begins = np.append(0, np.cumsum(counts))
            pairs_of_columns = np.repeat(first - begins[:-1], counts) + np.arange(begins[-1])
            held[starts[columns[0]] : starts[columns[-1] + 1]] = pairs_of_columns
        incidence = Incidence.of(starts, held, len(owner))
        if memory is not None:
            memory.keep(incidence, BYTES_OF_A_PAIR * len(incidence.rows))
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
    savings = [np.zeros(0, dtype=np.int64)]
    for columns in parts_of(table.starts, np.arange(len(table.starts) - 1)):
        entries, begins = entries_of(table.starts, columns)
        rows = table.rows[entries]
        costs = np.minimum(table.costs[entries], LARGEST_SUM // ONE_IN_COVERS)  # no price is higher
        gains = np.maximum(0, prices[rows] - ONE_IN_COVERS * costs)
        savings.append(np.diff(np.append(0, np.cumsum(people[rows] * gains))[begins]))
    return np.concatenate(savings)


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
    if alike or len(rows) * spare > STEPS_OF_A_SHARE:
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
