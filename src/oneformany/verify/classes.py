"""Rows that agree outside of some features: only such rows can share a point by changing these.

For each set of as many features as may change, rows fall into classes by their codes outside, and a group is
part of one class.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.limits import Limits

__all__ = ["Classes", "in_heavy_classes", "is_quick"]

# A search looks at the surroundings of each row, a pass at all rows once per set of features, and at each set
# at least as long as at so many rows.
OVERHEAD = 2000
WORTH = 4
LARGEST_KEY = 2**62


def is_quick(rows: int, features: int, max_changes: int) -> bool:
    """Tell whether a pass over all sets of features is quicker than a search around each row."""
    return WORTH * comb(features, max_changes) * (rows + OVERHEAD) <= rows**2


class Classes:
    """Rows of codes, each with one number made of all that occurs, so that agreeing is being equal."""

    def __init__(self, codes: IntArray) -> None:
        self._codes = codes
        self._parts: list[IntArray] | None = []
        radix = 1
        for column in codes.T:
            present, code = np.unique(column, return_inverse=True)
            self._parts.append(code.ravel() * radix)
            radix *= len(present)
            if radix > LARGEST_KEY:
                self._parts = None
                return
        self._key = np.sum(self._parts, axis=0)

    def outside(self, features: tuple[int, ...], rows: IntArray) -> tuple[IntArray, IntArray]:
        """Sort rows by what they are outside of some features; also tell where each class begins."""
        if self._parts is None:
            codes = np.delete(self._codes[rows], features, axis=1)
            key = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        else:
            key = self._key[rows] - sum(self._parts[feature][rows] for feature in features)
        order = np.argsort(key, kind="stable")
        key = key[order]
        return rows[order], np.flatnonzero(np.diff(key, prepend=key[:1] - 1))


def in_heavy_classes(
    codes: IntArray, spread: BoolArray, max_changes: int, weight: IntArray, floor: int, limits: Limits
) -> BoolArray:
    """Tell which items are in a class that weighs at least ``floor``; all of them where a search is quicker.

    An item in no such class is in no group of that weight, whatever rules and classifier say. Features in
    which the rows of an item are ``spread`` have to change.
    """
    n, features = codes.shape
    if not is_quick(n, features, max_changes):
        return np.ones(n, dtype=np.bool_)
    heavy = np.zeros(n, dtype=np.bool_)
    classes, spreads = Classes(codes), spread.sum(axis=1)
    for changed in combinations(range(features), max_changes):
        limits.check()
        inside = np.flatnonzero(spread[:, list(changed)].sum(axis=1) == spreads)
        if len(inside):
            items, starts = classes.outside(changed, inside)
            enough = np.add.reduceat(weight[items], starts) >= floor
            heavy[items[np.repeat(enough, np.diff(starts, append=len(items)))]] = True
    return heavy
