"""Prices of rows from the groups known so far: the dual of a cover by k groups at the least cost.

Prices are kept near the best ones so far, within a box that grows while they get better and shrinks when
they do not (the box step method of Marsten, Hogan and Blankenship, Operations Research 23, 1975).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.cover.program import CoveringProgram
from oneformany.exceptions import SolverError
from oneformany.stop import Stop

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
        self.center, self.width = center, FIRST_WIDTH
        self._known: set[tuple[bytes, int]] = set()
        self._program = CoveringProgram(np.append(np.ones(n), -count), presolve=True)
        sides = sparse.eye(n + 1, n)  # these hold the prices below, and above, the sides of the box
        self._program.add_columns(sparse.hstack((sides, -sides), format="csc"))

    def add(self, rows: IntArray, cost: int) -> bool:
        """Add a group and what it costs together; false if it was there."""
        key = (rows.tobytes(), cost)
        if key in self._known:
            return False
        self._known.add(key)
        n, size = len(self.people), len(rows)
        entries = np.append(np.ones(size), -1.0), np.append(rows, n), np.array([0, size + 1])
        self._program.add_columns(sparse.csc_matrix(entries, shape=(n + 1, 1)), np.array([cost]))
        return True

    def solve(self, stop: Stop) -> tuple[FloatArray, float, float] | None:
        """Prices per person, what a group must save to be of use, and the cost by parts of groups.

        ``None`` when time was too short.
        """
        n = len(self.people)
        low, high = np.maximum(0.0, self.center - self.width), self.center + self.width
        self._program.price(np.append(high * self.people, -low * self.people))
        relaxed = self._program.solve(stop)
        if relaxed == "infeasible":
            raise SolverError("no prices suit the groups, although each row has a group of its own")
        if isinstance(relaxed, str):
            return None
        return relaxed.duals[:n] / self.people, float(relaxed.duals[n]), relaxed.value

    def at_side(self, prices: FloatArray) -> bool:
        """Whether a wider box would let prices go further."""
        outside = np.abs(prices - self.center) >= self.width - 1e-6
        return bool((outside & ((prices > self.center) | (prices > 1e-6))).any()) and self.width < WIDEST

    def resize(self, factor: float) -> None:
        """Make the box so many times as wide, within limits."""
        self.width = min(WIDEST, max(NARROWEST, factor * self.width))
