"""The minimum by brute force, for small problems: slow, simple, and written to be believed by reading.

Every point and every set of changed features is tried. Sets of rows are bit masks: row ``i`` is bit ``i``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

Rows = Sequence[Sequence[int]]


class Cell(NamedTuple):
    """A point, the features it may change, and the rows it covers as a bit mask."""

    point: tuple[int, ...]
    changed: tuple[int, ...]
    covered: int


def columns(
    codes: Rows,
    levels: Sequence[int],
    tables: Sequence[Sequence[int]],
    intercept: int,
    threshold: int,
    max_changes: int,
    allowed: Sequence[Any] | None = None,
) -> dict[int, Cell]:
    """Every set of rows that one explanation covers, each with one such explanation.

    More changed features never cover fewer rows, so only sets of exactly ``max_changes`` are tried.
    """
    points = np.array(list(product(*(range(n) for n in levels))))
    score = intercept + sum(np.array(table)[points[:, feature]] for feature, table in enumerate(tables))
    return columns_at(points[score >= threshold], codes, levels, max_changes, allowed)


def columns_at(
    points: Any,
    codes: Rows,
    levels: Sequence[int],
    max_changes: int,
    allowed: Sequence[Any] | None = None,
) -> dict[int, Cell]:
    """The same for the given positive points, whatever the classifier."""
    rows = np.array(codes)
    differs = np.zeros((len(points), len(rows)), dtype=np.int64)
    reaches = np.ones((len(points), len(rows)), dtype=bool)
    for feature in range(len(levels)):
        old, new = rows[None, :, feature], points[:, None, feature]
        differs |= (old != new).astype(np.int64) << feature
        if allowed is not None and allowed[feature] is not None:
            reaches &= np.array(allowed[feature], dtype=bool)[old, new] | (old == new)
    found: dict[int, Cell] = {}
    for changed in combinations(range(len(levels)), max_changes):
        outside = ~sum(1 << feature for feature in changed)
        covers = reaches & ((differs & outside) == 0)
        masks = covers @ (1 << np.arange(len(rows)))
        for mask, place in zip(*np.unique(masks, return_index=True), strict=True):
            if mask:
                found.setdefault(int(mask), Cell(tuple(points[place].tolist()), changed, int(mask)))
    return found


def smallest_cover(groups: Sequence[int], everything: int) -> list[int]:
    """Fewest groups that together contain every bit of ``everything``: breadth first over unions."""
    cover: dict[int, list[int]] = {0: []}
    newest = [0]
    while everything not in cover:
        unions: dict[int, list[int]] = {}
        for union in newest:
            for group in groups:
                wider = (union | group) & everything
                if wider not in cover:
                    unions.setdefault(wider, [*cover[union], group])
        cover |= unions
        newest = list(unions)
    return cover[everything]


def brute_force(
    codes: Rows,
    levels: Sequence[int],
    tables: Sequence[Sequence[int]],
    intercept: int,
    threshold: int,
    max_changes: int,
    allowed: Sequence[Any] | None = None,
) -> tuple[int, tuple[int, ...]]:
    """Smallest number of explanations for all rows that can be helped, and the rows that cannot."""
    groups = list(columns(codes, levels, tables, intercept, threshold, max_changes, allowed))
    reachable = 0
    for group in groups:
        reachable |= group
    unreachable = tuple(row for row in range(len(codes)) if not reachable >> row & 1)
    return len(smallest_cover(groups, reachable)), unreachable
