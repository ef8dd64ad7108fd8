"""Which way an answer is found: by listing all columns, a part of them, or by searching for them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.estimate import Estimate, affordable, bucketing
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.listing.parts import joined_listings, parts_of, rows_at_once
from oneformany.engine.listing.reaching import REACHING_TIME, reach_rows
from oneformany.engine.run import Options
from oneformany.engine.screening import screen
from oneformany.engine.table.table import NO_CELL, ColumnTable
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.statistics import Statistics
from oneformany.stop import Stop

MANY_ROWS = 1_000
QUICK = 2e9  # steps, a second or two


def needs_listing(problem: Problem, goal: Goal) -> bool:
    """Whether only a listing can answer the question."""
    plain = problem.share == "point" and problem.own is None and not problem.restrictions
    return goal.limited or not plain


def asks_for_cost(problem: Problem, goal: Goal, options: Options) -> bool:
    """Whether least cost is asked for: costs or a goal are given, or rows need not share a point."""
    if options.least_cost is not None:
        return options.least_cost
    return goal.limited or problem.costs is not None or problem.share != "point"


def worth_listing(problem: Problem, goal: Goal, options: Options) -> bool:
    """Whether a listing is the quicker way, or the least cost is asked for and can be had."""
    if asks_for_cost(problem, goal, options):
        return affordable(problem, costed=True, most_work=options.most_work, memory=options.memory).ok
    return len(problem.rows) >= MANY_ROWS and affordable(problem, most_work=QUICK, memory=options.memory).ok


def worth_waiting(problem: Problem, options: Options) -> bool:
    """Whether to ask the classifier about buckets only where a cover would use them."""
    if not options.lazy or problem.share != "point" or getattr(problem.oracle, "max_calls", None) is not None:
        return False
    return bucketing(problem, most_work=options.most_work, memory=options.memory)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is going to be listed.

    Attributes
    ----------
    problem : Problem
        The question.
    costed : bool
        Whether all columns are kept that least cost needs.
    changes : int or None
        How many features the listed columns change at most, where all of them would be too many.
    memory : int
        Bytes that the listing may take.
    rows_at_once : int or None
        How many rows are listed at a time, where a table of all of them would take too much memory.
    notes : tuple of str
        What is left out, in words.
    """

    problem: Problem
    costed: bool = False
    changes: int | None = None
    memory: int = 1 << 30
    rows_at_once: int | None = None
    notes: tuple[str, ...] = ()

    def listing(self, stop: Stop) -> FullListing:
        """List what is planned; where that is a part, nothing is proved by its absence from it."""
        if self.rows_at_once is not None:
            return self._listing_in_parts(list(parts_of(self.problem, self.rows_at_once)), stop)
        listed = self.problem if self.changes is None else replace(self.problem, max_changes=self.changes)
        found = list_columns(listed, costed=self.costed, stop=stop, memory=self.memory)
        return found if self.changes is None else _with_rows_alone(self.problem, found, stop)

    def _listing_in_parts(self, parts: list[Problem], stop: Stop) -> FullListing:
        found = []
        for number, part in enumerate(parts):
            time = stop.part(stop.remaining() / (len(parts) - number))
            found.append(replace(self, problem=part, rows_at_once=None).listing(time))
        return joined_listings(found)


def planned(problem: Problem, options: Options, *, costed: bool) -> Plan:
    """Decide what to list: everything, or, where that would be too much, what changes fewer features.

    Where one table of all rows and cells would take too much memory, rows are listed in parts.
    """
    size = rows_at_once(problem, options.memory)
    n_parts = -(-len(problem.rows) // size)

    def estimated(asked: Problem, *, costed: bool = False) -> Estimate:
        most_work = options.most_work / n_parts
        return affordable(asked, costed=costed, most_work=most_work, memory=options.memory)

    notes: list[str] = []
    if costed:
        estimate = estimated(problem, costed=True)
        if estimate.ok:
            return Plan(problem, costed=True, memory=options.memory)
        notes.append(f"the least cost is not proved: a listing for it would take {estimate.reason}")
    listed = problem
    if n_parts > 1:
        listed = next(parts_of(problem, size))
        notes.append(
            f"rows were listed in {n_parts} parts, and groups with rows of several parts can be missing: all "
            f"at once have {estimated(problem).reason}"
        )
    estimate = estimated(listed)
    changes = None
    if not estimate.ok:
        fewer = range(problem.max_changes - 1, 1, -1)
        changes = next((n for n in fewer if estimated(replace(listed, max_changes=n)).ok), 1)
        notes.append(
            f"only columns that change at most {changes} of the {problem.max_changes} features were listed: "
            f"all would take {estimate.reason}"
        )
    at_once = size if n_parts > 1 else None
    return Plan(problem, changes=changes, memory=options.memory, rows_at_once=at_once, notes=tuple(notes))


def _with_rows_alone(problem: Problem, part: FullListing, stop: Stop) -> FullListing:
    """Give every row that needs more changes than were listed a column of its own, or a proof."""
    ground = Ground.of(problem)
    waiting = np.flatnonzero(~part.reachable)
    if ground.decided:
        screened = screen(problem, Statistics(), stop)
        points = dict(zip(screened.helpable.tolist(), screened.points, strict=True))
        proved = np.array(list(screened.reasons), dtype=np.int64)
    else:
        soon = stop.part(REACHING_TIME * stop.remaining())
        reached = reach_rows(ground, Batches(ground, soon), waiting, soon)
        points = {row: reached.cells[row] for row in np.flatnonzero(reached.reachable).tolist()}
        proved = np.flatnonzero(reached.unreachable)
    alone = [(row, points[row]) for row in waiting.tolist() if row in points]
    unreachable = ground.hopeless()
    unreachable[proved] = True
    return FullListing(_extended(ground, part.table, alone), unreachable, part.asked)


def _extended(ground: Ground, table: ColumnTable, alone: list[tuple[int, IntArray]]) -> ColumnTable:
    """Add a column for each of some rows and the point it goes to; others may be missing."""
    rows = np.array([row for row, _ in alone], dtype=np.int32)
    points = np.array([point for _, point in alone], dtype=np.int64).reshape(len(rows), ground.rows.shape[1])
    changed = points != ground.rows[rows]
    costs = ground.price[rows[:, None], ground.offsets[:-1] + points].sum(axis=1)
    told = {
        "point": points,
        "action": np.where(changed, points, NO_CELL),
        "features": np.full_like(points, NO_CELL),
    }
    targets = told[ground.problem.share].astype(np.int32)
    extended = table.followed_by(np.arange(len(rows) + 1), rows, costs, changed, targets)
    return replace(extended, complete=False)
