"""Which way an answer is found: by listing all columns, some, or by searching; what a listing would take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import comb

import numpy as np

from oneformany.arrays import BoolArray, FloatArray
from oneformany.engine.listing.batches import Batches
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.ground import FORBIDDEN, Ground
from oneformany.engine.listing.listing import FullListing, list_columns
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
    n, p = problem.rows.shape
    if comb(p, min(problem.max_changes, p)) * n * p * ADDING > options.most_work:
        return False
    ground = Ground.of(problem)
    if ground.decided:
        return False
    shared, buckets, _ = _sampled_buckets(ground)
    return comb(len(ground.changeable), ground.size) * (BYTES * (shared + buckets)) <= options.memory


@dataclass(frozen=True, eq=False)
class Plan:
    """What is going to be listed: all that least cost needs, or all, or what makes fewer ``changes``.

    The ``notes`` say what is left out.
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
    unreachable, ends = ground.hopeless(), ground.rows.copy()
    if ground.decided:
        screened = screen(problem, Statistics(), stop)
        rows = screened.helpable
        ends[rows] = np.array(screened.points).reshape(-1, problem.n_features)
        unreachable[list(screened.reasons)] = True
    else:
        soon = stop.part(REACHING_TIME * stop.remaining())
        reached = reach_rows(ground, Batches(ground, soon), np.flatnonzero(~part.reachable), soon)
        rows, ends = np.flatnonzero(reached.reachable), reached.cells
        unreachable |= reached.unreachable
    rows = rows[~part.reachable[rows]]
    store = Store(ground, costed=False)
    store.absorb(alone(ground, rows, ends[rows]))
    more = store.table(complete=False)
    table = part.table.followed_by(more.starts, more.rows, more.costs, more.changed, more.targets)
    return FullListing(replace(table, complete=False), unreachable, part.asked)


@dataclass(frozen=True)
class Estimate:
    """What a listing would take: elementary steps, about 10**9 a second, and columns, dominated ones too.

    The ``reason`` says why that is too much; it is empty where it is not.
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


def _size(ground: Ground, *, costed: bool) -> tuple[float, float]:
    n, p, k = len(ground.rows), ground.rows.shape[1], ground.size
    full = float(comb(len(ground.changeable), k))
    if ground.problem.share == "point":
        shared, buckets, single = _sampled_buckets(ground)
        simple = ground.problem.own is None and (ground.units != FORBIDDEN).all()
        if ground.decided and simple and not costed:
            return full * n * (p + k) * ADDING, full * buckets + n
        tries = float(_ways(ground, ground.reached)[k])
        tried = tries * shared + (
            0.0 if ground.decided else float(_ways(ground, ground.goals).sum()) * single
        )
        return full * n * p * ADDING + tried * _step(ground, TRYING), tries * buckets + n
    if ground.problem.share == "features" and ground.decided:
        return full * n * SEARCHING, full
    actions = float(_ways(ground, useful_targets(ground, costed=costed)).sum())
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


def _ways(ground: Ground, slots: BoolArray) -> FloatArray:
    """Ways to choose no feature, one, two and so on up to full size, and a slot of each."""
    counts = np.add.reduceat(slots.astype(np.float64), ground.offsets[:-1])[ground.changeable]
    product: FloatArray = reduce(np.convolve, [np.array([1.0, count]) for count in counts], np.ones(1))
    return product[: ground.size + 1]
