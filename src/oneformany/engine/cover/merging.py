"""Rows that no choice of columns tells apart, joined to one."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import IntArray


class Merged(NamedTuple):
    """Columns over classes of rows, with costs; the people of each class; the class of each row, -1: none."""

    starts: IntArray
    rows: NDArray[np.int32]
    costs: IntArray
    people: IntArray
    classes: IntArray

    @property
    def members(self) -> list[list[int]]:
        """The rows of each class."""
        order = np.argsort(self.classes, kind="stable")
        ends = np.searchsorted(self.classes[order], np.arange(len(self.people) + 1))
        return [order[begin:end].tolist() for begin, end in pairwise(ends)]


def merged(
    starts: IntArray, rows: NDArray[np.int32], costs: IntArray, people: IntArray, *, apart: bool = False
) -> Merged:
    """Join rows that have the same costs in the same columns, unless they are to stay ``apart``."""
    column_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    pattern = np.stack((column_of, costs), axis=1)[np.argsort(rows, kind="stable")]
    cuts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(people)))))
    number: dict[bytes, int] = {}
    classes = np.full(len(people), -1, dtype=np.int64)
    first = np.zeros(len(people), dtype=np.bool_)
    for row in np.flatnonzero(np.diff(cuts)).tolist():
        key = str(row).encode() if apart else pattern[cuts[row] : cuts[row + 1]].tobytes()
        first[row] = key not in number
        classes[row] = number.setdefault(key, len(number))
    together = np.bincount(classes[classes >= 0], people[classes >= 0], len(number)).astype(np.int64)
    keep = first[rows]
    kept = np.bincount(column_of[keep], minlength=len(starts) - 1)
    new_starts = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    return Merged(new_starts, classes[rows[keep]].astype(np.int32), costs[keep], together, classes)
