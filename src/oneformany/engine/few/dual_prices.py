"""Prices of rows that bound the least cost: steps of a volume algorithm over some columns.

With prices p and what row i pays in column c, at most k columns that serve everybody cost at least the sum of
the prices less the k greatest savings ``sum of max(0, p_i - cost_ic)``. The prices that make this largest are
looked for by subgradients, averaged as in the volume algorithm of Barahona and Anbil (2000): what averaged
columns leave unserved, or serve twice, says where prices should rise, or fall.
"""

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.few import cost_kernels as kernels
from oneformany.stop import Stop

NEW_PART = 0.15  # of a subgradient in the average: less is steadier, more is quicker
FIRST_STEP = 1.0  # of the way to the goal, as far as the slope tells
LONGEST_STEP = 1.5  # beyond 2 steps need not lead closer
SHORTEST_STEP = 1e-3  # gains nothing any more
FAILED_STEPS = 8  # in a row, before they are made shorter
SHORTER = 0.66  # a step after these
LONGER = 1.1  # a step after one that gained


@dataclass(frozen=True, eq=False)
class CostQuota:
    """At most so many columns for so many people; no person pays less than ``alone``."""

    people: IntArray
    alone: FloatArray
    able: IntArray  # the rows that may have a price
    most: int
    needed: int  # of the people of those rows

    def paid(self, prices: FloatArray) -> tuple[float, FloatArray]:
        """What the cheapest people needed pay at these prices, and how many people of each row these are."""
        taken = np.zeros(len(prices))
        order = self.able[np.argsort(prices[self.able], kind="stable")]
        people = self.people[order]
        taken[order] = np.clip(self.needed - (np.cumsum(people) - people), 0, people)
        return float(taken @ prices), taken


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices, what they prove for some columns, and what each column saves."""

    value: float
    prices: FloatArray
    savings: FloatArray


class PriceSearch:
    """Steps over some columns, from given prices on."""

    def __init__(self, matrix: kernels.Matrix, question: CostQuota) -> None:
        self._matrix, self._question = matrix, question
        self._people = question.people.astype(np.float64)

    def evaluated(self, prices: FloatArray) -> tuple[Prices, FloatArray]:
        """What prices prove, and how it changes with them."""
        question, savings = self._question, np.empty(len(self._matrix))
        kernels.column_savings(self._matrix, prices, self._people, savings)
        paid, taken = question.paid(prices)
        most = min(question.most, len(savings))
        best = np.argpartition(-savings, most - 1)[:most]
        times = (self._matrix[best] < prices).sum(axis=0)
        found = Prices(paid - float(savings[best].sum()), prices, savings)
        return found, taken - self._people * times

    def raised(self, start: FloatArray, goal: float, steps: int, stop: Stop) -> Prices:
        """The best prices of so many steps towards a value that is not exceeded."""
        alone, length, failed = self._question.alone, FIRST_STEP, 0
        best, direction = self.evaluated(np.maximum(start, alone))
        for _ in range(steps):
            size = float(direction @ direction)
            if stop.expired() or length < SHORTEST_STEP or size == 0 or best.value >= goal:
                break
            step = length * (goal - best.value) / size
            found, slope = self.evaluated(np.maximum(best.prices + step * direction, alone))
            if found.value > best.value:
                length = min(LONGEST_STEP, LONGER * length)
                best, failed = found, 0
            else:
                failed += 1
                if failed == FAILED_STEPS:
                    length, failed = SHORTER * length, 0
            direction = (1 - NEW_PART) * direction + NEW_PART * slope
        return best
