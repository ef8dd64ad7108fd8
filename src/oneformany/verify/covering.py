"""The question whether so many groups cover all items, and what follows from weights on the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["Covering"]


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
    """

    matrix: csr_array
    groups: NDArray[np.int64]
    items: NDArray[np.int64]
    target: int

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]], items: int, target: int) -> Covering:
        """Ask for all groups and items."""
        edges = np.cumsum([0, *(len(group) for group in groups)])
        flat = np.array([item for group in groups for item in group], dtype=np.int64)
        matrix = csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(groups), items))
        return cls(matrix, np.arange(len(groups)), np.arange(items), target)

    @property
    def hopeless(self) -> bool:
        """Whether something is needed that no group or no budget is left for."""
        return len(self.items) > 0 and (self.target <= 0 or bool((self.matrix.sum(axis=0) == 0).any()))

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
        place_of = {item: place for place, item in enumerate(self.items.tolist())}
        sets = [(chosen, weight) for chosen, weight in weights.items() if place_of.keys() >= set(chosen)]
        edges = np.cumsum([0, *(len(chosen) for chosen, _ in sets)])
        flat = np.array([place_of[item] for chosen, _ in sets for item in chosen], dtype=np.int64)
        ones = np.ones(len(flat), dtype=np.int64)
        carried = self.matrix @ csr_array((ones, flat, edges), shape=(len(sets), len(self.items))).T
        carried.data = (carried.data + 1) // 2
        loads = carried @ np.array([weight for _, weight in sets], dtype=np.int64)
        heaviest = int(loads.max(initial=0))
        total = sum((len(chosen) + 1) // 2 * weight for chosen, weight in sets)
        if total > self.target * heaviest:
            return None
        return self.only(loads >= total - (self.target - 1) * heaviest)

    def only(self, usable: NDArray[np.bool_]) -> Covering:
        """Forbid the other groups."""
        return Covering(self.matrix[usable], self.groups[usable], self.items, self.target)

    def using(self, place: int) -> Covering:
        """Use the group at this place: what it covers is no longer needed."""
        needed = np.ones(len(self.items), dtype=np.bool_)
        needed[self.matrix[[place]].indices] = False
        return Covering(self.matrix[:, needed], self.groups, self.items[needed], self.target - 1)
