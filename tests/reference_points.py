"""The minimum by brute force for any classifier that can say of every point whether it is positive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

from reference import smallest_cover

Point = tuple[int, ...]


def brute_force_points(
    codes: Sequence[Sequence[int]],
    levels: Sequence[int],
    is_positive: Callable[[Point], bool],
    max_changes: int,
    allowed: Sequence[Any] | None = None,
) -> tuple[int, tuple[int, ...]]:
    """Smallest number of explanations for all rows that can be helped, and the rows that cannot.

    ``is_positive`` says of a point whether the classifier accepts it.
    """
    groups = set()
    for point in product(*(range(n) for n in levels)):
        if is_positive(point):
            moves = [_moves(row, point, allowed) for row in codes]
            for changed in combinations(range(len(levels)), max_changes):
                covered = [
                    row for row, moved in enumerate(moves) if moved is not None and moved <= {*changed}
                ]
                groups.add(sum(1 << row for row in covered))
    reachable = 0
    for group in groups:
        reachable |= group
    unreachable = tuple(row for row in range(len(codes)) if not reachable >> row & 1)
    return len(smallest_cover(sorted(groups - {0}), reachable)), unreachable


def _moves(row: Sequence[int], point: Point, allowed: Sequence[Any] | None) -> set[int] | None:
    """The features that a row has to change to become a point; ``None`` when it may not."""
    moved = {feature for feature, (old, new) in enumerate(zip(row, point, strict=True)) if old != new}
    for feature in moved:
        rule = None if allowed is None else allowed[feature]
        if rule is not None and not rule[row[feature]][point[feature]]:
            return None
    return moved
