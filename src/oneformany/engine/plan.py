"""Which way an answer is found: by listing all columns, some, or by searching; what a listing would take."""

import math
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from oneformany.engine.context import Context
from oneformany.engine.listing.ground import CodedRows, Ground
from oneformany.engine.listing.kernels import FORBIDDEN
from oneformany.engine.listing.listing import LISTED, useful_targets
from oneformany.engine.options import Options
from oneformany.oracles.protocol import JudgesMoves
from oneformany.problem import Problem
from oneformany.problem.goal import Goal

MANY_ROWS = 1_000
QUICK = 2e9  # steps, about 10**9 of which take a second
BEGINNING = 3e5  # steps to begin with a feature set
ADDING = 20.0  # to group a cell of a row, or to add up what a row gains by an action
SEARCHING = 300.0  # for the cheapest change of a row within a feature set
ASKING = 1000.0  # for a classifier's answer about a point
SAMPLES = 8
STEPS_PER_SECOND = 1e9
GROUPING = 0.4  # of the time, for grouping rows before anything is known
BYTES = 40  # of a bucket, and of each row in it
MOST_TARGETS = 1e5  # of a feature set, that one bucket is asked about


def needs_listing(problem: Problem, goal: Goal) -> bool:
    """Whether only a listing can answer the question."""
    plain = problem.share == "point" and problem.own is None and not problem.restrictions
    return goal.limited or not plain


def worth_listing(run: Context) -> bool:
    """Whether a listing is the quicker way, or the least cost is asked for and can be had."""
    problem, options = run.problem, run.options
    if run.cheaply:
        return not too_much(Ground.of(problem), options.most_work, costed=True)
    many = len(problem.rows) >= MANY_ROWS
    return many and (not too_much(Ground.of(problem), QUICK) or worth_waiting(problem, options))


def worth_waiting(problem: Problem, options: Options, seconds: float = math.inf) -> bool:
    """Whether to ask the classifier about buckets only where a cover would use them, in so much time."""
    if not options.lazy or problem.share != "point":
        return False
    ground = Ground.of(problem)
    sets = comb(len(ground.changeable), ground.size)
    if (
        ground.decided
        or np.isfinite(ground.most_calls)
        or sets * problem.rows.size * ADDING > options.most_work
    ):
        return False
    if sets * (BEGINNING + problem.rows.size * ADDING) > GROUPING * seconds * STEPS_PER_SECOND:
        return False
    if float(np.sort(ground.counts(ground.reached))[::-1][: ground.size].prod()) > MOST_TARGETS:
        return False
    shared, buckets, _ = _sampled_buckets(ground)
    return sets * BYTES * (shared + buckets) <= LISTED * options.memory


@dataclass(frozen=True, eq=False)
class Plan:
    """What is listed: all that least cost needs, or all, or what makes fewer changes, and why.

    ``limits`` are those that keep it from being all.
    """

    costed: bool = False
    changes: int | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""
    limits: tuple[str, ...] = ()

    def told(self, tried: int, size: int) -> str:
        """What to say of an answer when so many changes were all tried, instead of full size."""
        return (
            f"only combinations of at most {tried} instead of {size} changes were all tried, so better "
            f"answers may exist: {self.reason}"
        )


def planned(problem: Problem, options: Options, *, costed: bool) -> Plan:
    """Decide what to list: everything, or, where that would be too much, what changes fewer features."""
    ground, notes = Ground.of(problem), tuple[str, ...]()
    if costed:
        reason = too_much(ground, options.most_work, costed=True)
        if not reason:
            return Plan(costed=True)
        notes = (f"the least cost is not proved: {reason}",)
    limits = ("calls" if np.isfinite(ground.most_calls) else "size",)
    reason = too_much(ground, options.most_work)
    if not reason:
        return Plan(notes=notes, limits=limits if notes else ())
    changes = affordable_changes(ground, options.most_work)
    return Plan(changes=changes, notes=notes, reason=reason, limits=limits)


def affordable_changes(ground: Ground, most_work: float) -> int:
    """How many changes can be listed with so much work, at least one, unless that takes too many calls."""
    fewer = range(ground.size - 1, 0, -1)
    parts = ((n, replace(ground, problem=replace(ground.problem, max_changes=n))) for n in fewer)
    affordable = (n for n, part in parts if not too_much(part, most_work, calls=ground.calls_left))
    return next(affordable, int(np.isinf(ground.most_calls)))


def too_much(ground: Ground, most_work: float, *, costed: bool = False, calls: float | None = None) -> str:
    """Why listing all columns would take too long, and what to do about it; empty where it would not."""
    work, combinations = _size(ground, costed=costed)
    if work > most_work:
        return (
            f"there are about {combinations:,.0f} combinations, {work / most_work:,.1f} times as much as is "
            "listed; lower max_changes, or give features fewer cells"
        )
    if work > (ground.most_calls if calls is None else calls) * ASKING:
        return (
            f"the classifier would have to be asked about {work / ASKING:,.0f} points, and max_calls allows "
            f"{ground.most_calls:,}; raise it, lower max_changes, or give the features fewer cells"
        )
    return ""


def _size(ground: Ground, *, costed: bool) -> tuple[float, float]:
    """Steps that a listing takes, and combinations of changes that it tries."""
    problem, n, k = ground.problem, len(ground.rows), ground.size
    sets = float(comb(len(ground.changeable), k))
    judges = isinstance(problem.oracle, JudgesMoves)
    step = ADDING if ground.decided else 500.0 if ground.exact else 100.0 if judges else ASKING
    if problem.share == "point":
        shared, buckets, single = _sampled_buckets(ground)
        grouping = sets * (BEGINNING + n * problem.n_features * ADDING)
        if ground.decided and problem.own is None and (ground.units != FORBIDDEN).all() and not costed:
            return grouping, sets * buckets + n
        tries = float(ground.ways(ground.reached)[k])
        if ground.decided:
            return grouping + tries * shared, tries * buckets + n
        alone = float(ground.ways(ground.goals).sum()) * single
        return grouping + (tries * shared + alone) * step, tries * buckets + n
    if problem.share == "features" and ground.decided:
        return sets * (BEGINNING + n * SEARCHING), sets
    actions = float(ground.ways(useful_targets(ground, costed)).sum())
    smaller = sum(float(comb(len(ground.changeable), size)) for size in range(k + 1))
    return smaller * BEGINNING + actions * n * step, actions


def _sampled_buckets(ground: Ground) -> tuple[float, float, int]:
    """Over a few feature sets: rows not alone and buckets on average, and rows that are alone for all."""
    random, coded = np.random.default_rng(2), CodedRows.of(ground)
    shared, buckets, alone = 0.0, 0.0, np.ones(len(ground.rows), dtype=np.bool_)
    for _ in range(SAMPLES):
        features = np.sort(random.permutation(ground.changeable)[: ground.size])
        rows, bounds = coded.agreeing(features)
        alone[rows] = False
        shared += len(rows) / SAMPLES
        buckets += (len(bounds) - 1) / SAMPLES
    return shared, buckets, int(alone.sum())
