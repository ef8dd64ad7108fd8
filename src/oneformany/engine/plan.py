"""Which way an answer is found: by listing all columns, some, or by searching; what a listing would take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.ground import FORBIDDEN, Ground
from oneformany.engine.listing.listing import MEMORY, FullListing, list_columns
from oneformany.engine.listing.sharing import useful_targets
from oneformany.engine.listing.single_rows import REACHING_TIME, reach_rows
from oneformany.engine.listing.store import Store, alone
from oneformany.engine.run import Options
from oneformany.engine.screening import screen
from oneformany.oracles.protocol import JudgesMoves
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.statistics import Statistics
from oneformany.stop import Stop

MANY_ROWS = 1_000
QUICK = 2e9  # steps, a second or two
MOST_WORK = 2e10
TRYING = 1.0
ADDING = 20.0
SEARCHING = 300.0
RESTRICTING = 500.0
JUDGING = 100.0
ASKING = 1000.0
SAMPLES = 8
BYTES = 40
SEED = 2


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


@dataclass(frozen=True)
class Estimate:
    """Work and size of a listing.

    Attributes
    ----------
    work : float
        Elementary steps, about 10**9 a second; a question to a classifier counts as a thousand of them.
    columns : float
        Columns before equal and dominated ones are dropped, about.
    reason : str
        Why it is not affordable; empty when it is.
    """

    work: float
    columns: float
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether to do it."""
        return not self.reason


def affordable(problem: Problem, *, costed: bool = False, most_work: float = MOST_WORK) -> Estimate:
    """Estimate what listing all columns would take; so many steps are affordable."""
    ground = Ground.of(problem)
    work, columns = _size(ground, costed=costed)
    calls = getattr(problem.oracle, "max_calls", None)
    reason = ""
    if work > most_work:
        reason = f"{work:.1e} steps for {columns:.1e} columns, more than {most_work:.1e}"
    elif calls is not None and work > calls * ASKING:
        reason = f"about {work / ASKING:.1e} points to ask about, more than the {calls} calls allowed"
    return Estimate(work, columns, reason)


def bucketing(problem: Problem, *, most_work: float = MOST_WORK, memory: int = MEMORY) -> bool:
    """Whether the classifier has to be asked, and rows can be put into buckets of all feature sets."""
    n, p = problem.rows.shape
    if comb(p, min(problem.max_changes, p)) * n * p * ADDING > most_work:
        return False
    ground = Ground.of(problem)
    if ground.decided:
        return False
    shared, buckets, _ = _sampled_buckets(ground)
    return comb(len(ground.changeable), ground.size) * (BYTES * (shared + buckets)) <= memory


def _size(ground: Ground, *, costed: bool) -> tuple[float, float]:
    n, p, k = len(ground.rows), ground.rows.shape[1], ground.size
    full = float(comb(len(ground.changeable), k))
    if ground.problem.share == "point":
        shared, buckets, alone = _sampled_buckets(ground)
        simple = ground.problem.own is None and (ground.units != FORBIDDEN).all()
        if ground.decided and simple and not costed:
            return full * n * (p + k) * ADDING, full * buckets + n
        tries = _combinations(ground, ground.reached, k)
        tried = tries * shared + (0.0 if ground.decided else _actions(ground, ground.goals) * alone)
        return full * n * p * ADDING + tried * _step(ground, TRYING), tries * buckets + n
    if ground.problem.share == "features" and ground.decided:
        return full * n * SEARCHING, full
    slots = useful_targets(ground, costed=costed)
    actions = _actions(ground, slots)
    return actions * n * _step(ground, ADDING), actions if ground.problem.share == "action" else full


def _sampled_buckets(ground: Ground) -> tuple[float, float, int]:
    """Rows that are not alone for a feature set, buckets they form, rows that are always alone.

    Means over a few sets, and the last over all of these.
    """
    random, coded = np.random.default_rng(SEED), CodedRows.of(ground)
    shared, buckets, alone = 0.0, 0.0, np.ones(len(ground.rows), dtype=np.bool_)
    for _ in range(SAMPLES):
        features = np.sort(random.permutation(ground.changeable)[: ground.size])
        rows, bounds = coded.agreeing(features)
        alone[rows] = False
        shared += len(rows) / SAMPLES
        buckets += (len(bounds) - 1) / SAMPLES
    return shared, buckets, int(alone.sum())


def _step(ground: Ground, compiled: float) -> float:
    if ground.decided:
        return compiled
    if ground.exact:
        return RESTRICTING
    return JUDGING if isinstance(ground.problem.oracle, JudgesMoves) else ASKING


def _actions(ground: Ground, slots: BoolArray) -> float:
    return sum(_combinations(ground, slots, size) for size in range(ground.size + 1))


def _combinations(ground: Ground, slots: BoolArray, size: int) -> float:
    """Number of ways to choose ``size`` features and a cell of each: an elementary symmetric polynomial."""
    counts = np.add.reduceat(slots.astype(np.int64), ground.offsets[:-1])[ground.changeable]
    ways = [1.0] + [0.0] * size
    for count in counts.tolist():
        for s in range(size, 0, -1):
            ways[s] += ways[s - 1] * count
    return ways[size]
