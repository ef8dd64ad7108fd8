"""Columns that are not all there are: those of many rows, those of few changes, and one for each row.

Where all columns are too many, those are looked for that many rows accept at once (:mod:`.wide`); then, while
a gap remains or to lower the cost, columns of one change are listed, of two, and so on. What is proved about
all columns comes from cells alone.
"""

from dataclasses import replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.context import Context
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.cover.greedy import greedy_columns
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.listing.store import going_to
from oneformany.engine.masters.tabled import best_of_table, cheapest_of_table
from oneformany.engine.sources.estimates import affordable_changes
from oneformany.engine.sources.groups import groups_of
from oneformany.engine.sources.protocol import Shortfall
from oneformany.engine.sources.undecided import reach_undecided
from oneformany.engine.sources.wide import WideListing
from oneformany.engine.standing import Standing
from oneformany.engine.table.table import ColumnTable
from oneformany.result.build import Group


class Partial:
    """Columns of many changes, and parts of a listing; ``tried``: so many changes were all listed."""

    better = best_of_table
    cheaper = cheapest_of_table

    def __init__(self, run: Context, why: Shortfall, wide: WideListing, *parts: FullListing) -> None:
        self.problem, self.ends, self.unreachable = run.problem, wide.ends, wide.listing.unreachable
        self.tried, self._run, self._why, self._wide, self._stop = 0, run, why, wide, run.stop
        self.table = wide.listing.table
        run.statistics.count("questions in batches", wide.listing.asked)
        self._join(*parts)

    @property
    def usable(self) -> int:
        """All columns may be chosen."""
        return len(self.table)

    @property
    def reachable(self) -> BoolArray:
        """The rows that are in a column."""
        return self.table.incidence.reachable

    @property
    def known(self) -> RowWeights | None:
        """What cells alone prove."""
        wide = self._wide
        if wide.bound <= 1:
            return None
        return RowWeights(wide.weights, wide.capacity, self.table.incidence.loads(wide.weights))

    @property
    def shortfall(self) -> Shortfall:
        """All columns were too many, for this reason."""
        why, size = self._why, Ground.of(self.problem).size
        told = why.columns and (
            f"only combinations of at most {self.tried} instead of {size} changes were all tried, so "
            f"better answers may exist: {why.columns}"
        )
        return replace(why, columns=told, by_time=self._stop.expired())

    def enough(self) -> bool:
        """Whether no better answer is to be expected: as few columns as are needed cover everybody."""
        run, count = self._run, len(greedy_columns(self.table.incidence))
        bound = 0 if run.goal.limited else self._wide.bound
        run.report("listing", len(self.table), float(count), (count, bound))
        examined = bool((self.reachable | self.unreachable).all())
        return count <= max(run.goal.explanations or 1, bound) and examined

    def list_part(self, most_work: float, *, enough: bool) -> None:
        """List columns of one change, then of two and so on, as long as that may be of use."""
        parts, run = list[FullListing](), self._run
        for changes in range(1, affordable_changes(Ground.of(self.problem), most_work) + 1):
            if run.stop.expired() or (enough and not run.cheaply):
                break
            found = list_columns(replace(self.problem, max_changes=changes), stop=run.stop)
            run.statistics.count("questions in batches", found.asked)
            found = replace(found, unreachable=self._wide.listing.unreachable)  # more changes may help
            parts = [found] if found.table.complete else [*parts, found]
            self.tried = changes if found.table.complete else self.tried
            self._join(*parts)
            enough = self.enough()

    def add(self, part: FullListing) -> None:
        """Take in a listing that was cut short."""
        self._join(part)
        self.enough()

    def _join(self, *parts: FullListing) -> None:
        """Put parts of a listing before the columns of many changes."""
        every = (*parts, self._wide.listing)
        self.table = replace(every[0].table.followed_by(*(one.table for one in every[1:])), complete=False)
        self.unreachable = np.logical_or.reduce([one.unreachable for one in every])

    def price(self, weights: IntArray) -> int | None:
        """Unknown: there are other columns."""
        return 0 if not weights.any() else None

    def heavy(self, _weights: IntArray, _floor: int) -> None:
        """Unknown."""

    def savings(self, _prices: IntArray) -> None:
        """Unknown."""

    def settle(self, standing: Standing, run: Context) -> IntArray | None:
        """Look at rows of which nothing is known."""
        reached = reach_undecided(run, self.reachable | self.unreachable)
        if reached is None:
            return None
        self.unreachable, self._stop = self.unreachable | reached.unreachable, run.stop
        self.ends = np.where(reached.reachable[:, None], reached.cells, self.ends)
        rows, before = reached.helpable, len(self.table)
        if not len(rows):
            return None
        self.table = self.table.followed_by(going_to(Ground.of(self.problem), rows, self.ends[rows]))
        return np.append(standing.chosen, np.arange(before, len(self.table)))

    def split(self, _run: Context) -> None:
        """A search over the table tells its cases apart itself."""

    def groups(self, table: ColumnTable, chosen: IntArray, owner: IntArray) -> list[Group]:
        """Where the columns say; those that share features only, where each goes by itself, if as cheap."""
        return groups_of(self.problem, table, chosen, owner, self.ends)
