"""What no group of rows around an anchor saves more than: searches within limits, and what they prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.engine.certificate import first_given
from oneformany.engine.pricing.space import SearchSpace
from oneformany.engine.saving import kernels as k
from oneformany.engine.saving.kernels import NEVER
from oneformany.engine.scaling import ONE_IN_COVERS
from oneformany.oracles.protocol import Relaxation
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.stop import Stop


def move_costs(problem: Problem) -> IntArray:
    """``(p, V, V)``: what going from a level to another costs, ``NEVER`` where that is not allowed."""
    p, width = problem.exists.shape
    costs = np.full((p, width, width), NEVER, dtype=np.int64)
    tables = (problem.costs or Costs.changes(problem.levels)).tables
    for feature, (table, moves) in enumerate(zip(tables, problem.moves, strict=True)):
        n = len(table)
        costs[feature, :n, :n] = table if moves is None else np.where(moves, table, NEVER)
    return costs


def leaving_costs(costs: IntArray) -> IntArray:
    """``(p, V)``: the least that going away from a level costs."""
    return np.asarray(np.where(np.eye(costs.shape[1], dtype=np.bool_), NEVER, costs).min(axis=2))


def meeting_costs(costs: IntArray, rows: IntArray) -> IntArray:
    """``(p, V, V)``: what rows at two levels pay at least together to meet, for levels that rows have."""
    together = np.full(costs.shape, NEVER)
    for feature, moves in enumerate(costs):
        levels = np.unique(rows[:, feature])
        for level in levels.tolist():
            together[feature, level, levels] = (moves[level] + moves[levels]).min(axis=1)
    return np.asarray(np.minimum(together, NEVER))


def fewest_changes(space: SearchSpace, stop: Stop) -> IntArray:
    """For each row of the space a number of changes below which none is proved to help."""
    problem = space.problem
    fewest = np.zeros(len(space.helpable), dtype=np.int64)
    for index, row in enumerate(space.helpable.tolist()):
        question = replace(problem.question(row), stop=stop)
        while fewest[index] < problem.max_changes and not stop.expired():
            if not problem.oracle.reach(replace(question, extra=int(fewest[index]))).proved_none:
                break
            fewest[index] += 1
    return fewest


def least_costs(problem: Problem, rows: IntArray, changes: IntArray) -> IntArray:
    """What so many changes cost each row at least: as many of its cheapest moves in different features."""
    moves = leaving_costs(move_costs(problem))[np.arange(problem.n_features), rows]
    totals = np.cumsum(np.sort(moves, axis=1), axis=1)
    every = np.concatenate((np.zeros((len(rows), 1), dtype=np.int64), totals), axis=1)
    return np.minimum(every[np.arange(len(rows)), changes], NEVER)


MOST_RANGES = 32
HALVINGS = 1
NODES_AT_ONCE = 50_000


@dataclass(frozen=True, eq=False)
class Saving:
    """What was found and proved around one anchor.

    Attributes
    ----------
    most : int
        No group in which the anchor pays least saves more.
    point : (p,) integer array or None
        Where the best group goes that was found, but for what all must change besides.
    changed : (p,) boolean array or None
        The features that its rows change to get there.
    extra : int
        What the rest costs each.
    complete : bool
        Whether the best that was found saves the most.
    """

    most: int
    point: IntArray | None
    changed: BoolArray | None
    extra: int
    complete: bool


def ranges(least: int, most: int) -> Iterator[tuple[int, int]]:
    """Part what an anchor may pay into single numbers, or, where these are many, into ranges."""
    step = max(1, -(-(most - least + 1) // MOST_RANGES))
    for low in range(least, most + 1, step):
        yield low, min(most, low + step - 1)


class SavingsSearch:
    """Searches for groups of the rows of a space that save most against prices.

    ``least`` is what the cheapest change that helps each row costs at least.

    Attributes
    ----------
    nodes : int
        Search nodes so far.
    summed : bool
        Whether the score is additive, so that groups pay for becoming positive.
    """

    def __init__(self, space: SearchSpace, least: IntArray) -> None:
        problem = space.problem
        p, width = problem.exists.shape
        costs = move_costs(problem)
        scores = self._scores(space)
        self.arrays = k.SavingArrays(
            rows=space.rows,
            rank=first_given(problem)[space.helpable],
            people=problem.multiplicity[space.helpable].astype(np.int64),
            least=least,
            levels=np.array(problem.levels, dtype=np.int64),
            costs=costs,
            meeting=meeting_costs(costs, space.rows),
            leaving=leaving_costs(costs),
            units=scores.units,
            raised=np.where(costs < NEVER, scores.units[:, None, :], scores.units[:, :, None]).max(axis=2),
            lacks=scores.threshold - scores.intercept - scores.units[np.arange(p), space.rows].sum(axis=1),
            every=problem.ruled | (problem.costs is not None),
            max_changes=problem.max_changes,
            scale=ONE_IN_COVERS,
        )
        self.nodes = 0
        self.summed = bool(scores.units.any())
        self._state = k.SavingState.of(len(space.rows), p, width)

    @staticmethod
    def _scores(space: SearchSpace) -> Relaxation:
        """The units of an additive score, which a stranger can add up as well; otherwise none."""
        found = space.problem.oracle.relaxation()
        if found is not None and space.problem.oracle.describe()["kind"] == "additive":
            return found
        return Relaxation(np.zeros(space.problem.exists.shape, dtype=np.int64), 0, 0, exact=False)

    def around(self, anchor: int, prices: IntArray, floor: int, limit: int, stop: Stop) -> Saving:
        """Look for the group that saves most, and more than ``floor``, in which the anchor pays least.

        Prices are per person, times the scale. Where ``limit`` nodes do not suffice for a search, something
        higher is proved.
        """
        most, best, complete = floor, floor, True
        point, changed, extra = None, None, 0
        top = (int(prices[anchor]) - 1) // self.arrays.scale
        for low, high in ranges(int(self.arrays.least[anchor]), top):
            done = self._run(anchor, prices, low, high, best, limit, stop)
            if self._best > best:
                best, (point, changed, extra) = self._best, self._end(anchor)
            if done:
                continue
            complete = False
            below, above = best, int(self._state.bound[0])
            for _ in range(HALVINGS):
                middle = (below + above) // 2
                done = self._run(anchor, prices, low, high, middle, limit, stop)
                if self._best > middle:
                    best, (point, changed, extra) = self._best, self._end(anchor)
                below, above = (below, max(middle, self._best)) if done else (max(middle, self._best), above)
            most = max(most, above)
        return Saving(max(most, best), point, changed, extra, complete)

    @property
    def _best(self) -> int:
        return int(self._state.scalars[k.BEST])

    def _end(self, anchor: int) -> tuple[IntArray, BoolArray, int]:
        state = self._state
        changed = state.found >= 0
        return np.where(changed, state.found, self.arrays.rows[anchor]), changed, int(state.found_extra[0])

    def _run(
        self, anchor: int, prices: IntArray, low: int, high: int, floor: int, limit: int, stop: Stop
    ) -> bool:
        """Run to the end (true) or to a limit (false)."""
        state = self._state
        k.begin(self.arrays, state, anchor)
        state.scalars[[k.BEST, k.LOW, k.HIGH]] = floor, low, high
        spent = 0
        while spent < limit:
            code = k.advance(self.arrays, state, prices, anchor, min(NODES_AT_ONCE, limit - spent))
            self.nodes += int(state.scalars[k.NODES]) - spent
            spent = int(state.scalars[k.NODES])
            if code == k.DONE:
                return True
            if stop.expired():
                return False
        return False
