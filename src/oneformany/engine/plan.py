"""Which way an answer is found: by listing all columns, a part of them, or by searching for them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.estimate import affordable, bucketing
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.listing import FullListing, list_columns
from oneformany.engine.listing.reaching import REACHING_TIME, reach_rows
from oneformany.engine.listing.store import Store, alone
from oneformany.engine.run import Options
from oneformany.engine.screening import screen
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
        return affordable(problem, costed=True, most_work=options.most_work).ok
    return len(problem.rows) >= MANY_ROWS and affordable(problem, most_work=QUICK).ok


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
    notes : tuple of str
        What is left out, in words.
    """

    problem: Problem
    costed: bool = False
    changes: int | None = None
    memory: int = 1 << 30
    notes: tuple[str, ...] = ()

    def listing(self, stop: Stop) -> FullListing:
        """List what is planned; where that is a part, nothing is proved by its absence from it."""
        listed = self.problem if self.changes is None else replace(self.problem, max_changes=self.changes)
        found = list_columns(listed, costed=self.costed, stop=stop, memory=self.memory)
        return found if self.changes is None else _with_rows_alone(self.problem, found, stop)


def planned(problem: Problem, options: Options, *, costed: bool) -> Plan:
    """Decide what to list: everything, or, where that would be too much, what changes fewer features."""
    most_work, notes = options.most_work, []
    if costed:
        estimate = affordable(problem, costed=True, most_work=most_work)
        if estimate.ok:
            return Plan(problem, costed=True, memory=options.memory)
        notes.append(f"the least cost is not proved: a listing for it would take {estimate.reason}")
    estimate = affordable(problem, most_work=most_work)
    changes = None
    if not estimate.ok:
        fewer = range(problem.max_changes - 1, 1, -1)
        within = (n for n in fewer if affordable(replace(problem, max_changes=n), most_work=most_work).ok)
        changes = next(within, 1)
        notes.append(
            f"only columns that change at most {changes} of the {problem.max_changes} features were listed: "
            f"all would take {estimate.reason}"
        )
    return Plan(problem, changes=changes, memory=options.memory, notes=tuple(notes))


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
    single = np.array([row for row in waiting.tolist() if row in points], dtype=np.int64)
    unreachable = ground.hopeless()
    unreachable[proved] = True
    store = Store(ground, costed=False)
    if len(single):
        store.absorb(alone(ground, single, np.array([points[row] for row in single.tolist()])))
    more = store.table(complete=False)
    table = part.table.followed_by(more.starts, more.rows, more.costs, more.changed, more.targets)
    return FullListing(replace(table, complete=False), unreachable, part.asked)
