"""What a branching node covers: single rows at the root, further down rows kept together or apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing import kernels
from oneformany.engine.pricing.space import SearchSpace

SAMPLE = 2000


@dataclass(frozen=True)
class Decisions:
    """Pairs of rows of the space that one explanation must, or must not, take together."""

    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()

    @property
    def depth(self) -> int:
        """How many pairs are decided on."""
        return len(self.together) + len(self.apart)

    def join(self, i: int, j: int) -> Decisions:
        """Decide that two rows stay together."""
        return Decisions((*self.together, (i, j)), self.apart)

    def part(self, i: int, j: int) -> Decisions:
        """Decide that two rows stay apart."""
        return Decisions(self.together, (*self.apart, (i, j)))


class Items:
    """The rows of a space under branching decisions: the item of each, and the first row of each item."""

    def __init__(self, space: SearchSpace, decisions: Decisions) -> None:
        self.space = space
        self.decisions = decisions
        root = np.arange(len(space.rows))
        for i, j in decisions.together:
            low, high = sorted((root[i], root[j]))
            root[root == high] = low
        self.first, self.item_of = np.unique(root, return_inverse=True)
        self.apart = {
            (int(min(pair)), int(max(pair)))
            for pair in (self.item_of[list(rows)] for rows in decisions.apart)
        }

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def sizes(self) -> IntArray:
        """How many rows each item has."""
        return np.bincount(self.item_of, minlength=len(self))

    @cached_property
    def arrays(self) -> kernels.SearchArrays:
        """Arrays for the kernels; candidates are reported whenever units alone do not settle them."""
        return self.space.arrays._replace(
            item_start=np.concatenate(([0], np.cumsum(self.sizes))),
            item_rows=np.argsort(self.item_of, kind="stable"),
            exact=self.space.arrays.exact and not self.apart,
        )

    @cached_property
    def by_crowding(self) -> IntArray:
        """Items in the order of how many rows are near: the crowded ones are then searched with most gone.

        Among very many rows, near ones are counted in a sample.
        """
        rows = self.space.rows
        sample = rows[:: 1 + len(rows) // SAMPLE]
        budget = self.space.problem.max_changes
        near = [int(((sample != rows[row]).sum(axis=1) <= budget).sum()) for row in self.first]
        return np.argsort(near, kind="stable")

    def conflicts(self, item: int) -> list[int]:
        """Items that must stay apart from this one."""
        return [j if i == item else i for i, j in self.apart if item in (i, j)]

    def group(self, rows: IntArray) -> IntArray:
        """Items whose rows are all among ``rows``, which rise."""
        if not self.decisions.together:
            return rows
        return np.flatnonzero(np.bincount(self.item_of[rows], minlength=len(self)) == self.sizes)

    def rows_of(self, items: IntArray) -> IntArray:
        """All rows of some items, which rise."""
        return items if not self.decisions.together else np.flatnonzero(np.isin(self.item_of, items))

    def heaviest(self, items: IntArray, weights: IntArray) -> IntArray:
        """Exact heaviest selection without a conflict, by branching on the item with most conflicts."""
        if not self.apart:
            return items
        present = set(items.tolist())
        clashes = {i: {j for j in self.conflicts(i) if j in present} for i in present}
        worst = max(present, key=lambda i: (len(clashes[i]), -i), default=-1)
        if worst < 0 or not clashes[worst]:
            return items
        without = self.heaviest(np.array(sorted(present - {worst}), dtype=np.int64), weights)
        with_it = self.heaviest(np.array(sorted(present - clashes[worst]), dtype=np.int64), weights)
        return max((with_it, without), key=lambda chosen: (int(weights[chosen].sum()), len(chosen)))
