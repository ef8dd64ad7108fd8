"""The question whether so many groups cover all items, and what follows from weights on the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from oneformany.verify.limits import Limits

__all__ = ["Covering"]

BATCH = 2**22


@dataclass(frozen=True, eq=False)
class Covering:
    """Do ``target`` of the usable groups cover all needed items.

    Attributes
    ----------
    matrix : sparse 0/1 matrix
        Usable groups by needed items.
    groups, items : integer arrays
        Their numbers.
    target : int
        How many groups may be used.
    limits : Limits
        For how long it may be examined.
    """

    matrix: csr_array
    groups: NDArray[np.int64]
    items: NDArray[np.int64]
    target: int
    limits: Limits

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]], items: int, target: int, limits: Limits) -> Covering:
        """Ask for all groups and items."""
        edges = np.cumsum([0, *(len(group) for group in groups)])
        flat = np.array([item for group in groups for item in group], dtype=np.int64)
        matrix = csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(groups), items))
        return cls(matrix, np.arange(len(groups)), np.arange(items), target, limits)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return int(16 * self.matrix.nnz + 24 * len(self.groups) + 8 * len(self.items))

    def filtered(self, weights: Mapping[tuple[int, ...], int]) -> Covering | None:
        """Drop groups that are too light for any cover; ``None`` when no cover can carry the weight.

        A group carries the weight of a set of items once for every two of them it contains, rounded up.
        The groups of a cover share out all items of the set, so together they carry it at least half as
        often as it has items, rounded up. If no group carries more than m, then k groups carry at most
        k m, and each group of a cover by k at least the total minus (k - 1) m. All in exact integers.

        Parameters
        ----------
        weights : mapping
            Weight, not negative, of each set of items; sets with an item that is not needed are ignored.
        """
        index_of = {item: index for index, item in enumerate(self.items.tolist())}
        sets = [(chosen, weight) for chosen, weight in weights.items() if index_of.keys() >= set(chosen)]
        loads = np.zeros(len(self.groups), dtype=np.int64)
        step = max(1, BATCH // max(1, len(self.groups)))
        for first in range(0, len(sets), step):
            self.limits.check()
            batch = sets[first : first + step]
            edges = np.cumsum([0, *(len(chosen) for chosen, _ in batch)])
            flat = np.array([index_of[item] for chosen, _ in batch for item in chosen], dtype=np.int64)
            ones = np.ones(len(flat), dtype=np.int64)
            carried = self.matrix @ csr_array((ones, flat, edges), shape=(len(batch), len(self.items))).T
            carried.data = (carried.data + 1) // 2
            loads += carried @ np.array([weight for _, weight in batch], dtype=np.int64)
        heaviest = int(loads.max(initial=0))
        total = sum((len(chosen) + 1) // 2 * weight for chosen, weight in sets)
        if total > self.target * heaviest:
            return None
        return self.only(loads >= total - (self.target - 1) * heaviest)

    def only(self, usable: NDArray[np.bool_]) -> Covering:
        """Forbid the other groups."""
        return replace(self, matrix=self.matrix[usable], groups=self.groups[usable])

    def using(self, index: int) -> Covering:
        """Use one group: what it covers is no longer needed."""
        needed = np.ones(len(self.items), dtype=np.bool_)
        needed[self.matrix[[index]].indices] = False
        return replace(self, matrix=self.matrix[:, needed], items=self.items[needed], target=self.target - 1)
