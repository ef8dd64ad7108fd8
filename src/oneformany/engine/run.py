"""What all parts of one run share: limits, statistics, columns so far, and the best cover so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.columns import Column, ColumnPool
from oneformany.engine.cover.greedy import greedy_cover
from oneformany.engine.pricing.cached_oracle import POINTS_KEPT, CachedOracle
from oneformany.engine.pricing.pricer import PricerFactory, SearchPricer
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.table.options import TableOptions
from oneformany.exceptions import InputError
from oneformany.memory import GIGABYTE
from oneformany.statistics import Measure, Round, Statistics
from oneformany.stop import Stop


@dataclass(frozen=True)
class Options:
    """Switches of the exact engine; none of them changes the optimum.

    Attributes
    ----------
    pricer : callable
        Makes the :class:`~oneformany.engine.pricing.pricer.Pricer` of a branching node.
    local_search : bool
        Improve covers by many small moves among columns of small reduced cost.
    enumeration : bool
        Close the gap by listing all columns that a better solution could use.
    cuts : bool
        Tighten the set cover by cuts on three items.
    max_columns : int
        Columns that enumeration may list before branching takes over.
    max_nodes : int
        Nodes that one set cover may take before branching takes over.
    max_rounds : int
        Rounds of column generation per branching node.
    branching : bool
        Branch on pairs of rows when nothing else closes the gap.
    way : {"auto", "listing", "search"}
        List all columns first, or search for them while they are needed; by default what is quicker.
    lazy : bool
        Where rows share a point and the classifier has to be asked about it: ask only about groups that a
        cover would use, instead of listing all.
    least_cost : bool or None
        After the first objective, look for the least cost; by default where costs or a goal are given, or
        where rows need not share a point. Without a time limit it may take minutes.
    memory : int
        Bytes that all large arrays of the run may take together. A listing ends before they are used up, and
        what would not fit is done in a smaller way or left open.
    most_work : float
        Steps that a listing may take, about 10**9 a second; beyond, only a part is listed.
    table : TableOptions
        Switches of the searches over a listing.

    Examples
    --------
    >>> Options(cuts=False).cuts
    False
    """

    pricer: PricerFactory = SearchPricer
    local_search: bool = True
    enumeration: bool = True
    cuts: bool = True
    max_columns: int = 100_000
    max_nodes: int = 100_000
    max_rounds: int = 10_000
    branching: bool = True
    way: Literal["auto", "listing", "search"] = "auto"
    lazy: bool = True
    least_cost: bool | None = None
    memory: int = GIGABYTE
    most_work: float = 2e10
    table: TableOptions = field(default_factory=TableOptions)

    def __post_init__(self) -> None:
        if not callable(self.pricer):
            raise InputError(f"pricer is {self.pricer!r}; it must make a Pricer of items and an oracle")
        if self.way not in {"auto", "listing", "search"}:
            raise InputError(f"way is {self.way!r}; it must be 'auto', 'listing' or 'search'")
        for name in ("max_columns", "max_nodes", "max_rounds", "memory"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; it must be an integer of at least 1")
        if not (isinstance(self.most_work, Real) and self.most_work > 0):
            raise InputError(f"most_work is {self.most_work!r}; it must be a number above 0")
        if not isinstance(self.table, TableOptions):
            raise InputError(f"table is {self.table!r}; it must be TableOptions")


@dataclass(eq=False)
class Run:
    """One call of ``solve`` under way."""

    space: SearchSpace
    oracle: CachedOracle
    stop: Stop
    statistics: Statistics
    options: Options
    progress: Callable[[Round], None] | None = None
    pool: ColumnPool = field(default_factory=ColumnPool)
    best: list[Column] = field(default_factory=list)
    bound: int = 0

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

    def report(self, phase: str, value: float, columns: int, cost: tuple[int, int] | None = None) -> None:
        """Record where the run stands, by its explanations or by bound and cost; tell whoever listens."""
        number, now = len(self.statistics.rounds) + 1, self.stop.elapsed()
        standing = cost or (self.bound, self.count)
        measure: Measure = "cost" if cost else "explanations"
        step = self.statistics.record(Round(phase, number, columns, value, *standing, now, measure))
        if self.progress is not None:
            self.progress(step)
