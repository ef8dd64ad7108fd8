"""List all columns of a problem, and say of every row whether it can be helped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.sharing import SHARINGS, run
from oneformany.engine.listing.single_rows import cheapest
from oneformany.engine.listing.store import Store, alone
from oneformany.engine.table.table import ColumnTable
from oneformany.problem import Problem
from oneformany.stop import Stop

MEMORY = 1 << 30
THREADS = 2
ROWS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class FullListing:
    """The columns, the distinct rows that are proved to be in none, and how many points were asked about."""

    table: ColumnTable
    unreachable: BoolArray
    asked: int

    @property
    def reachable(self) -> BoolArray:
        """Distinct rows that are in a column."""
        return self.table.incidence.reachable


def list_columns(
    problem: Problem,
    *,
    costed: bool = False,
    stop: Stop | None = None,
    memory: int = MEMORY,
    threads: int = THREADS,
) -> FullListing:
    """List the columns of a problem; the table is not complete where time or memory (bytes) do not suffice.

    With ``costed`` only columns are dropped whose rows are all in another column and pay no more there.
    Otherwise all whose rows are in another column; of columns with the same rows the one stays that costs
    them least together. ``threads`` look at feature sets where the classifier need not be asked.
    """
    stop = stop or Stop()
    ground = Ground.of(problem)
    store = Store(ground, costed=costed)
    batches = Batches(ground, stop)
    complete, settled = False, np.zeros(len(ground.rows), dtype=np.bool_)
    try:
        complete = _fill(store, batches, stop, memory, threads if ground.decided else 1)
        settled[:] = complete
        if problem.share == "point":
            single = np.flatnonzero(~store.covered() & ~ground.hopeless() | store.costed)
            settled[:] = True
            settled[single] = add_single_rows(store, batches, single, stop)
            complete = complete and bool(settled.all())
    except OutOfTimeError:
        complete, settled = False, np.zeros(len(ground.rows), dtype=np.bool_)
    store.reduce(stop)
    unreachable = ~store.covered() & (settled | ground.hopeless())
    return FullListing(store.table(complete=complete), unreachable, batches.asked)


def _fill(store: Store, batches: Batches, stop: Stop, memory: int, threads: int) -> bool:
    """Look at all feature sets; return whether none was left out."""
    jobs = SHARINGS[store.ground.problem.share](store.ground, batches, costed=store.costed)
    for found in run(jobs, stop, threads):
        store.absorb(found)
        if store.bytes > memory:
            store.reduce(stop)
            if store.bytes > 3 * memory // 4:
                return False
    return not stop.expired()


def add_single_rows(store: Store, batches: Batches, rows: IntArray, stop: Stop) -> BoolArray:
    """Add for each of some rows the cheapest column it has by itself; return which rows were settled."""
    ground, settled = store.ground, np.zeros(len(rows), dtype=np.bool_)
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        if stop.expired():
            break
        some = rows[begin : begin + ROWS_AT_ONCE]
        costs, cells = cheapest(ground, batches, some, ground.changeable, ground.size)
        ends = np.where(cells >= 0, cells, ground.rows[some])
        store.absorb(alone(ground, some[costs >= 0], ends[costs >= 0]))
        settled[begin : begin + len(some)] = True
    return settled
