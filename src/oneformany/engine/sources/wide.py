"""Columns of many changes, found where all columns are too many to be listed.

Every row that can be helped has a column of its own. Then targets are looked for that many rows accept at
once when all changes may be spent: of everybody, or of the groups that would be the fewest if every point
were positive. What is not found here may exist all the same.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.engine.certificate import first_given
from oneformany.engine.choose import choose
from oneformany.engine.context import Context
from oneformany.engine.listing.batches import Batches, OutOfTimeError
from oneformany.engine.listing.ground import Ground
from oneformany.engine.listing.kernels import NO_MOVE
from oneformany.engine.listing.listing import FullListing, accepted_groups
from oneformany.engine.listing.single_rows import cheapest, reach_rows
from oneformany.engine.listing.store import Store, columns_of, going_to
from oneformany.engine.options import Options
from oneformany.engine.pool import Generated
from oneformany.engine.pricing.cached_oracle import CachedOracle
from oneformany.engine.pricing.space import SearchSpace, take_in
from oneformany.engine.screening import screen
from oneformany.engine.sources.estimates import QUICK, affordable_changes
from oneformany.engine.sources.searched import Searched
from oneformany.engine.table.table import ColumnTable
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.schedule import SCHEDULE
from oneformany.statistics import Statistics
from oneformany.stop import Stop

ROWS_SAMPLED = 100  # rows whose scores are looked at for the next move
TURNS_OF_A_GROUP = 4  # at targets for the rows that are left over: later ones help a row or two
POINTS_COMPARED = 1 << 16  # for the next move of a group: some 10 MB
LEAST_RISE = 1e-9  # of what rows lack


@dataclass(frozen=True, eq=False)
class WideListing:
    """Columns that are not all there are, where each row goes by itself, and weights that prove a bound."""

    listing: FullListing
    ends: IntArray  # (n, p): cells, of rows that can be helped
    weights: IntArray  # of the distinct rows
    capacity: int  # no column weighs more

    @property
    def bound(self) -> int:
        """Columns that are certainly needed for everybody who can be helped."""
        return max(min(1, len(self.listing.table)), -(-int(self.weights.sum()) // self.capacity))


def wide_listing(problem: Problem, stop: Stop, seed: int = 0) -> WideListing:
    """Find a column for each row that can be helped, and columns of as many changes as are allowed."""
    ground, random = Ground.of(problem), np.random.default_rng(seed)
    batches, store = Batches(ground, stop), Store(ground, costed=False)
    reaching = SCHEDULE.reaching.of(stop)
    reached = screen(problem, Statistics(), stop) if ground.decided else reach_rows(ground, reaching)
    rows, ends = reached.helpable, reached.cells
    weights, capacity, buckets = np.zeros(len(ground.rows), dtype=np.int64), 1, [(ground.changeable, rows)]
    if problem.share == "point":
        promised = SCHEDULE.promise.of(stop)
        weights, capacity, buckets = optimistic_cover(problem, reached.reachable, promised, seed)
    if np.isfinite(ground.most_calls):
        buckets = []  # calls are for questions about single rows
    with suppress(OutOfTimeError):
        if problem.share == "features":
            changes = ground.size if ground.decided else affordable_changes(ground, QUICK)
            costs, cells = cheapest(ground, batches, rows, ground.changeable, changes)
            near, goals = rows[costs >= 0], cells[costs >= 0]
            ends[near] = np.where(goals >= 0, goals, ground.rows[near])
        else:
            for features, members in buckets:
                for found in _shared_targets(batches, features, members, random):
                    store.absorb(found)
    store.absorb(going_to(ground, rows, ends[rows]))
    if problem.share == "features":
        for found in _shared_features(ground, rows, ends):
            store.absorb(found)
    listing = FullListing(store.columns, reached.unreachable, batches.asked)
    return WideListing(listing, ends, weights, capacity)


def optimistic_cover(
    problem: Problem, reachable: BoolArray, stop: Stop, seed: int = 0
) -> tuple[IntArray, int, list[tuple[IntArray, IntArray]]]:
    """Cover rows that share a point as if every point were positive: by cells and moves alone.

    Returns weights of rows, what no group weighs more than, and the features and rows of each group.
    """
    rows, weights = np.flatnonzero(reachable), np.zeros(len(problem.rows), dtype=np.int64)
    if not len(rows):
        return weights, 1, []
    anything = AdditiveOracle([np.zeros(n) for n in problem.levels])
    relaxed = Problem(problem.rows[rows], problem.levels, anything, problem.max_changes, problem.allowed)
    statistics = Statistics()
    space = SearchSpace(relaxed, np.arange(len(relaxed.rows)))
    asked = Context(relaxed, stop=stop, options=Options(branching=False), statistics=statistics, seed=seed)
    found = Generated(asked, space, CachedOracle(space, statistics, stop))
    found.pool.add(found.first_columns(relaxed.rows))
    standing, capacity = choose(Searched(found, np.zeros(len(relaxed.rows), dtype=np.bool_)), asked), 1
    if standing.weights is not None:
        first = rows[first_given(relaxed)]  # rows that differ in their own values only are alike here
        weights[first], capacity = standing.weights.weights, standing.weights.capacity
    alike = ((problem.rows[rows] == column.point) | column.changed for column in found.best)
    buckets = [rows[agree.all(axis=1)] for agree in alike]
    groups = [(np.flatnonzero(c.changed), b) for c, b in zip(found.best, buckets, strict=True)]
    return weights, capacity, sorted(groups, key=lambda group: -len(group[1]))


def _shared_features(ground: Ground, rows: IntArray, ends: IntArray) -> Iterator[ColumnTable]:
    """Sets of features that hold all that one row after another changes, where fewest are missing."""
    moves, left = ends != ground.rows, rows
    paid = ground.paid(rows, ends[rows])
    while len(left):
        changed = np.zeros(moves.shape[1], dtype=np.bool_)
        take_in(moves[left].T, changed, ground.size)
        inside, features = ~(moves[rows] & ~changed).any(axis=1), np.flatnonzero(changed)
        group, anywhere = rows[inside], np.zeros((1, len(features)), dtype=np.int64)
        table = columns_of(ground, features, np.array([0, len(group)]), group, anywhere)
        yield replace(table, costs=paid[inside])
        left = np.setdiff1d(left, group)


def _shared_targets(
    batches: Batches, features: IntArray, rows: IntArray, random: np.random.Generator
) -> Iterator[ColumnTable]:
    """Targets of some features that many of some rows accept, then those of the others, and so on."""
    ground, left, everybody = batches.ground, rows, np.array([0, len(rows)])
    size = max(1, min(ROWS_SAMPLED, POINTS_COMPARED // max(1, int(ground.goals.sum()))))
    while len(left):
        goal = np.full(ground.rows.shape[1], -1)
        if ground.problem.share == "point":  # rows have to agree where they differ: where most may go, or are
            for feature in np.flatnonzero((ground.rows[rows] != ground.rows[rows[0]]).any(axis=0)).tolist():
                may = ground.gain(feature, left) != NO_MOVE
                here = ground.rows[left, feature][:, None] == np.arange(may.shape[1])
                goal[feature] = np.lexsort((here.sum(axis=0), may.sum(axis=0)))[-1]
        some = random.permutation(left)[:size]
        for _ in range(TURNS_OF_A_GROUP):
            _climb(batches, features, some, goal)
            chosen = np.flatnonzero(goal >= 0)
            joins = batches.accepted(chosen, rows, goal[None, chosen])
            refused = np.setdiff1d(left, rows[joins[:, 0]])
            if np.isin(refused, some).all():
                break
            some = np.append(some, np.setdiff1d(refused, some)[:size])
        if len(refused) == len(left):
            return
        yield accepted_groups(ground, chosen, goal[None, chosen], joins, (rows, everybody), 1)
        left = refused


def _climb(batches: Batches, features: IntArray, rows: IntArray, goal: IntArray) -> None:
    """Move the target of one feature after the other (-1: none) to where the scores of rows rise most."""
    ground, oracle = batches.ground, batches.ground.problem.oracle
    cells = ground.rows[rows]

    def lacking(which: IntArray, after: IntArray) -> FloatArray:
        """What rows lack, by their index; whoever is accepted need not rise."""
        if batches.stop.expired():
            raise OutOfTimeError
        score = oracle.score(ground.values_at(rows[which], after))
        return np.asarray(np.minimum(score - oracle.threshold, 0.0))

    def may_take(feature: int, targets: IntArray) -> BoolArray:
        return np.asarray(ground.gain(feature, rows, targets) != NO_MOVE)

    may, after = np.ones(cells.shape, dtype=np.bool_), np.where(goal >= 0, goal, cells)
    for feature in np.flatnonzero(goal >= 0).tolist():
        may[:, feature] = may_take(feature, goal[[feature]])[:, 0]
    before, able = lacking(np.arange(len(rows)), cells), np.flatnonzero(may.all(axis=1))
    best = before.sum() + (lacking(able, after[able]) - before[able]).sum()
    while best < 0:
        full = np.count_nonzero(goal >= 0) == ground.size
        which, points, slots = [able[:0]], [after[:0]], [able[:0]]
        for feature in (features[goal[features] >= 0] if full else features).tolist():
            first, last = ground.offsets[feature : feature + 2]
            targets = np.flatnonzero(ground.goals[first:last] & (np.arange(last - first) != goal[feature]))
            joins = np.delete(may, feature, axis=1).all(axis=1, keepdims=True) & may_take(feature, targets)
            able, target = np.nonzero(joins)
            which.append(able)
            points.append(np.where(np.arange(len(goal)) == feature, targets[target][:, None], after[able]))
            slots.append(first + targets[target])
        able, (tried, slot_of) = np.concatenate(which), np.unique(np.concatenate(slots), return_inverse=True)
        risen = lacking(able, np.concatenate(points)) - before[able]
        total = before.sum() + np.bincount(slot_of, risen)
        if total.max(initial=best) <= best * (1 - LEAST_RISE):
            return
        best, slot = total.max(), tried[total.argmax()]
        feature = int(np.searchsorted(ground.offsets, slot, side="right")) - 1
        goal[feature] = after[:, feature] = slot - ground.offsets[feature]
        may[:, feature] = may_take(feature, goal[[feature]])[:, 0]
