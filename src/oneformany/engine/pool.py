"""What all parts of one search for columns share: the columns so far, and the best cover so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column, ColumnPool
from oneformany.engine.context import Context
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.options import Options
from oneformany.engine.pricing.cached_oracle import POINTS_KEPT, CachedOracle
from oneformany.engine.pricing.space import SearchSpace
from oneformany.statistics import Statistics
from oneformany.stop import Stop


@dataclass(eq=False)
class Generated:
    """Columns that are generated while they are needed, and the smallest cover among them."""

    context: Context
    space: SearchSpace
    oracle: CachedOracle
    pool: ColumnPool = field(default_factory=ColumnPool)
    best: list[Column] = field(default_factory=list)
    bound: int = 0

    @property
    def stop(self) -> Stop:
        """The clock."""
        return self.context.stop

    @property
    def statistics(self) -> Statistics:
        """Rounds, seconds and counts."""
        return self.context.statistics

    @property
    def options(self) -> Options:
        """Switches."""
        return self.context.options

    @property
    def count(self) -> int:
        """Explanations in the best cover so far."""
        return len(self.best)

    def first_columns(self, points: IntArray) -> list[Column]:
        """A column around the given point of every row; where time is short, only for rows that share it."""
        for point in points[-POINTS_KEPT:]:
            self.oracle.learn(point)
        columns: list[Column] = []
        alike: dict[bytes, list[int]] = {}
        covered = np.zeros(len(points), dtype=np.bool_)
        for row, point in enumerate(points):
            changed = point != self.space.rows[row]
            if not self.stop.expired():
                self.space.absorb(point, changed)
                columns.append(Column.covering(self.space, point, changed))
                covered[columns[-1].rows] = True
            elif not covered[row]:
                alike.setdefault(point.tobytes() + changed.tobytes(), []).append(row)
        for rows in alike.values():
            point = points[rows[0]]
            columns.append(Column(point, point != self.space.rows[rows[0]], np.array(rows)))
        return columns

    def offer(self, cover: Sequence[Column]) -> None:
        """Take a cover, without columns that it does not need, if it is smaller than the best."""
        needed = greedy_cover(cover, len(self.space.rows), range(len(cover)))
        if not self.best or len(needed) < self.count:
            self.best = needed

    def raise_bound(self, bound: int) -> None:
        """Note what is proved for all parts together; it never falls."""
        self.bound = max(self.bound, bound)

    def report(self, phase: str, value: float, columns: int) -> None:
        """Tell where the search for fewest explanations stands."""
        self.context.report(phase, columns, value, (self.count, self.bound))
