"""The proof that so many groups do not cover all items: a tree of cases, closed by weights on the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.cases import thinned, walk
from oneformany.verify.limits import Limits
from oneformany.verify.proofs import CoverCase

BATCH = 2**22


def incidence(columns: Sequence[Sequence[int]], rows: int) -> csr_array:
    """Write columns as a sparse matrix, columns by rows."""
    edges = np.cumsum([0, *(len(column) for column in columns)])
    flat = np.array([row for column in columns for row in column], dtype=np.int64)
    return csr_array((np.ones(len(flat), dtype=np.int64), flat, edges), shape=(len(columns), rows))


@dataclass(frozen=True, eq=False)
class Covering:
    """Do ``target`` of the usable groups cover all needed items."""

    matrix: csr_array  # usable groups by needed items
    groups: IntArray  # their numbers
    items: IntArray
    target: int
    limits: Limits

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]], items: int, target: int, limits: Limits) -> Covering:
        """Ask for all groups and items."""
        return cls(incidence(groups, items), np.arange(len(groups)), np.arange(items), target, limits)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return int(16 * self.matrix.nnz + 24 * len(self.groups) + 8 * len(self.items))

    def filtered(self, weights: Mapping[tuple[int, ...], int]) -> Covering | None:
        """Drop groups that are too light for any cover; ``None`` when no cover can carry the weight.

        Each set of items has a weight, not negative; sets with an item that is not needed are ignored. A
        group carries the weight of a set once for every two of its items, rounded up. The groups of a cover
        share out all items of the set, so together they carry it at least half as often as it has items,
        rounded up. All in exact integers.
        """
        index_of = {item: index for index, item in enumerate(self.items.tolist())}
        sets = [(chosen, weight) for chosen, weight in weights.items() if index_of.keys() >= set(chosen)]
        loads = np.zeros(len(self.groups), dtype=np.int64)
        step = max(1, BATCH // max(1, len(self.groups)))
        for first in range(0, len(sets), step):
            self.limits.check()
            batch = sets[first : first + step]
            which = incidence([[index_of[i] for i in chosen] for chosen, _ in batch], len(self.items))
            carried = self.matrix @ which.T
            carried.data = (carried.data + 1) // 2
            loads += carried @ np.array([weight for _, weight in batch], dtype=np.int64)
        total = sum((len(chosen) + 1) // 2 * weight for chosen, weight in sets)
        usable = thinned(np.ones(len(loads), dtype=np.bool_), loads, self.target, total)
        return None if usable is None else self.only(usable)

    def only(self, usable: BoolArray) -> Covering:
        """Forbid the other groups."""
        return replace(self, matrix=self.matrix[usable], groups=self.groups[usable])

    def using(self, index: int) -> Covering:
        """Use one group: what it covers is no longer needed."""
        needed = np.ones(len(self.items), dtype=np.bool_)
        needed[self.matrix[[index]].indices] = False
        return replace(self, matrix=self.matrix[:, needed], items=self.items[needed], target=self.target - 1)


def check_refutation(covering: Covering, case: CoverCase, item_of: Mapping[int, int]) -> None:
    """Check a given proof, on the rows that stand for items, that the groups do not suffice."""

    def parts(node: tuple[Covering, CoverCase, int]) -> Iterator[tuple[Covering, CoverCase, int]]:
        given, case, size = node
        left = _filtered(given, case, item_of)
        if left is not None:
            size += left.nbytes
            covering.limits.need(size, "the proof of the set cover")
            for part, of_part in _parts(left, case, item_of):
                yield part, of_part, size

    walk((covering, case, 0), parts, covering.limits)


def _filtered(covering: Covering, case: CoverCase, item_of: Mapping[int, int]) -> Covering | None:
    """Apply the weights of a case, one after the other; ``None`` when no cover is left."""
    left: Covering | None = covering
    for pairs in case.filters:
        if left is None:
            break
        left = left.filtered({tuple(item_of.get(row, -1) for row in rows): weight for rows, weight in pairs})
    return left


def _parts(
    covering: Covering, case: CoverCase, item_of: Mapping[int, int]
) -> Iterator[tuple[Covering, CoverCase]]:
    """Split by the column that covers a row, each without those tried before; none may be left out."""
    if case.row is None or item_of.get(case.row, -1) not in covering.items:
        raise CertificateError("the proof leaves open whether the listed columns suffice")
    item = covering.items.tolist().index(item_of[case.row])
    covers = covering.groups[covering.matrix[:, [item]].nonzero()[0]]
    if left_out := set(covers.tolist()) - set(case.columns):
        raise CertificateError(f"the proof forgets that column {min(left_out)} covers row {case.row}")
    for number, part in zip(case.columns, case.parts, strict=True):
        if number in covering.groups:
            yield covering.using(covering.groups.tolist().index(number)), part
            covering = covering.only(covering.groups != number)
