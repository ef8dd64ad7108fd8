"""Least cost as a budget of columns: a row counts once per level of cost at which it can be served.

A row that some column serves at cost c is covered at every level of cost from c on. Leaving a level uncovered
loses the step up to the next one, and leaving the highest uncovered means that nobody serves the row. So the
cheapest choice of k columns is the one that covers the most, with these losses as weights: the same searches
and relaxations serve both questions (Cornuéjols, Nemhauser and Wolsey, 1980).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.cover.incidence import Incidence

WIDEST = 50_000_000


@dataclass(frozen=True, eq=False)
class CostLevels:
    """Pairs of row and level.

    Attributes
    ----------
    incidence : Incidence
        Which columns cover which pairs.
    owner : array of int
        The row of each pair.
    costs : array of int
        The cost of each level.
    last : array of bool
        Whether it is the highest level of its row.
    lowest : (n_rows,) array of int
        The least cost of each row in any column.
    """

    incidence: Incidence
    owner: IntArray
    costs: IntArray
    last: BoolArray
    lowest: IntArray

    @classmethod
    def of(cls, starts: IntArray, rows: NDArray[np.int32], costs: IntArray, n_rows: int) -> CostLevels:
        """Number the levels of each row: the distinct costs that it has in some column."""
        width = int(costs.max(initial=0)) + 1
        if n_rows * width <= WIDEST:
            present = np.zeros((n_rows, width), dtype=np.bool_)
            present[rows, costs] = True
            pairs = np.flatnonzero(present)
            entry = (np.cumsum(present, dtype=np.int32) - 1)[rows.astype(np.int64) * width + costs]
        else:
            pairs, entry = np.unique(rows.astype(np.int64) * width + costs, return_inverse=True)
        owner = pairs // width
        ends = np.cumsum(np.bincount(owner, minlength=n_rows))
        last = np.ones(len(pairs), dtype=np.bool_)
        last[:-1] = owner[1:] != owner[:-1]
        lowest = np.zeros(n_rows, dtype=np.int64)
        lowest[owner[::-1]] = (pairs % width)[::-1]
        # A column holds the pair of its cost, and all pairs of the row after that.
        entry = entry.ravel()
        counts = ends[rows] - entry
        begins = np.concatenate(([0], np.cumsum(counts)))
        held = np.repeat(entry - begins[:-1], counts) + np.arange(begins[-1])
        incidence = Incidence.of(begins[starts], held.astype(np.int32), len(pairs))
        return cls(incidence, owner, pairs % width, last, lowest)

    def losses(self, unserved: float) -> FloatArray:
        """What leaving each pair uncovered costs a person, where being served by nobody costs so much."""
        after = np.where(self.last, unserved, np.append(self.costs[1:], 0))
        return np.minimum(after, unserved) - np.minimum(self.costs, unserved)

    def prices(self, duals: FloatArray, people: IntArray) -> FloatArray:
        """Prices per person of each row: its least cost, and what its pairs weigh."""
        weight = np.bincount(self.owner, duals, len(people))
        served = np.bincount(self.owner, minlength=len(people)) > 0
        return np.where(served, self.lowest + weight / people, 0.0)
