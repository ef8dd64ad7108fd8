"""List all columns of a problem, and say of every row whether it can be helped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.sharing import (
    Sharing,
    action_jobs,
    add_single_rows,
    feature_jobs,
    point_jobs,
    run,
)
from oneformany.engine.listing.store import Store
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem, Share
from oneformany.stop import Stop

MEMORY = 1 << 30
THREADS = 2
SHARINGS: dict[Share, Sharing] = {"point": point_jobs, "action": action_jobs, "features": feature_jobs}


@dataclass(frozen=True, eq=False)
class FullListing:
    """The columns of a problem, and who can be helped.

    Attributes
    ----------
    table : ColumnTable
        The columns.
    unreachable : (n,) boolean array
        Distinct rows of which it is proved that no column can hold them.
    asked : int
        Points that the classifier was asked about.
    """

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
    """List the columns of a problem.

    Parameters
    ----------
    problem : Problem
        The question.
    costed : bool
        Drop only columns whose rows are all in another column and pay no more there. Otherwise all whose rows
        are in another column; of columns with the same rows the one stays that costs them least together.
    stop : Stop or None
        When to end with what was found; the table is not complete then.
    memory : int
        How many bytes the columns may take; beyond, listing ends as if time were up.
    threads : int
        How many feature sets to look at beside each other, where the classifier need not be asked.
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
            alone = np.flatnonzero(~store.covered() & ~ground.hopeless() | store.costed)
            settled[:] = True
            settled[alone] = add_single_rows(store, batches, alone, stop)
            complete = complete and bool(settled.all())
    except OutOfTimeError:
        complete, settled = False, np.zeros(len(ground.rows), dtype=np.bool_)
    store.reduce(stop)
    unreachable = ~store.covered() & (settled | ground.hopeless())
    return FullListing(table_of(store, problem.share, complete=complete), unreachable, batches.asked)


def _fill(store: Store, batches: Batches, stop: Stop, memory: int, threads: int) -> bool:
    """Look at all feature sets; return whether none was left out."""
    jobs = SHARINGS[store.ground.problem.share](store.ground, batches, costed=store.costed)
    for pieces in run(jobs, stop, threads):
        for found in pieces:
            store.absorb(found)
        if store.bytes > memory:
            store.reduce(stop)
            if store.bytes > 3 * memory // 4:
                return False
    return not stop.expired()


def table_of(store: Store, share: Share, *, complete: bool) -> ColumnTable:
    """Write the columns of a store as a table; ``complete``: none is missing."""
    shape = store.count, store.ground.rows.shape[1]
    changed = np.zeros(shape, dtype=np.bool_)
    targets = np.full(shape, NO_CELL, dtype=np.int32)
    if share == "point" and store.count:
        targets[:] = store.ground.rows[store.rows[store.starts[:-1]]]
    for feature, target in zip(store.features.T, store.targets.T, strict=True):
        used = np.flatnonzero(feature >= 0)
        changed[used, feature[used]] = True
        if share != "features":
            targets[used, feature[used]] = target[used]
    parts = store.starts.copy(), store.rows.copy(), store.costs.copy()
    return ColumnTable(*parts, changed, targets, len(store.ground.rows), complete)
