"""Cheaper columns, one exchanged for another as long as that helps: everybody needed stays served."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.few import cost_kernels as kernels
from oneformany.stop import Stop

MOST_EXCHANGES = 100  # each looks at all columns that may come in
NOBODY = -1  # serves the row


@dataclass(frozen=True, eq=False)
class Served:
    """Which of some columns serves each row at the least cost, what that is, and what the next one costs."""

    owner: IntArray
    first: IntArray
    second: IntArray

    @classmethod
    def by(cls, costs: kernels.Matrix, unserved: int) -> Self:
        """The cheapest two of the columns in use, ``(columns, rows)``."""
        known = np.where(costs == kernels.REFUSED, unserved, costs.astype(np.int64))
        padded = np.concatenate([known, np.full((2, known.shape[1]), unserved)])
        order = np.argsort(padded, axis=0, kind="stable")
        first, second = (np.take_along_axis(padded, order[j : j + 1], axis=0)[0] for j in (0, 1))
        return cls(np.where(first < unserved, order[0], NOBODY), first, second)


def exchanged(
    matrix: kernels.Matrix, people: IntArray, chosen: IntArray, unserved: int, most: int, stop: Stop
) -> IntArray:
    """Exchange columns of a matrix, or take in more up to so many, as long as all together pay less.

    Whoever is not served pays so much that serving more people always is better.
    """
    chosen = chosen.copy()
    for _ in range(MOST_EXCHANGES):
        if stop.expired():
            break
        served = Served.by(matrix[chosen], unserved)
        together = int(people @ served.first)
        values = np.empty((len(matrix), len(chosen) + 1), dtype=np.int64)
        about = served.owner, served.first, served.second
        kernels.exchange_values(matrix, people, about, unserved, values)
        if len(chosen) == most:
            values[:, -1] = together
        column, replaced = divmod(int(values.argmin()), values.shape[1])
        if values[column, replaced] >= together:
            break
        if replaced == len(chosen):
            chosen = np.append(chosen, column)
        else:
            chosen[replaced] = column
    return chosen
