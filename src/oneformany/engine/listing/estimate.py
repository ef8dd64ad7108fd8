"""What listing all columns would take, before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.engine.listing.buckets import CodedRows
from oneformany.engine.listing.ground import FORBIDDEN, Ground
from oneformany.engine.listing.listing import MEMORY
from oneformany.engine.listing.sharing import useful_targets
from oneformany.oracles.protocol import JudgesMoves
from oneformany.problem import Problem

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
