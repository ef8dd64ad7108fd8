"""What it would take to list columns: estimated before it is tried."""

import math
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from oneformany.engine.context import Context
from oneformany.engine.listing.ground import CodedRows, Ground
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.engine.listing.listing import LISTED, useful_targets
from oneformany.oracles.protocol import JudgesMoves
from oneformany.problem import Share
from oneformany.schedule import SCHEDULE

STEPS_PER_SECOND = 1e9  # of a compiled loop on one core: what the seconds of an estimate rest on
QUICK = 2e9  # steps
BEGINNING = 3e5  # steps to begin with a feature set
ADDING = 20.0  # to group a cell of a row, or to add up what a row gains by an action
SEARCHING = 300.0  # for the cheapest change of a row within a feature set
ASKING = 1000.0  # for a classifier's answer about a point
SETS_SAMPLED = 8  # sets of features, by which buckets are counted beforehand
BYTES_OF_A_BUCKET = 40  # of a bucket, and of each row in it
# For the words of an estimate
NOUNS: dict[Share, str] = {"point": "groups", "action": "actions", "features": "sets of features"}
MOST_TARGETS = 1e5  # of a feature set, that one bucket is asked about


def lazily(run: Context, seconds: float = math.inf) -> bool:
    """Whether buckets are asked about only where a cover would use them; they fit into memory and time."""
    problem, options = run.problem, run.options
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
    if sets * (BEGINNING + problem.rows.size * ADDING) > SCHEDULE.grouping * seconds * STEPS_PER_SECOND:
        return False
    if float(np.sort(ground.counts(ground.reached))[::-1][: ground.size].prod()) > MOST_TARGETS:
        return False
    shared, buckets, _ = _sampled_buckets(ground)
    return sets * BYTES_OF_A_BUCKET * (shared + buckets) <= LISTED * options.memory


def affordable_changes(ground: Ground, most_work: float) -> int:
    """How many changes can be listed with so much work, at least one, unless that takes too many calls."""
    fewer = range(ground.size - 1, 0, -1)
    parts = ((n, replace(ground, problem=replace(ground.problem, max_changes=n))) for n in fewer)
    left = ground.calls_left
    affordable = (n for n, part in parts if not estimated(part).too_much(most_work, left))
    return next(affordable, int(np.isinf(ground.most_calls)))


@dataclass(frozen=True)
class Estimate:
    """What listing all columns would take: steps, and combinations of changes that are tried.

    ``most_calls``: so many points the classifier may be asked about in all.
    """

    work: float
    combinations: float
    noun: str
    most_calls: float

    @property
    def told(self) -> str:
        """The estimate in words."""
        seconds = self.work / STEPS_PER_SECOND
        return (
            f"{self.combinations:,.0f} {self.noun}: about {seconds:,.0f} s"
            if seconds >= 1
            else (f"{self.combinations:,.0f} {self.noun}: less than a second")
        )

    def too_much(self, most_work: float, calls: float | None = None) -> str:
        """Why it would take too long, and what to do about it; empty where it would not."""
        if self.work > most_work:
            return (
                f"there are about {self.combinations:,.0f} combinations, {self.work / most_work:,.1f} times "
                "as much as is listed; lower max_changes, or give features fewer cells"
            )
        if self.work > (self.most_calls if calls is None else calls) * ASKING:
            return (
                f"the classifier would have to be asked about {self.work / ASKING:,.0f} points, and "
                f"max_calls allows {self.most_calls:,}; raise it, lower max_changes, or give the features "
                "fewer cells"
            )
        return ""


def estimated(ground: Ground, *, costed: bool = False) -> Estimate:
    """Estimate the listing of all columns; ``costed``: with those that only are cheaper for somebody."""
    work, combinations = _size(ground, costed=costed)
    return Estimate(work, combinations, NOUNS[ground.problem.share], ground.most_calls)


def _size(ground: Ground, *, costed: bool) -> tuple[float, float]:
    """Steps that a listing takes, and combinations of changes that it tries."""
    problem, n, k = ground.problem, len(ground.rows), ground.size
    sets = float(comb(len(ground.changeable), k))
    judges = isinstance(problem.oracle, JudgesMoves)
    step = ADDING if ground.decided else 500.0 if ground.exact else 100.0 if judges else ASKING
    if problem.share == "point":
        shared, buckets, single = _sampled_buckets(ground)
        grouping = sets * (BEGINNING + n * problem.n_features * ADDING)
        if ground.decided and problem.own is None and (ground.units != NO_MOVE).all() and not costed:
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
    # The same sample for every seed: what serves a question does not depend on it.
    random, coded = np.random.default_rng(2), CodedRows.of(ground)
    shared, buckets, alone = 0.0, 0.0, np.ones(len(ground.rows), dtype=np.bool_)
    for _ in range(SETS_SAMPLED):
        features = np.sort(random.permutation(ground.changeable)[: ground.size])
        rows, bounds = coded.agreeing(features)
        alone[rows] = False
        shared += len(rows) / SETS_SAMPLED
        buckets += (len(bounds) - 1) / SETS_SAMPLED
    return shared, buckets, int(alone.sum())
