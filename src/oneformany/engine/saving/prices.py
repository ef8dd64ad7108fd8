"""Prices of rows from the groups known so far: the dual of a cover by k groups at the least cost.

Prices are kept near the best ones so far, within a box that grows while they get better and shrinks when
they do not (the box step method of Marsten, Hogan and Blankenship, Operations Research 23, 1975).
"""

from __future__ import annotations

import highspy
import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import SolverError

__all__ = ["GroupPrices"]

FIRST_WIDTH = 1.0  # low prices leave little to save: the first searches are quick
WIDEST = 8.0
NARROWEST = 0.02


class GroupPrices:
    """A linear program that grows with the groups, of which ``count`` may be used.

    Prices per person stay within ``width`` of the center.
    """

    def __init__(self, people: IntArray, count: int, center: FloatArray) -> None:
        n = len(people)
        self.people = people.astype(np.float64)
        self.width = FIRST_WIDTH
        self._center = center
        self._known: set[tuple[bytes, int]] = set()
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        none, infinity = np.zeros(0, dtype=np.int32), highspy.kHighsInf
        lower, upper = np.append(np.ones(n), -infinity), np.append(np.full(n, infinity), float(count))
        self._highs.addRows(n + 1, lower, upper, 0, np.zeros(n + 1, dtype=np.int32), none, np.zeros(0))
        rows = np.arange(n, dtype=np.int32)
        for sign in (1.0, -1.0):  # these hold the prices below, and above, the sides of the box
            self._highs.addCols(
                n, np.zeros(n), np.zeros(n), np.full(n, infinity), n, rows, rows, np.full(n, sign)
            )

    def add(self, rows: IntArray, cost: int) -> bool:
        """Add a group and what it costs together; false if it was there."""
        key = (rows.tobytes(), cost)
        if key in self._known:
            return False
        self._known.add(key)
        index = np.append(rows, len(self.people)).astype(np.int32)
        self._highs.addCol(float(cost), 0.0, highspy.kHighsInf, len(index), index, np.ones(len(index)))
        return True

    def solve(self) -> tuple[FloatArray, float, float]:
        """Prices per person, what a group must save to be of use, and the cost by parts of groups."""
        n = len(self.people)
        columns = np.arange(2 * n, dtype=np.int32)
        low, high = np.maximum(0.0, self._center - self.width), self._center + self.width
        self._highs.changeColsCost(2 * n, columns, np.append(high * self.people, -low * self.people))
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"the prices ended as {self._highs.modelStatusToString(status)}")
        duals = np.array(self._highs.getSolution().row_dual)
        prices = np.maximum(0.0, duals[:n] / self.people)
        return prices, max(0.0, -float(duals[n])), float(self._highs.getInfo().objective_function_value)

    def at_side(self, prices: FloatArray) -> bool:
        """Whether a wider box would let prices go further."""
        high = prices >= self._center + self.width - 1e-6
        low = (prices <= self._center - self.width + 1e-6) & (prices > 1e-6)
        return bool((high | low).any())

    @property
    def widest(self) -> bool:
        """Whether the box is as wide as it gets."""
        return self.width >= WIDEST

    def accept(self, prices: FloatArray, *, well: bool) -> None:
        """Move the box to better prices, and widen it where they kept what they promised."""
        self._center = prices
        if well:
            self.width = min(WIDEST, 1.5 * self.width)

    def refuse(self) -> None:
        """Stay nearer to the best prices."""
        self.width = max(NARROWEST, 0.6 * self.width)

    def widen(self) -> None:
        """Look further away again."""
        self.width = min(WIDEST, 4.0 * self.width)
