"""Which items can be in a heavy group at all: group-bys over every set of changed features, in integers.

The rows of a group agree outside its changed features. So for each set of as many features as may change, the
items fall into classes by their codes outside, and a group is part of one class. An item that is in no class
of some weight is in no group of that weight, whatever rules and classifier say.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from oneformany.verify.limits import Limits

__all__ = ["in_heavy_classes"]

# A group-by costs as much as looking at so many items once more; the search looks at all around each.
OVERHEAD = 2000
WORTH = 4
LARGEST_KEY = 2**62

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def in_heavy_classes(
    codes: IntArray,
    spread: BoolArray,
    levels: tuple[int, ...],
    max_changes: int,
    weight: IntArray,
    floor: int,
    limits: Limits,
) -> BoolArray:
    """Tell which items are in a class that weighs at least ``floor``; all of them where a search is quicker.

    Parameters
    ----------
    codes : (n, p) integer array
        One row of each item.
    spread : (n, p) boolean array
        Features in which rows of an item differ: they have to change.
    levels : tuple of int
        Number of levels of each feature.
    max_changes : int
        How many features may change.
    weight : (n,) integer array
        Of each item, not negative.
    floor : int
        Smallest weight of interest.
    limits : Limits
        For time.
    """
    heavy = np.zeros(len(codes), dtype=np.bool_)
    work = comb(len(levels), max_changes) * (len(codes) + OVERHEAD)
    if WORTH * work > len(codes) ** 2 or prod(levels) > LARGEST_KEY:
        return ~heavy
    radix = np.array([prod(levels[:feature]) for feature in range(len(levels))], dtype=np.int64)
    parts = codes * radix
    keys, spreads = parts.sum(axis=1), spread.sum(axis=1)
    for changed in map(list, combinations(range(len(levels)), max_changes)):
        limits.check()
        inside = np.flatnonzero(spread[:, changed].sum(axis=1) == spreads)
        if not len(inside):
            continue
        key = keys[inside] - parts[inside][:, changed].sum(axis=1)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        total = np.add.reduceat(weight[inside[order]], starts)
        is_heavy = np.repeat(total >= floor, np.diff(starts, append=len(order)))
        heavy[inside[order[is_heavy]]] = True
    return heavy
